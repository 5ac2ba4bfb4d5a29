"""The packages' own test, debian/tests, as Debian runs it: by autopkgtest, in a guest in which dpkg installed them."""
from tests.build.made import MODULE
from tests.vm import extra_packages, guest

# The guest is the machine of its own that the test asks for, and may break; "null" is autopkgtest's word for "right here".
RUN = """
export ADTTMP=/tmp
exec autopkgtest --no-built-binaries --ignore-restrictions=isolation-machine,breaks-testbed \
    --output-dir=/lw/out/autopkgtest /lw/src/ -- null
"""


def test_packages_pass_it(workshop, packages):
    debs = " ".join(f"/lw/src/build/packages/{name}" for name in packages if name.endswith(".deb"))
    status, output = workshop.run(f"dpkg --install {debs} 2>&1")
    assert status == 0, output
    assert workshop.installed_at().startswith(f"/lib/modules/{workshop.release}/updates/dkms/")
    extra = extra_packages.image(workshop.kernel.suite, ["autopkgtest"])
    result = guest.boot(workshop.kernel, RUN, layer=workshop.upper, extra=extra, label="autopkgtest")
    told = (result.run_dir / "output.log").read_text(errors="replace")
    assert result.passed, f"{result.explain()}\n{told}"
    summary = (result.out / "autopkgtest/summary").read_text()
    assert summary.split() == ["load-table", "PASS"], f"{summary}\n{told}"
    assert f"loaded: version {workshop.version()} for {workshop.release}\n" in told, MODULE
