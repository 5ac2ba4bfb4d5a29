# SPDX-License-Identifier: GPL-2.0
# The module's sources, unchanged, in user space; included by Makefiles of other folders. Wants
# BUILD, SRC and TESTS, this folder's parent. Each value of SRC or SANITIZE wants a BUILD
# directory of its own.

SHIM := $(TESTS)/kernel_shim

include $(SHIM)/sources.mk

KERNEL_OBJS = $(KERNEL_SOURCES:$(SRC)/%.c=$(BUILD)/src/%.o) $(KERNEL_SHIMS)

# The kernel's dialect. There signed numbers wrap, but a sanitizer shall see it.
KERNEL_CFLAGS = -std=gnu11 -O2 -g -Wall -Wextra -Wno-unused-parameter -Wno-sign-compare \
		-Werror -fno-strict-aliasing $(or $(SANITIZE),-fno-strict-overflow) \
		-D__KERNEL__ -DLW_PS_HAS_FEATURES -DLW_HAS_STAT_DISABLE \
		-DLW_VERSION='"simulated"' -I$(SRC) -I$(SRC)/compat -I$(SHIM)/include \
		-I$(SHIM) -MMD -MP
PEER_CFLAGS = $(KERNEL_CFLAGS)

$(BUILD)/src/%.o: $(SRC)/%.c
	@mkdir -p $(@D)
	$(CC) $(KERNEL_CFLAGS) -include everything.h -c -o $@ $<

$(BUILD)/shim/%.o: $(SHIM)/%.c
	@mkdir -p $(@D)
	$(CC) $(KERNEL_CFLAGS) -c -o $@ $<

KERNEL_TESTS = $(addprefix $(BUILD)/shim/,shim_test writes_test operation_test \
		 window_test dips_test outliers_test frozen_test found_test stamps_test policy_test policy_use_test)

$(KERNEL_TESTS): %: %.o $(KERNEL_OBJS)
	$(CXX) $(SANITIZE) -o $@ $^

-include $(KERNEL_OBJS:.o=.d) $(KERNEL_TESTS:=.d)
