"""What several folders of tests import; most of it runs as root in a disposable guest with udev, dmsetup and fio."""
