# SPDX-License-Identifier: GPL-2.0
# The peers, and the test of their behaviour. Included by ../Makefile; wants
# BUILD, CXX, CXXFLAGS, SANITIZE and its rule for objects.

PEER_OBJS = $(addprefix $(BUILD)/peers/,factory.o options.o round_robin.o queue_length.o \
	      service_time.o historical_service_time.o io_affinity.o nvme_queue_depth.o nvme_latency.o \
	      simple.o)
PEER_TEST_OBJS = $(addprefix $(BUILD)/peers/,peers_test.o counting_test.o hst_test.o io_affinity_test.o \
		   nvme_latency_test.o simple_test.o)

$(BUILD)/peers/test: $(PEER_TEST_OBJS) $(PEER_OBJS)
	$(CXX) $(SANITIZE) -o $@ $^ -lcmocka

peers-test: $(BUILD)/peers/test
	$<

-include $(PEER_OBJS:.o=.d) $(PEER_TEST_OBJS:.o=.d)

.PHONY: peers-test
