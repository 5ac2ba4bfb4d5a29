"""What is taken out of the kernel's source package."""
from . import kernel_source


def test_driver_brings_the_private_headers_it_includes(tmp_path):
    available, made = tmp_path / "available", tmp_path / "made"
    available.mkdir()
    made.mkdir()
    for name, text in {"driver.c": '#include <linux/slab.h>\n#include "a.h"\n',
                       "a.h": '#include "b.h"\n', "b.h": '#include "a.h"\n', "c.h": ""}.items():
        (available / name).write_text(text)
    kernel_source.gather(available / "driver.c", made)
    assert sorted(path.name for path in made.iterdir()) == ["a.h", "b.h", "driver.c"]
