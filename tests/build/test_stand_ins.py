"""Kernels with other interfaces than those of Debian, in place of which stands a tree of Debian whose checksum, own
selector, symbols and headers are replaced: each is taken or refused as the tables of docs/kernels.md say."""
# promise lifecycle/kernels-page: Each declaration of the interface and each kernel in `docs/kernels.md` is taken or
#   refused as that page says; Debian's kernel is as that page says | check: 5.10 | full: `builds`: all five

import re

import pytest

from kernels_page import FIELDS, FUNCTIONS, INTERFACES, KERNELS, Facts, version_of

STAND_INS = "/lw/src/tests/build/stand_ins"
# What sees a difference between kernels; the rest of the module is compiled for real ones.
OBJECTS = "src/main.o src/io.o src/admin/map.o src/admin/measure.o src/compat/probed.o"
SUPPORTED = "supported are Linux 5.10 and later, RHEL 8.6 and later: docs/kernels.md"
PROOFS = {"checksum": 2, "layout": 3}   # columns
# The kernel's own headers; what stands in for one has it beside it, kept.
HEADERS = "/usr/src/linux-headers-*/include/linux"
NOFAULT = "long copy_from_kernel_nofault(void \\*dst, const void \\*src, size_t size);"
OLD_NAME = "long probe_kernel_read(void *dst, const void *src, size_t size);"
MACRO = "#define copy_from_kernel_nofault(a, b, c) probe_kernel_read(a, b, c)"
COMPLETE = Facts("6.3", "yes", "yes", "yes", "taken")


def number(interface):
    """As the stand-ins take it: 508 for 5.8."""
    major, minor = version_of(interface)
    return major * 100 + minor


def exported(facts):
    """Of the functions that are probed for, those that such a kernel exports."""
    symbols = ["copy_from_kernel_nofault" if facts.nofault == "yes" else "probe_kernel_read"]
    return symbols + [f"blk_stat_{what}_accounting" for what in ("enable", "disable") if getattr(facts, what) == "yes"]


def headers(facts):
    """Shell commands that make the headers as such a kernel has them."""
    script = f"for header in {HEADERS}/*.kept; do cp $header ${{header%.kept}}; done\n"
    if facts.minmax == "no":
        script += f"rm {HEADERS}/minmax.h\n"
    if facts.nofault != "yes":
        macro = rf"\n{MACRO}" if facts.nofault.startswith("macro") else ""
        script += f"sed -i 's/^{NOFAULT}$/{OLD_NAME}{macro}/' {HEADERS}/uaccess.h\n"
        script += f"grep -q '^long probe_kernel_read(' {HEADERS}/uaccess.h\n"
    return script


class StandIn:
    """A kernel that has an interface, and a proof of it, in the workshop."""

    def __init__(self, workshop, interface, proof):
        self.workshop = workshop
        self.modules = f"/lib/modules/{workshop.release}"
        self.selector = f"{self.modules}/kernel/drivers/md/dm-service-time.ko"
        self.made = f"/root/stand-in-{interface}"
        status, output = workshop.run(f"""
            set -e
            [ -e /root/symvers ] || {{
                cp -L {self.modules}/build/Module.symvers /root/symvers
                for header in {HEADERS}/uaccess.h {HEADERS}/minmax.h; do cp $header $header.kept; done
            }}
            [ ! -e {self.made} ] || exit 0
            {headers(COMPLETE)}
            cp -r {STAND_INS} {self.made}
            make -C {self.modules}/build M={self.made} LW_INTERFACE={number(interface)} modules 2>&1""")
        assert status == 0, output
        self.checksum = f"$(awk '$2 == \"dm_register_path_selector\" {{ print $1 }}' {self.made}/Module.symvers)"
        if proof == "layout":
            self.checksum = "0x00000000"

    def make(self, facts=COMPLETE, prepare=""):
        """Compile what depends on the kernel, which has what the facts say, after other changes."""
        return self.workshop.make(prepare=f"""
            built={self.modules}/build
            rm $built/Module.symvers
            awk -F '\\t' -v OFS='\\t' -v checksum={self.checksum} -v symbols='{" ".join(exported(facts))}' '
                $2 == "dm_register_path_selector" {{ $1 = checksum }}
                $2 !~ /^(copy_from_kernel_nofault|probe_kernel_read|blk_stat_.*)$/
                END {{
                    for (n = split(symbols, name, " "); n; n--)
                        print "0x00000001", name[n], "vmlinux", "EXPORT_SYMBOL_GPL", ""
                }}' /root/symvers >$built/Module.symvers
            mkdir -p {self.modules}/kernel/drivers/md
            rm -f {self.selector}*
            cp {self.made}/dm-service-time.ko {self.selector}
            {headers(facts)}
            {prepare}""", arguments=f"-C $built M=/root/module {OBJECTS}")


@pytest.fixture(params=PROOFS)
def proof(request, workshop):
    if request.param == "checksum" and workshop.run(
            f"grep -q '^CONFIG_MODVERSIONS=y' /lib/modules/{workshop.release}/build/.config")[0]:
        pytest.skip("this kernel has no modversions, so its headers give stand-ins no checksum")
    return request.param


