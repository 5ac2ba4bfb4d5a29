"""The version of the project, as in dkms.conf, which is not installed with the tool."""
VERSION = "1.0.0~rc1"
