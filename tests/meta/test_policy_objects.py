"""Policies are compiled once, however many guests begin at the same time."""
from tests.vm import policy_objects


def test_the_second_of_two_guests_leaves_what_the_first_one_reads(tmp_path, monkeypatch):
    """Both found nothing; the first one is done while the second one compiles. A former directory goes."""
    monkeypatch.setattr(policy_objects, "CHECKOUT", tmp_path)
    former = tmp_path / "build/policies/0123456789ab"
    former.mkdir(parents=True)

    def fill(building, first):
        (building / "rule.o").write_text("first" if first else "second")
        if not first:
            monkeypatch.setattr(policy_objects, "fill", lambda other: fill(other, True))
            policy_objects.directory()

    monkeypatch.setattr(policy_objects, "fill", lambda building: fill(building, False))
    made = policy_objects.directory()
    assert (made / "rule.o").read_text() == "first"
    assert list(made.parent.iterdir()) == [made] and not former.exists()
