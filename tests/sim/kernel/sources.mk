# SPDX-License-Identifier: GPL-2.0
# KERNEL_SOURCES: what of the module runs in the simulated kernel. Wants SRC.

# Not src/admin, which needs dm's maps and the kernel's files; kernel/map.c stands in.
KERNEL_SOURCES := $(wildcard $(SRC)/*.c)
ifeq ($(KERNEL_SOURCES),)
$(error SRC: no C files in $(SRC))
endif
