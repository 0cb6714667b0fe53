"""stallingdisk.py FOLDER MOUNT STALL: mounts FOLDER, read-only, at MOUNT. While the file STALL is there, reads do not
return; while it says "all", nothing does. Nothing is cached."""
import os, sys, time
from fusepy import FUSE, FuseOSError, Operations

folder, mount, stall = sys.argv[1:]


class Disk(Operations):
    def place(self, path): return os.path.join(folder, path.lstrip("/"))

    def wait(self, stalls):
        while os.path.exists(stall):
            with open(stall) as file:
                if not stalls and file.read() != "all": return
            time.sleep(0.02)

    def getattr(self, path, fh=None):
        self.wait(False)
        try: found = os.lstat(self.place(path))
        except OSError as error: raise FuseOSError(error.errno)
        return {name: getattr(found, name) for name in ("st_mode", "st_size", "st_mtime", "st_nlink", "st_uid", "st_gid")}

    def readdir(self, path, fh):
        self.wait(False)
        return [".", ".."] + os.listdir(self.place(path))

    def open(self, path, flags):
        self.wait(False)
        return os.open(self.place(path), os.O_RDONLY)

    def read(self, path, count, offset, fh):
        self.wait(True)
        return os.pread(fh, count, offset)

    def release(self, path, fh): os.close(fh)


FUSE(Disk(), mount, foreground=True, ro=True, direct_io=True, attr_timeout=0, entry_timeout=0)
