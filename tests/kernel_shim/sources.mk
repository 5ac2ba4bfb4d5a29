# SPDX-License-Identifier: GPL-2.0
# KERNEL_SOURCES: what of the module runs in the simulated kernel. KERNEL_SHIMS: the objects of that
# kernel. Wants SRC and BUILD.

# Of src/admin only what needs neither dm's maps nor the kernel's files, and of src/policy what needs
# no BPF; map.c and policy.c stand in for the rest.
KERNEL_SOURCES := $(wildcard $(SRC)/*.c $(addprefix $(SRC)/admin/,measure.c count.c report.c) $(SRC)/policy/choose.c)
ifeq ($(KERNEL_SOURCES),)
$(error SRC: no C files in $(SRC))
endif

KERNEL_SHIMS := $(addprefix $(BUILD)/shim/,kernel.o lib.o memory.o percpu.o workqueue.o dm.o map.o policy.o operation.o trace.o)
