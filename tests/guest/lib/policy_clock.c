// SPDX-License-Identifier: GPL-2.0
/* The clock of a policy that the host's compiler made: it stands where who calls the policy sets it. */
unsigned long long policy_now_ns;

unsigned long long lw_policy_now_ns(void)
{
	return policy_now_ns;
}
