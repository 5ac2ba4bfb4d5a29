# SPDX-License-Identifier: GPL-2.0
# KERNEL_SOURCES: what of the module runs in the simulated kernel. Wants SRC.

# Of src/admin only what needs neither dm's maps nor the kernel's files; map.c stands in for the rest.
KERNEL_SOURCES := $(wildcard $(SRC)/*.c $(addprefix $(SRC)/admin/,measure.c report.c))
ifeq ($(KERNEL_SOURCES),)
$(error SRC: no C files in $(SRC))
endif
