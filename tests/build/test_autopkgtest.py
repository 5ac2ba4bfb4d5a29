"""The packages' own test, debian/tests, as Debian runs it: by autopkgtest, in a guest in which dpkg installed them."""
# promise lifecycle/autopkgtest: The installed packages work, by the test that Debian would run (`debian/tests`) |
#   by: autopkgtest in a guest | check: 7.2 | full: `builds`: all five

import shlex
import shutil

from tests.vm import extra_packages, guest

# The guest is the machine of its own that the test asks for, and may break; "null" is autopkgtest's word for "right here".
# It opens its stderr anew, which a guest's port does not allow, hence the pipe; and it copies the source, of which the
# test needs debian/ only.
RUN = """
set -o pipefail
mkdir /tmp/source
cp -r /lw/src/debian /tmp/source
autopkgtest --no-built-binaries --ignore-restrictions=isolation-machine,breaks-testbed \
    --output-dir=/lw/out/autopkgtest /tmp/source/ -- null 2>&1 | cat
"""


def test_packages_pass_it(workshop, packages):
    shutil.copytree(extra_packages.debs(workshop.kernel.suite, ["autopkgtest"]), workshop.upper / "root/debs")
    ours = " ".join(f"/lw/src/build/packages/{name}" for name in packages if name.endswith(".deb"))
    status, output = workshop.run(f"dpkg --install /root/debs/*.deb {ours} 2>&1 && rm -r /root/debs")
    assert status == 0, output
    assert workshop.installed_at().startswith(f"/lib/modules/{workshop.release}/updates/dkms/")
    result = guest.boot(workshop.kernel, shlex.join(["bash", "-c", RUN]), layer=workshop.upper, label="autopkgtest")
    told = (result.run_dir / "output.log").read_text(errors="replace")
    assert result.passed, f"{result.explain()}\n{told}"
    summary = (result.out / "autopkgtest/summary").read_text()
    assert summary.split() == ["load-table", "PASS"], f"{summary}\n{told}"
    assert f"loaded: version {workshop.version()} for {workshop.release}\n" in told, told
