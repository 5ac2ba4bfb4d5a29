"""The version of the project, as in dkms.conf, which is not installed with the tool."""
VERSION = "0.1.0"
