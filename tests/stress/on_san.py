"""What happens between the iSCSI target and us: sessions, devices, the network."""
import contextlib
import os

from tests.lib import iscsi
from tests.lib.command import wait_until, write_text
from tests.lib.network import losing

from .on_maps import held, one_of
from .sequence import FAULT, action


class San:
    """The sessions of a map, by the target's addresses; one at a time is broken."""

    def __init__(self, mapped, addresses):
        self.mapped = mapped
        self.address = dict(zip(mapped.places, addresses))

    @contextlib.contextmanager
    def gone(self, place):
        """No new table has the device within; afterwards one has the device that came."""
        with self.mapped.lock:
            device, place.device = place.device, None
        yield device
        found = iscsi.disk_at(self.address[place])
        with self.mapped.lock:
            place.device = found
            self.mapped.refresh()


@action(FAULT, weight=2)
def drop_session(san, chance):
    place = one_of(san.mapped.places, chance)
    with san.gone(place):
        iscsi.logout(san.address[place])
        seconds = held(chance, 3)
        iscsi.login_again(san.address[place])
    return "%s, for %.1f s" % (place, seconds)


@action(FAULT, weight=2)
def delete_device(san, chance):
    """As an administrator or a driver takes a disk away; a scan brings it back."""
    place = one_of(san.mapped.places, chance)
    with san.gone(place) as device:
        write_text(device.sysfs + "/device/delete", 1)
        wait_until(lambda: not os.path.exists(device.sysfs), "%s is gone" % device, timeout=60)
        seconds = held(chance, 2)
        iscsi.scan(san.address[place])
    return "%s (%s), for %.1f s" % (place, device, seconds)


@action(FAULT, weight=3)
def lose_packets(san, chance):
    """The link hangs: nothing comes through, nobody is told."""
    place = one_of(san.mapped.places, chance)
    with losing([san.address[place]]):
        return "%s, for %.1f s" % (place, held(chance, 4))
