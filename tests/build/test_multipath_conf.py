"""dm-lw reads multipath.conf as each distribution's multipath does, whatever people write: multipath -t prints what it has read."""
# promise output/multipath-conf: `dm-lw` reads multipath.conf of any style as multipath does | by: `multipath -t` of
#   0.8.5, 0.9.4, 0.11.1 and 0.15.1 | full: `builds`

import shutil
import sys

import pytest

from tests.build.multipath_styles import MAIN, STYLES
from tests.vm.places import CHECKOUT

sys.path.insert(0, str(CHECKOUT / "tools"))

from dm_lw import multipath_conf  # noqa: E402 (found by the line before)
from dm_lw.host import Host, version_numbers  # noqa: E402

READ = """
multipath -h 2>&1 | sed -n 's/^multipath-tools v/version: /p'
cd /root/styles
for style in *; do
    rm -rf /etc/multipath.conf /etc/multipath
    cp -r "$style"/etc /
    timeout 10 multipath -t >"$style/read" 2>/dev/null || echo "failed: $style"
    ! /lw/src/tools/still-used 2>/dev/null || touch "$style/used"
done
"""
NAMES = ("path_selector", "prio", "features")
# What earlier versions read otherwise, and dm-lw asks multipathd for.
COUNTS_COUNT, HAS_PROTOCOLS = (0, 9, 4), (0, 9)


def write(root, files):
    for name, content in (files if isinstance(files, dict) else {MAIN: files}).items():
        file = root / "etc" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


@pytest.fixture(scope="module")
def answers(workshop):
    """(version, {style: its directory, in which "read" is what multipath read})."""
    root = workshop.upper / "root" / "styles"
    for style, files in STYLES.items():
        write(root / style, files)
        (root / style / "etc").mkdir(exist_ok=True)
    status, output = workshop.run(READ)
    assert status == 0 and "failed: " not in output, output
    yield version_numbers(output.partition("version: ")[2]), root
    shutil.rmtree(root)


@pytest.mark.parametrize("style", STYLES)
def test_module_in_use_is_not_removed(answers, style):
    """What packages ask before they take the module away, in whatever locale."""
    _, root = answers
    selects_us = 'path_selector "latency-weighted' in (root / style / "read").read_text(errors="replace")
    assert (root / style / "used").exists() or not selects_us


def values(settings):
    return {place: {name: block[name].value for name in NAMES if name in block}
            for place, block in multipath_conf.blocks_of(settings).items()}


def read_by_multipath(directory):
    return values(multipath_conf.parse(directory.joinpath("read").read_text(errors="surrogateescape"), "multipath -t"))


@pytest.mark.parametrize("style", STYLES)
def test_read_alike(answers, style, monkeypatch):
    version, root = answers
    if style == "protocol" and version < HAS_PROTOCOLS:
        pytest.skip("multipath-tools %d.%d.%d know no such block" % version)
    if version < COUNTS_COUNT:
        monkeypatch.setattr(multipath_conf, "COUNT_AT", {})
    theirs, usual = read_by_multipath(root / style), read_by_multipath(root / "empty")
    expected = {place: values for place, values in theirs.items() if usual.get(place) != values}
    settings = multipath_conf.all_settings(Host(root / style))
    ours = {place: {**usual.get(place, {}), **values} for place, values in values(settings).items()}
    assert {place: values for place, values in ours.items() if usual.get(place) != values} == expected
