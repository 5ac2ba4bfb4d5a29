# SPDX-License-Identifier: GPL-2.0
# The peers, and the test of those that are written here. Included by ../Makefile, after kernel.mk of the
# simulated kernel; wants PEERS, a directory with the kernel's dm-ps-*.c, CXX, CXXFLAGS, SANITIZE and
# its rule for objects.

PEER_OBJS = $(addprefix $(BUILD)/peers/,factory.o options.o kernel.o nvme_queue_depth.o nvme_latency.o simple.o) \
	    $(KERNEL_PEERS)
PEER_TEST_OBJS = $(addprefix $(BUILD)/peers/,peers_test.o kernel_test.o nvme_latency_test.o simple_test.o)

$(BUILD)/peers/test: $(PEER_TEST_OBJS) $(PEER_OBJS) $(MODULE_OBJS)
	$(CXX) $(SANITIZE) -rdynamic -o $@ $^ -lcmocka

peers-test: $(BUILD)/peers/test
	$<

-include $(PEER_OBJS:.o=.d) $(PEER_TEST_OBJS:.o=.d)

.PHONY: peers-test
