"""Ways in which people write multipath.conf: by name, the file, or files of /etc by their names."""

OURS = b'path_selector "latency-weighted 0"'
SERVICE = b'path_selector "service-time 0"'
DEVICE = b'\tdevice {\n\t\tvendor "V"\n\t\tproduct "P"\n\t\t' + OURS + b"\n\t}\n"
MULTIPATH = b'\tmultipath {\n\t\twwid "3600a"\n\t\t' + OURS + b"\n\t}\n"
MAIN = "multipath.conf"


def section(name, *settings):
    return name + b" {\n" + b"".join(b"\t" + setting + b"\n" for setting in settings) + b"}\n"


def devices(*settings):
    """A device with a vendor and these."""
    return section(b"devices", b"device {", b'vendor "V"', *settings, b"}")


def multipaths(*settings):
    return section(b"multipaths", b"multipath {", *settings, b"}")


STYLES = {
    "empty": b"",
    "plain": section(b"defaults", OURS, b"prio alua", b'features "1 queue_if_no_path"'),
    "devices": b"devices {\n" + DEVICE + b"}\n",
    "multipaths": b"multipaths {\n" + MULTIPATH + b"}\n",
    "overrides": section(b"overrides", OURS, b"prio alua"),
    # braces
    "brace-below-defaults": b"defaults\n{\n\t" + OURS + b"\n}\n" + section(b"overrides", SERVICE),
    "brace-below-overrides": b"overrides\n{\n\t" + OURS + b"\n}\n" + section(b"defaults", SERVICE),
    "brace-below-devices": b"devices\n{\n" + DEVICE.replace(b"device {", b"device\n\t{") + b"}\n",
    "brace-below-device": b"devices {\n" + DEVICE.replace(b"device {", b"device\n\t{") + b"}\n" + section(b"defaults", OURS),
    "brace-below-multipaths": b"multipaths\n{\n" + MULTIPATH.replace(b"multipath {", b"multipath\n{") + b"}\n",
    "brace-without-blank": section(b"defaults", SERVICE).replace(b" {", b"{"),
    "no-brace": b"defaults\n\t" + OURS + b"\n}\ndevices {\n" + DEVICE + b"}\n",
    "word-for-brace": b"defaults foo\n\t" + OURS + b"\n}\noverrides foo\n\tprio alua\n}\n",
    "two-braces": b"defaults { {\n\t" + OURS + b"\n}\n}\n" + section(b"overrides", SERVICE),
    "one-line": b"devices { device {\n\tvendor V\n\tproduct P\n\t" + OURS + b"\n} }\n" + section(b"defaults", OURS),
    "one-line-defaults": b"defaults { " + OURS + b" }\n" + section(b"overrides", SERVICE),
    "one-line-device": b"devices {\n\tdevice { vendor V product P " + OURS + b" }\n\t}\n}\n" + section(b"defaults", OURS),
    "one-line-blacklist": b'blacklist {\n\tdevice { vendor ".*" product ".*" }\n}\nblacklist_exceptions {\n'
                          b'\tdevice { vendor "V" }\n}\ndevices {\n' + DEVICE + b"}\n",
    "close-on-line": b"defaults {\n\t" + OURS + b" }\n" + section(b"overrides", SERVICE),
    "close-before-setting": b"defaults {\n\tprio alua\n} " + OURS + b"\n" + section(b"overrides", SERVICE),
    "close-missing": b"defaults {\n\t" + OURS + b"\n",
    "close-missing-inside": b"devices {\n\tdevice {\n\t\tvendor V\n\t\tproduct P\n\t" + OURS + b"\n}\n"
                            + section(b"overrides", SERVICE),
    "closed-too-often": section(b"blacklist", b"devnode x") + b"}\n}\n" + section(b"defaults", OURS),
    "text-behind-close": section(b"defaults", SERVICE).replace(b"}", b"} defaults") + section(b"overrides", OURS),
    "open-on-its-own": b"{\n" + section(b"defaults", OURS) + b"}\n",
    # blocks
    "no-product": devices(OURS),
    "no-vendor": section(b"devices", b"device {", b"product P", OURS, b"}"),
    "no-wwid": multipaths(b"alias x", OURS),
    "empty-product": devices(b'product ""', OURS),
    "product-after-selector": devices(OURS, b"product P"),
    "revision": devices(b"product P", b"revision 12", OURS) + devices(b"product P", SERVICE),
    "device-in-device": b"devices {\n\tdevice {\n" + DEVICE + b"\t\tvendor A\n\t}\n}\n" + section(b"defaults", OURS),
    "device-outside": DEVICE + section(b"defaults", SERVICE),
    "multipath-in-devices": b"devices {\n" + MULTIPATH + b"}\n" + section(b"defaults", OURS),
    "blacklist-device": section(b"blacklist", b"device {", b"vendor V", b"product P", OURS, b"}", OURS),
    "settings-between": section(b"devices", OURS, b"device {", b"vendor V", b"product P", b"}", SERVICE),
    "unknown-section": section(b"default", OURS) + section(b"overrides", SERVICE),
    "capitals": section(b"Defaults", OURS) + section(b"defaults", OURS.upper()),
    "no-section": OURS + b"\n",
    "protocol": section(b"overrides", b"protocol {", b'type "scsi:fcp"', b"dev_loss_tmo 60", b"}", OURS),
    # settings
    "no-value": section(b"defaults", b"path_selector", b"prio"),
    "two-on-a-line": section(b"defaults", b"prio alua " + OURS, OURS + b" prio alua"),
    "without-quotes": section(b"defaults", b"path_selector latency-weighted 0"),
    "equals-sign": section(b"defaults", b'path_selector = "latency-weighted 0"', b'prio="alua"'),
    "semicolon": section(b"defaults", OURS + b";", b"prio alua;"),
    "no-count": section(b"defaults", OURS, b'path_selector "round-robin"', b'features "queue_if_no_path"'),
    "wrong-count": section(b"overrides", SERVICE, b'path_selector "latency-weighted 1"', b'features "2 queue_if_no_path"'),
    "twice-in-a-section": section(b"defaults", OURS, SERVICE),
    "sections-twice": section(b"defaults", OURS) + section(b"overrides", OURS) + section(b"defaults", SERVICE),
    "device-twice": devices(b"product P", OURS) + devices(b"product P", b"prio alua"),
    "multipath-twice": multipaths(b"wwid 1", OURS) + multipaths(b"wwid 1", SERVICE, b"prio alua"),
    # quotes and comments
    "open-quote": section(b"defaults", OURS[:-1]),
    "open-quote-and-comment": section(b"defaults", OURS[:-1] + b"  # as the vendor says"),
    "single-quotes": section(b"defaults", b"path_selector 'latency-weighted 0'"),
    "quoted-name": section(b"defaults", b'"path_selector" "latency-weighted 0"', b'"prio" alua'),
    "quoted-section": section(b'"defaults"', OURS),
    "quoted-brace": section(b"defaults", OURS).replace(b"{", b'"{"') + section(b"overrides", SERVICE),
    "doubled-quotes": devices(b'product "a ""b"" c"', OURS),
    "quote-in-word": section(b"defaults", b'path_selector"latency-weighted 0"'),
    "empty-value": section(b"defaults", b'path_selector ""', b'prio ""'),
    "blanks-inside": section(b"defaults", b'path_selector " latency-weighted  0 "'),
    "comments": section(b"defaults", b"# " + SERVICE, OURS + b"# {", b"! " + SERVICE, b"prio alua!x"),
    "comment-for-brace": b"defaults # {\n{\n\t" + OURS + b"\n}\n" + section(b"overrides", SERVICE),
    "quoted-hash": devices(b'product "P#1!"', OURS),
    # bytes
    "bom": b"\xef\xbb\xbf" + section(b"defaults", OURS),
    "bom-and-comment": b"\xef\xbb\xbf# of an editor\n" + section(b"defaults", OURS),
    "curly-quotes": section(b"defaults", "path_selector “latency-weighted 0”".encode()),
    "curly-quotes-windows": section(b"defaults", b"path_selector \x93latency-weighted 0\x94"),
    "no-break-spaces": section(b"defaults", OURS.replace(b" ", "\u00a0".encode(), 1)).replace(b"\t", "\u00a0\u00a0".encode()),
    "no-break-space-inside": section(b"defaults", b'path_selector "service-time\xc2\xa00"'),
    "letters-outside": section(b"defaults", "path_selector sérvice-time".encode(), b"prio al\xe9ua"),
    "letters-inside": devices('product "Größe"'.encode(), OURS),
    "latin-1-inside": devices(b'product "Gr\xf6\xdfe"', OURS),
    "crlf": section(b"defaults", OURS).replace(b"\n", b"\r\n"),
    "latin-1-before": section(b"defaults", b"\xa0" + OURS),
    "cr-only": section(b"defaults", OURS).replace(b"\n", b"\r"),
    "form-feed": section(b"defaults", OURS).replace(b"\t", b"\f\v"),
    "nul": section(b"defaults", OURS.replace(b" 0", b" 0\"\0")),
    "no-newline": section(b"defaults", OURS)[:-1],
    "long-line": section(b"defaults", SERVICE, b"x" * 1022 + OURS),
    "long-comment": section(b"defaults", b"# " + b"x" * 2000, OURS),
    # files
    "drop-in": {MAIN: section(b"defaults", SERVICE), "multipath/conf.d/a.conf": section(b"defaults", OURS)},
    "drop-ins-in-order": {"multipath/conf.d/b.conf": section(b"defaults", SERVICE), "multipath/conf.d/B.conf": section(b"defaults", OURS),
                          "multipath/conf.d/z.conf~": section(b"overrides", OURS)},
    "open-section-of-another-file": {MAIN: b"overrides {\n\t" + OURS + b"\n", "multipath/conf.d/a.conf": SERVICE + b"\n}\n"},
    "device-in-two-files": {MAIN: b"devices {\n" + DEVICE + b"}\n", "multipath/conf.d/a.conf": devices(b"prio alua"),
                            "multipath/conf.d/b.conf": devices(b"product P", b"prio alua")},
}
