"""The cache, which several checkouts may fill at once."""
import os

import pytest

from tests.vm import module_layer
from tests.vm.boot_files import cached


def test_who_is_second_takes_what_is_there(tmp_path):
    """Also a directory, which nothing can be renamed to once there is something in it."""
    def made(by):
        def fill(place):
            place.mkdir()
            (place / "maker").write_text(by)
        return fill

    def slower(place):
        cached(tmp_path / "there" / "debs", made("the first"))
        made("the second")(place)

    assert (cached(tmp_path / "there" / "debs", slower) / "maker").read_text() == "the first"
    assert [path.name for path in (tmp_path / "there").iterdir()] == ["debs"]


@pytest.mark.parametrize("place", ["accel-1", "sid-arm64-1", "sid-1/boot/vmlinux", "sid-1/extra/1.debs"])
def test_what_a_killed_session_left_goes_after_a_week(tmp_path, monkeypatch, place):
    """Also of what was being made, wherever it would have gone."""
    monkeypatch.setattr(module_layer, "cache_dir", lambda: tmp_path)
    (tmp_path / place).parent.parent.mkdir(exist_ok=True)

    def killed(made):
        left.append(made.parent.with_name(made.parent.name + "-left"))
        left[0].mkdir()
        made.mkdir()

    left = []
    cached(tmp_path / place, killed)
    module_layer.drop_old()
    assert left[0].exists()
    os.utime(left[0], (0, 0))
    module_layer.drop_old()
    assert not left[0].exists() and (tmp_path / place).exists()


def test_copy_of_a_layer_goes_after_a_week(tmp_path, monkeypatch):
    """The one in which a command ran, of a session that was killed."""
    monkeypatch.setattr(module_layer, "cache_dir", lambda: tmp_path)
    monkeypatch.setattr(module_layer, "workshop_of", lambda kernel: None)

    def argv(_workshop, upper, _command):
        upper.with_name("work").mkdir()
        left.append(upper.parent.with_name(upper.parent.name + "-left"))
        return ["true"]

    left = []
    monkeypatch.setattr(module_layer.layers, "chroot_argv", argv)
    assert module_layer.run_in_layer(None, "true", None) == 0
    left[0].mkdir()
    os.utime(left[0], (0, 0))
    module_layer.drop_old()
    assert not left[0].exists()
