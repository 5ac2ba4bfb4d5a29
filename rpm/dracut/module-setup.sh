#!/bin/bash
# Part of dracut's module for the selector. A root file system on a map whose table names the
# selector cannot be mounted without it, and dracut looks for selectors elsewhere than where dkms
# installs them. add_drivers would do for kernels that have the module; for others dracut leaves
# out what comes after it in that list.

check() {
	return 0
}

depends() {
	return 0
}

# Also where this machine does not use it now.
installkernel() {
	hostonly='' instmods dm-latency-weighted
}
