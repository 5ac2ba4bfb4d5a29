# SPDX-License-Identifier: GPL-2.0
# The module's sources, unchanged, in a program that is measured. Included by Makefiles of
# other folders; wants BUILD, SRC and TESTS, where kernel_shim is.

SHIM   := $(TESTS)/kernel_shim
NATIVE := $(SHIM)/native

include $(SHIM)/sources.mk

# As the kernel is compiled: no red zone, no vectors. Each thread's variables by one register.
NATIVE_CFLAGS = -std=gnu11 -O2 -g -Wall -Wextra -Wno-unused-parameter -Wno-sign-compare -Werror \
		-fno-strict-aliasing -fno-strict-overflow -fno-tree-vectorize -fno-pie -ftls-model=local-exec \
		$(if $(filter x86_64,$(shell uname -m)),-mno-red-zone) -pthread \
		-D_GNU_SOURCE -DKERNEL_MAX_CPUS=1024 -D__KERNEL__ -DLW_PS_HAS_FEATURES -DLW_HAS_STAT_DISABLE -DLW_VERSION='"native"' \
		-I$(SRC) -I$(SRC)/compat -I. -I$(NATIVE)/include -I$(NATIVE) -I$(SHIM) \
		-I$(SHIM)/include -MMD -MP
NATIVE_LDFLAGS = -no-pie -pthread
PEER_CFLAGS = $(NATIVE_CFLAGS)

NATIVE_OBJS = $(KERNEL_SOURCES:$(SRC)/%.c=$(BUILD)/module/%.o) \
	      $(addprefix $(BUILD)/shim/,kernel.o lib.o dm_types.o map.o policy.o operation.o) \
	      $(addprefix $(BUILD)/shim/native/,machine.o memory.o workqueue.o dm.o null.o)

$(BUILD)/module/%.o: $(SRC)/%.c
	@mkdir -p $(@D)
	$(CC) $(NATIVE_CFLAGS) -include everything.h -c -o $@ $<

$(BUILD)/shim/%.o: $(SHIM)/%.c
	@mkdir -p $(@D)
	$(CC) $(NATIVE_CFLAGS) -c -o $@ $<

$(BUILD)/shim/native/%.o: $(NATIVE)/%.c
	@mkdir -p $(@D)
	$(CC) $(NATIVE_CFLAGS) -include everything.h -c -o $@ $<

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(NATIVE_CFLAGS) -include everything.h -c -o $@ $<

-include $(NATIVE_OBJS:.o=.d)
