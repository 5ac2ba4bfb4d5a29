"""What a kernel of ours is compiled with."""
from . import compiled_kernel


def test_options_that_are_not_granted_are_named():
    wanted = "# so that\nCONFIG_A=y\nCONFIG_B=m\nCONFIG_C=n\nCONFIG_D=n\nCONFIG_E=17\n"
    granted = "CONFIG_A=y\nCONFIG_B=m\n# CONFIG_C is not set\nCONFIG_E=17\n"
    assert compiled_kernel.not_granted(wanted, granted) == []
    granted = "# CONFIG_A is not set\nCONFIG_B=y\nCONFIG_C=y\nCONFIG_E=1\n"
    assert compiled_kernel.not_granted(wanted, granted) == ["CONFIG_A=y", "CONFIG_B=m", "CONFIG_C=n",
                                                            "CONFIG_E=17"]
