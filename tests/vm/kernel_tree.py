"""Which tree a kernel's guests have as their root, and where modules for it are compiled."""
from . import arm64_tree, compiled_kernel, directory_kernel, image
from .image import Tree
from .kernels import Kernel


def tree_of(kernel: Kernel) -> Tree:
    """The root of its guests: the suite's tree, or layers over it; made first if need be."""
    if kernel.is_cross:
        return arm64_tree.tree_of(kernel)
    if kernel.config:
        return compiled_kernel.tree_of(kernel)
    if kernel.directory:
        return directory_kernel.tree_of(kernel)
    return image.tree(kernel.suite)


def workshop_of(kernel: Kernel) -> Tree:
    """In a chroot of this, modules for it are compiled, natively, and found by depmod."""
    return arm64_tree.workshop_of(kernel) if kernel.is_cross else tree_of(kernel)
