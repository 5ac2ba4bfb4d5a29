# SPDX-License-Identifier: GPL-2.0
# KERNEL_SOURCES: what of the module runs in the simulated kernel. Wants SRC.

# Not what needs the kernel's files; kernel/map.c stands in.
KERNEL_SOURCES := $(filter-out $(addprefix $(SRC)/,map.c tune.c sysfs.c sysfs_path.c tally.c latency_stat.c debugfs.c notice.c),$(wildcard $(SRC)/*.c))
ifeq ($(KERNEL_SOURCES),)
$(error SRC: no C files in $(SRC))
endif
