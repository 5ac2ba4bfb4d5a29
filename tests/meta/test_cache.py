"""The cache, which several checkouts may fill at once."""
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
