# SPDX-License-Identifier: GPL-2.0
# The module's own code as a selector of the simulator, and its tests; included by ../Makefile,
# after kernel.mk of the simulated kernel.

MODULE_OBJS  = $(KERNEL_OBJS) $(addprefix $(BUILD)/module/,module.o policy.o scramble.o)
MODULE_TESTS = $(addprefix $(BUILD)/module/,smoke_test report_test quiet_test)

# Policies call it.
$(BUILD)/engine: LDFLAGS += -rdynamic

# It looks into the module's structs.
$(BUILD)/module/scramble.o: module/scramble.c
	@mkdir -p $(@D)
	$(CC) $(KERNEL_CFLAGS) -include everything.h -c -o $@ $<

$(MODULE_TESTS): %: %.o $(MODULE_OBJS)
	$(CXX) $(SANITIZE) -o $@ $^

kernel-smoke: ## the simulated kernel, and the module's code in it, with sanitizers
	$(MAKE) --no-print-directory BUILD=$(BUILD)/sanitized \
		SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=all -fno-pie -no-pie' \
		kernel-smoke-run

kernel-smoke-run: $(KERNEL_TESTS) $(MODULE_TESTS)
	@set -e; for t in $^; do $$t; done

-include $(MODULE_OBJS:.o=.d) $(MODULE_TESTS:=.d)

.PHONY: kernel-smoke kernel-smoke-run
