/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cases by hand: for each, a few events and the choice that the original makes. Those of what is
 * written here have the reasons, so that nobody can say that it was made weak.
 */
#ifndef SIM_PEERS_TEST_H
#define SIM_PEERS_TEST_H

#include <vector>

#include "selector.h"
#include "world.h"

/* Makes fail() a macro, hence last; in tests it is (selector.fail)(path). */
extern "C" {
#include "../../unit/unit.h"
}

#define US 1000ULL
#define KB 1024UL

enum What {
	ASK,	/* select says path, and nothing follows */
	TAKE,	/* select says path, and the I/O is started there */
	END,	/* an I/O on path ends */
	FAIL,
	BACK,	/* reinstate */
};

struct Step {
	What what;
	int path;
	uint64_t at = 0;
	size_t bytes = 0;
	uint64_t stamp = 0;	/* of END: when it was started; 0: no stamp */
};

/* The second makes a selector of this name, on CPU 0. */
void play(Selector &selector, const std::vector<Step> &steps);
void play(const char *name, int paths, const Options &options, const std::vector<Step> &steps);

/* Each returns the number of failures. */
int test_kernel();
int test_nvme_latency();
int test_simple();

#endif
