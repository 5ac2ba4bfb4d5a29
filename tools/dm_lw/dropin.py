"""The file in multipath's conf.d: written, taken back, and the file before it.

If several files have the same setting, multipath takes the last one, so the name comes after
the names of vendors' files. A file of the same name that was there is kept under
another ending, which multipath does not read.
"""
import contextlib
import os

from . import output
from .errors import LwError, reason
from .multipath_conf import parse
from .scope import AllMaps, includes, scopes_in

FILE = "zz-latency-weighted.conf"
OLD = "latency-weighted.conf"           # its name in earlier versions
SAVED = ".before-dm-lw"
ASIDE = ".kept-by-dm-lw"

MARK = "# Written by dm-lw enable. To take it back: dm-lw disable"
HEAD = MARK + """
# The removal of its package does so, too, unless you delete these lines: then the file is yours.
#
# First the module, then this: without the module in a kernel, multipathd makes no maps
# there, and "multipathd reconfigure" removes those that nobody has open.
#
# Keep the 0, one blank before it and nothing behind it: multipathd compares this string
# with the running table and reloads maps whose selector has arguments at every reconfigure.

"""


class DropIn:
    """`directory` is multipath's conf.d on the host."""

    def __init__(self, host, directory, name=FILE):
        self.where = directory
        self.directory = host.path(directory)
        self.file = os.path.join(self.directory, name)
        self.old = DropIn(host, directory, OLD) if name == FILE else None
        self.saved = self.file + SAVED
        # Changes by write(), for undo().
        self.made = []                      # directories, innermost first
        self.earlier = None                 # present name of an older saved file
        self.is_saved = False

    def text(self):
        """Its text; None if it is not there, or a link to nothing."""
        output.require_regular(self.file)
        try:
            with open(self.file, encoding="utf-8", errors="surrogateescape") as file:
                return file.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise LwError("%s: %s" % (self.file, reason(error)))

    def is_dm_lws(self):
        return (self.text() or "").startswith(MARK)

    def has_saved(self):
        return os.path.lexists(self.saved)

    def is_unfinished(self):
        """A dm-lw enable was killed between saving the file and writing its own: the file has two names."""
        return self.has_saved() and os.path.lexists(self.file) and same(self.file, self.saved)

    def has_orphan(self):
        """A file is saved, and the drop-in in its place was removed, or is no longer dm-lw's."""
        return self.has_saved() and not self.is_dm_lws()

    def orphans(self):
        """Drop-ins, under the new or the old name, that were saved and are not there: take_back() restores them."""
        return [each for each in (self.old, self) if each and each.has_saved() and not os.path.lexists(each.file)]

    def leftovers(self, in_use=False):
        """[(what it is, what to do about it)] of files that dm-lw saved or put aside, and that nothing brings back."""
        in_use |= self.is_dm_lws()
        found = self.old.leftovers(in_use) if self.old else []
        if self.is_unfinished():
            found.append(("%s is a second name of %s: a dm-lw enable was killed" % (self.saved, self.file),
                          "rm %s" % self.saved))
        elif self.has_orphan() and not (in_use and self in self.orphans()):
            there = "is not dm-lw's any more" if os.path.lexists(self.file) else "is there no more"
            found.append(("%s is what was in %s before dm-lw enable, and that %s: multipath does not read it"
                          % (self.saved, self.file, there),
                          "mv %s %s, to have it back, and multipathd reconfigure; or rm %s"
                          % (self.saved, self.file, self.saved)))
        for name in sorted(os.listdir(self.directory) if os.path.isdir(self.directory) else ()):
            file = os.path.join(self.directory, name)
            if name.startswith(os.path.basename(self.file) + ASIDE):
                found.append(("%s was put aside by dm-lw: multipath does not read it" % file,
                              "move what is still wanted to another file in %s, one that ends in .conf, and rm %s"
                              % (self.directory, file)))
            elif self.old and name.startswith(output.SCRATCH) and output.is_abandoned(file):
                found.append(("%s is what a killed dm-lw was writing" % file, "rm %s" % file))
        return found

    def has_old(self):
        """An earlier version of dm-lw wrote one."""
        return self.old is not None and self.old.is_dm_lws()

    def newest(self):
        """The one that dm-lw wrote; without any, the one that it would write."""
        return self.old if self.has_old() and not self.is_dm_lws() else self

    def scopes(self):
        """Its selections, with the selections of the old file."""
        own = scopes_in(parse(self.text() or "", self.file))
        return list(dict.fromkeys([*(self.old.scopes() if self.has_old() else []), *own]))

    def does(self, scope):
        """It selects for this part, and no old one is beside it."""
        return includes(self.scopes(), scope) and not self.has_old()

    def write(self, scope):
        """Put it there in one step; False if the present file will do.

        Parts of the maps come together, and all maps take their place.
        A file that dm-lw did not write is saved first, as it is: owner, mode and all.
        """
        if self.does(scope):
            return False
        scopes = self.newest().scopes() if self.newest().is_dm_lws() else []
        if not includes(scopes, scope):
            scopes = [scope] if isinstance(scope, AllMaps) else [*scopes, scope]
        self.require_no_more()
        self.make_directory()
        if not self.is_dm_lws():
            self.keep_earlier()
            if os.path.lexists(self.file):
                os.link(self.file, self.saved, follow_symlinks=False)
                self.is_saved = True
        self.rename_over(text_for(scopes))
        return True

    def added(self):
        """Lines of dm-lw's file that are not dm-lw's, but for comments."""
        if not self.is_dm_lws():
            return []
        ours = text_for(self.scopes()).splitlines()
        return [line.strip() for line in self.text().splitlines()
                if line.strip() and not line.lstrip().startswith("#") and line not in ours]

    def require_no_more(self):
        """Lines that dm-lw did not write are not dropped."""
        if self.has_old():
            self.old.require_no_more()
        added = self.added()
        if added:
            raise LwError("%s has lines that dm-lw did not write, such as \"%s\": move them to a file of"
                          " their own, or delete its first line, and the file is yours"
                          % (self.file, added[0]))

    def leave(self, scopes):
        """Have dm-lw's file select nothing but these."""
        self.require_no_more()
        self.rename_over(text_for(scopes))
        self.remove_old()

    def remove_old(self):
        """The new file selects for all maps of the old one. The file before the old one stays saved."""
        if self.has_old():
            remove(self.old.file)
            output.sync_directory(self.directory)

    def keep_earlier(self):
        """A file that was saved once is not the present one, and must not come back in its place."""
        if self.has_saved():
            name = self.aside()
            self.move_saved(name)
            self.earlier = name if os.path.lexists(name) else None

    def move_saved(self, name):
        if os.path.lexists(self.file) and same(self.file, self.saved):
            remove(self.saved)              # two names of one file: a rename would do nothing
        else:
            os.replace(self.saved, name)

    def aside(self):
        """An unused name that multipath does not read."""
        name, count = self.file + ASIDE, 1
        while os.path.lexists(name):
            count += 1
            name = "%s%s.%d" % (self.file, ASIDE, count)
        return name

    def is_kept(self):
        """By a dm-lw disable that was killed after that."""
        return any(same(self.file, os.path.join(self.directory, name)) for name in os.listdir(self.directory)
                   if name.startswith(os.path.basename(self.file) + ASIDE))

    def rename_over(self, text):
        """A link is replaced, too: it was saved, and its target is not dm-lw's."""
        try:
            output.rename_over(self.file, text, durable=True)
        except OSError as error:
            raise LwError("%s: %s" % (self.file, reason(error)))

    def undo(self, text):
        """Back to the text before write(), however far that came."""
        changed = self.text() != text
        if self.is_saved:
            self.move_saved(self.file)
        elif changed and (text or "").startswith(MARK):
            self.rename_over(text)
        elif changed and self.is_dm_lws():
            remove(self.file)
        if self.earlier:
            os.replace(self.earlier, self.saved)
        for path in self.made:
            with contextlib.suppress(OSError):      # in use again
                os.rmdir(path)
        if changed and os.path.isdir(self.directory):
            output.sync_directory(self.directory)

    def bring_back_saved(self):
        """The file that dm-lw found and saved."""
        if self.has_saved():
            self.move_saved(self.file)
            output.sync_directory(self.directory)

    def take_back(self):
        """Restore the file from before dm-lw wrote it; added lines are kept aside."""
        if self.old and (self.has_old() or self.old.has_saved() and not os.path.lexists(self.old.file)):
            self.old.take_back()
        if self.added() and not self.is_kept():
            os.link(self.file, self.aside())
        if self.has_saved():
            self.bring_back_saved()
        else:
            remove(self.file)
            output.sync_directory(self.directory)

    def put_aside(self):
        """A file that dm-lw did not write, so that multipath does not read it."""
        os.rename(self.file, self.aside())
        output.sync_directory(self.directory)

    def make_directory(self):
        self.made, path = [], self.directory
        while not os.path.isdir(path):
            self.made.append(path)
            path = os.path.dirname(path)
        os.makedirs(self.directory, exist_ok=True)


def text_for(scopes):
    return HEAD + "".join(line + "\n" for scope in scopes for line in scope.lines())


def same(one, other):
    return os.path.samestat(os.lstat(one), os.lstat(other))


def remove(path):
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
