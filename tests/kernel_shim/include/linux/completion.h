/* SPDX-License-Identifier: GPL-2.0 */
/* As much as struct lw_map needs to be a struct: nobody waits here. */
#ifndef FUZZ_LINUX_COMPLETION_H
#define FUZZ_LINUX_COMPLETION_H

struct completion {
	unsigned int done;
};

/* Only declared: files of src/admin that call it are compiled here, not linked. */
void complete(struct completion *done);

#endif
