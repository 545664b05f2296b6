# SPDX-License-Identifier: Apache-2.0
"""Builds one archive of a host's tools, whose programs run wherever they are unpacked.

python3 host/packaging/archive.py TREE DIR MACHINE

TREE is that of debian.py, its programs static ones of MACHINE, which is what `uname -m` says
there. DIR gets the archive. Needs tar and xz.
"""

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from debian import MODULE, ROOT, TOOLS, VERSION, copied

_GPL_2 = Path("/usr/share/common-licenses/GPL-2")


def main(tree: Path, folder: Path, machine: str) -> None:
    """Write the archive, all of it below one folder, and name it."""
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{TOOLS.name}-{VERSION}-linux-{machine}"
    file = folder / f"{name}.tar.xz"
    packed = ["tar", "--create", "--xz", "--sort=name", "--owner=0", "--group=0", "--numeric-owner"]
    with TemporaryDirectory() as temporary:
        unpacked = copied(tree, Path(temporary) / "tree") / "usr"
        for package, licence in ((TOOLS, ROOT / "LICENSE"), (MODULE, _GPL_2)):
            documents = unpacked / "share/doc" / package.name
            documents.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(licence, documents / "LICENSE")
        packed += [f"--file={file}", f"--transform=s,^\\.,{name},", f"--directory={unpacked}", "."]
        subprocess.run(packed, check=True)
    sys.stdout.write(f"{file}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
