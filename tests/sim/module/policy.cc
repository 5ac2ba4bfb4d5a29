// SPDX-License-Identifier: GPL-2.0
#include "policy.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

extern "C" {
#include "policy/lw_policy.h"
}
#include "shim_policy.h"
#include "world.h"

/* What a policy may call. */
extern "C" __u64 lw_policy_now_ns()
{
	return world_now_ns;
}

namespace {

[[noreturn]] void refuse(const std::string &where, const std::string &why)
{
	throw std::invalid_argument("policy " + where + ": " + why);
}

/* Of one file there would be one library, however often it was loaded. */
void *load_copy(const std::string &file)
{
	std::ifstream in(file, std::ios::binary);
	std::ostringstream content;

	content << in.rdbuf();
	int copy = memfd_create("policy", 0);

	if (!in || copy < 0 || write(copy, content.str().data(), content.str().size()) < 0)
		refuse(file, "it cannot be read");
	void *library = dlopen(("/proc/self/fd/" + std::to_string(copy)).c_str(), RTLD_NOW | RTLD_LOCAL);

	close(copy);
	if (!library)
		refuse(file, dlerror());
	return library;
}

} /* namespace */

Policy::Policy(const std::string &where, path_selector *selector) : selector_(selector)
{
	bool cost = reads_cost(where);

	kernel_attach_program(selector, load(where), cost);
}

Policy::~Policy()
{
	kernel_detach_program(selector_);
	dlclose(library_);
}

Policy::Program Policy::load(const std::string &where)
{
	size_t colon = where.rfind(':');

	if (colon == std::string::npos)
		refuse(where, "FILE:NAME is wanted");
	library_ = load_copy(where.substr(0, colon));
	void *program = dlsym(library_, where.substr(colon + 1).c_str());

	if (!program)
		refuse(where, "the library has no such function");
	return reinterpret_cast<Program>(program);
}

/* Its mark tells. It has a run, and what it remembers of that goes with the copy. */
bool Policy::reads_cost(const std::string &where)
{
	lw_policy io = {}, *pointer = &io;

	load(where)(&pointer);
	dlclose(library_);
	return io.mark[2 * LW_POLICY_VERSION - 1];
}