def compiled_as(workshop):
    """What the compiled module says of itself, and how it turned out: table of callbacks, functions that it calls."""
    status, output = workshop.run("""
        set -e
        cd /root/module/src
        objcopy -O binary --only-section=.modinfo compat/probed.o /root/modinfo
        tr '\\0' '\\n' </root/modinfo
        readelf -sW main.o | awk '/ lw_ps$/ { print "table", $3 }'
        readelf -sW admin/map.o admin/measure.o | awk '/ UND (blk_stat|copy_from_kernel|probe_kernel)/ { print "calls", $8 }'""")
    assert status == 0, output
    return output


@pytest.mark.parametrize("interface", INTERFACES)
def test_interface_is_taken_or_refused(workshop, interface, proof):
    kernel = StandIn(workshop, interface, proof)
    verdict = INTERFACES[interface][PROOFS[proof]]
    status, output = kernel.make()
    if verdict == "refused":
        assert status and f"path_selector_type of {workshop.release} is not one that we know" in output, output
        assert SUPPORTED in output, output
        return
    assert status == 0 and not workshop.complaints(output), output
    found = compiled_as(workshop)
    wanted = "genksyms:0x[0-9a-f]{8}" if proof == "checksum" else r"dm-service-time\.ko"
    assert re.search(rf"^probed=interface:{verdict},proof:{wanted},", found, re.M), found
    assert f"table {104 if number(verdict) >= 519 else 96}\n" in found


def missing_in(facts):
    """What a kernel is refused for, in the order of the page's table."""
    return [name for name, row in FUNCTIONS.items() if row[-1] == "refused" and getattr(facts, FIELDS[name]) == "no"]


@pytest.mark.parametrize("facts", sorted({row.facts for row in KERNELS}), ids=lambda facts: " ".join([*facts[:4], facts.verdict]))
def test_kernel_is_taken_or_refused(workshop, facts):
    """If refused by one line, and before anything is compiled."""
    assert (facts.verdict == "refused") == bool(missing_in(facts))
    kernel = StandIn(workshop, facts.interface, "layout")
    status, output = kernel.make(facts)
    if facts.verdict == "refused":
        assert status and f"{workshop.release} lacks {missing_in(facts)[0]}; {SUPPORTED}" in output, output
        assert "CC [M]" not in output
        return
    assert status == 0 and not workshop.complaints(output), output
    found = compiled_as(workshop)
    assert f",blk_stat_disable_accounting:{facts.disable},bpf:" in found
    assert set(re.findall(r"^calls (\w+)$", found, re.M)) == set(exported(facts))


@pytest.mark.parametrize("missing", [name for name, row in FUNCTIONS.items() if row[-1] == "refused"])
def test_kernel_that_lacks_something_is_refused(workshop, missing):
    facts = COMPLETE._replace(**{FIELDS[missing]: "no"})
    status, output = StandIn(workshop, facts.interface, "layout").make(facts)
    assert status and f"{workshop.release} lacks {missing}; {SUPPORTED}" in output, output


def test_headers_that_do_not_compile_are_no_kernel_that_lacks_something(workshop):
    status, output = StandIn(workshop, "6.3", "layout").make(
        prepare=f"sed -i '$a #error no kernel' {HEADERS}/kconfig.h")
    _, restored = workshop.run(f"sed -i '/#error no kernel/d' {HEADERS}/kconfig.h")
    assert not restored
    assert status and f"nothing compiles against the headers of {workshop.release}: " in output, output
    assert "#error no kernel" in output and "lacks" not in output, output


def test_debians_kernel_is_as_its_row_says(workshop):
    StandIn(workshop, "6.3", "layout")
    (row,) = [row for row in KERNELS if row.distribution == "Linux" and row.has(version_of(re.match(r"\d+\.\d+", workshop.release)[0]))]
    status, output = workshop.run(f"""
        cut -f 2 /root/symvers | grep -xE '(copy_from_kernel_nofault|probe_kernel_read|blk_stat_(en|dis)able_accounting)'
        ls {HEADERS}/minmax.h.kept | head -n 1
        grep -h '^{NOFAULT}$' {HEADERS}/uaccess.h.kept | sort -u""")
    assert status == 0
    *symbols, minmax, declared = output.splitlines()
    assert set(symbols) == set(exported(row.facts))
    assert minmax.endswith("/minmax.h.kept") and declared.startswith("long copy_from_kernel_nofault(")
    assert row.facts == COMPLETE._replace(interface=row.facts.interface, disable=row.facts.disable)


@pytest.mark.parametrize("program, suffix", [("xz", ".xz"), ("zstd", ".zst")])
def test_program_that_is_missing_is_named(workshop, program, suffix):
    """The kernel's selector is there, but packed."""
    kernel = StandIn(workshop, "6.3", "layout")
    status, output = kernel.make(prepare=f"""
        mv {kernel.selector} {kernel.selector}{suffix}
        for program in $(command -v {program}); do
            mv $program /root/program
            trap "mv /root/program $program" EXIT
        done""")
    assert status, output
    assert f"{kernel.selector}{suffix}, which takes {program} to unpack: install {program}" in output, output
