// SPDX-License-Identifier: GPL-2.0
/*
 * Stands in for libbpf: what becomes of an object is a word in its content. OLD: as 0.3 has it, of
 * which functions have other names and errors are addresses.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int (*printer)(int level, const char *form, va_list args);
static char content[1 << 20];

static void say(const char *form, ...)
{
	va_list args;

	va_start(args, form);
	printer(0, form, args);
	va_end(args);
}

static int has(const char *word)
{
	return memmem(content, sizeof(content), word, strlen(word)) != NULL;
}

void *libbpf_set_print(void *fn)
{
	printer = fn;
	return NULL;
}

void *bpf_object__open(const char *path)
{
	FILE *file = fopen(path, "rb");

	memset(content, 0, sizeof(content));
	if (!file || !fread(content, 1, sizeof(content), file))
		abort();
	fclose(file);
	if (!has("unreadable"))
		return content;
	say("libbpf: elf: %s is not a valid eBPF object file\n", strrchr(path, '/') + 1);
	errno = EINVAL;
#ifdef OLD
	return (void *)(intptr_t)-EINVAL;
#else
	return NULL;
#endif
}

#ifdef OLD
void *bpf_program__next(void *program, void *object)
#else
void *bpf_object__next_program(void *object, void *program)
#endif
{
	return program || object != content ? NULL : content + 1;
}

int bpf_program__set_type(void *program, int type)
{
	if (program != content + 1 || type != 24)
		abort();
	return 0;
}

int bpf_object__load(void *object)
{
	if (has("forbidden"))
		return -EPERM;
	if (!has("refused"))
		return 0;
	say("libbpf: prog '%s': BPF program load failed: %s\n", "p", "Permission denied");
	say("libbpf: -- BEGIN PROG LOAD LOG --\n%s\n%d: (61) r1 = *(u32 *)(r2 + 4096)\n%s\n"
	    "processed 7 insns (limit 1000000)\n-- END PROG LOAD LOG --\n", "0: (bf) r6 = r1", 7, "invalid access");
	return -EACCES;
}

int bpf_program__pin(void *program, const char *path)
{
	FILE *file = program == content + 1 ? fopen(path, "wx") : NULL;

	if (!file)
		return -errno;
	fclose(file);
	return 0;
}

void bpf_object__close(void *object)
{
	if (object != content)
		abort();
}
