"""What the tests in a guest share: commands, disks, maps and fio.

Everything here runs as root in a disposable guest with udev, dmsetup and fio.
"""
