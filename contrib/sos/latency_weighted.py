# SPDX-License-Identifier: GPL-2.0
"""A plugin for sos 4: what support needs to know about maps of the path selector latency-weighted.

It takes what "dm-lw report --bundle" packs, in the directories of sos, so that "sos clean" can mask it.
"""
import os

from sos.report.plugins import DebianPlugin, IndependentPlugin, Plugin


# Sos 4.0, as Debian 12 has it, takes no plugin on Debian that is only independent.
class LatencyWeighted(Plugin, IndependentPlugin, DebianPlugin):

    short_desc = "path selector latency-weighted of dm-multipath"

    plugin_name = "latency_weighted"
    profiles = ("storage",)
    packages = ("dm-latency-weighted-tools",)
    commands = ("dm-lw",)
    kernel_mods = ("dm_latency_weighted",)

    def setup(self):
        # These read and change nothing: "dm-lw latency" would turn histograms on.
        self.add_cmd_output([
            "dm-lw --version",
            "dm-lw doctor",
            "dm-lw show",
            "dm-lw stat --all --json",
            "dm-lw topology --json",
            "dm-lw events",
            "modinfo dm-latency-weighted",
            "dkms status",
            # Names and sizes: a recording may have 64 MiB. A service's directory is a link.
            "ls -lH /var/log/dm-latency-weighted",
        ])
        # dmsetup would load device-mapper.
        if os.path.exists("/sys/class/misc/device-mapper"):
            self.add_cmd_output([
                "dmsetup table --target multipath",
                "dmsetup status --target multipath",
            ])
        self.add_cmd_output("journalctl --dmesg --boot --quiet --no-pager"
                            " --grep='device-mapper|dm[-_]latency|dm_multipath'", suggest_filename="kernel_log")
        # Each file counts as a page of 4 KiB, so that a limit would leave maps out.
        self.add_copy_spec([
            "/sys/kernel/dm-latency-weighted",
            "/sys/kernel/debug/dm-latency-weighted",
            "/sys/module/dm_latency_weighted/parameters",
            "/sys/module/dm_latency_weighted/version",
            "/sys/module/dm_latency_weighted/srcversion",
            "/sys/block/dm-*/dm/name",
            "/sys/block/dm-*/dm/uuid",
            "/sys/dev/block/*/stat",
        ], sizelimit=0)
        # What "dm-lw set --persist" keeps.
        self.add_copy_spec("/etc/dm-latency-weighted")
