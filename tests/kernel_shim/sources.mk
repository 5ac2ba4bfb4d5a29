# SPDX-License-Identifier: GPL-2.0
# KERNEL_SOURCES: what of the module runs in the simulated kernel. KERNEL_SHIMS: the objects of that
# kernel. Wants SRC and BUILD.

# Of src/admin only what needs neither dm's maps nor the kernel's files, and of src/policy what needs
# no BPF; map.c and policy.c stand in for the rest.
KERNEL_SOURCES := $(wildcard $(SRC)/*.c $(addprefix $(SRC)/admin/,measure.c count.c report.c) $(SRC)/policy/choose.c)
ifeq ($(KERNEL_SOURCES),)
$(error SRC: no C files in $(SRC))
endif

KERNEL_SHIMS := $(addprefix $(BUILD)/shim/,kernel.o lib.o memory.o percpu.o workqueue.o dm.o dm_types.o map.o policy.o operation.o trace.o)

# The kernel's own selectors, in a directory PEERS: path_selectors() of tests/vm/kernel_source.py makes it.
# dm-ps-round-robin.c is loaded by dm_ps_round_robin_init(). Wants PEER_CFLAGS.
KERNEL_PEERS := $(addprefix $(BUILD)/dm-ps-,round-robin.o queue-length.o service-time.o historical-service-time.o \
		  io-affinity.o)

$(BUILD)/dm-ps-%.o: $(PEERS)/dm-ps-%.c
	@mkdir -p $(@D)
	$(CC) $(PEER_CFLAGS) -Wno-pointer-sign -include dm-ps.h -Dkernel_module_init=dm_ps_$(subst -,_,$*)_init \
		-Dkernel_module_exit=dm_ps_$(subst -,_,$*)_exit -c -o $@ $<
