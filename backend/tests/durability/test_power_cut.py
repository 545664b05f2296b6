# SPDX-License-Identifier: Apache-2.0
"""The power of a virtual machine is cut while it stores uploads: what it acknowledged is there.

Its disk forgets what was not flushed, sector by sector and in no order (guest.volatile_disk); its
file system is a real ext4. What the disk holds after a cut is the same whether the guest then boots
or its disk is taken out: most cuts are looked at here, without waiting for a slow guest to boot.
The control is the same program without fsync.
"""

import os
import random
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import coalescope.db.migrations
import pytest
from coalescope.errors import CoalescopeError
from coalescope.settings import Settings
from coalescope.store import open_store
from coalescope.uploads.reading import Reading
from coalescope.uploads.stored_files import stored_files
from coalescope.verification.service import verify
from guest.libraries import LIBRARIES, PLACE, libraries_of
from guest.machine import Guest, Result
from guest.volatile_disk import VolatileDisk
from sqlalchemy.exc import DBAPIError

pytestmark = [pytest.mark.guest, pytest.mark.soak]

PROGRAM = Path(__file__).with_name("in_guest.py")
# as in the guest: once through everything that it will do, so that all it needs is loaded
REHEARSAL = """
import importlib.util, pathlib, tempfile
spec = importlib.util.spec_from_file_location("in_guest", {program!r})
in_guest = importlib.util.module_from_spec(spec)
spec.loader.exec_module(in_guest)
for boot in (1, 2):
    with tempfile.TemporaryDirectory() as folder:
        in_guest.work(pathlib.Path(folder), boot, 2)
        in_guest.work(pathlib.Path(folder), boot + 2, 2)
"""
SCRIPT = """
mkdir /tmp/disk
mount -t ext4 /dev/vda /tmp/disk || exit 2
export LD_LIBRARY_PATH={libraries} PYTHONPATH={place}
python3 -B /in_guest.py /tmp/disk/store "$BOOT" "$MODE" 2>&1
"""
DISK_BYTES = 64 << 20
TIMEOUT_S = 1800.0
WITHIN_S = 10.0
Files = dict[str, Path | bytes | str]


@pytest.fixture(scope="module")
def files() -> Files:
    """What the guest gets: the program, and the server's packages as far as it loads them."""
    migrations = Path(coalescope.db.migrations.__file__).parent
    place = f"{PLACE}/coalescope/migrations"
    scripts = {
        f"{place}/{path.relative_to(migrations)}": path.read_bytes()
        for path in migrations.rglob("*")
        if path.suffix in (".py", ".mako")
    }
    loaded = libraries_of(REHEARSAL.format(program=str(PROGRAM)))
    return {"/in_guest.py": PROGRAM, **scripts, **loaded}


@dataclass
class Machine:
    """A guest with a disk that outlasts its boots, and what it acknowledged in all of them."""

    folder: Path
    files: Files
    chance: random.Random
    mode: str = "careful"
    boots: int = 0
    acknowledged: set[str] = field(default_factory=set)
    forgotten_sectors: int = 0
    forgetful_cuts: int = 0
    met: int = 0

    def __post_init__(self) -> None:
        self.disk = self.folder / "disk"
        with self.disk.open("wb") as file:
            file.truncate(DISK_BYTES)
        subprocess.run(["mkfs.ext4", "-q", "-F", str(self.disk)], check=True)

    @contextmanager
    def running(self) -> Iterator["Boot"]:
        """Boot; leaving the context cuts the power."""
        self.boots += 1
        folder = self.folder / f"boot-{self.boots}"
        folder.mkdir()
        disk = VolatileDisk(self.disk, folder)
        guest = Guest(
            modules=("virtio_blk", "ext4", "crc32c_generic"),
            files=self.files,
            disk=disk.address,
            cpu_model="max",
            icount_shift=None,
            memory_mb=768,
            seed=self.boots,
            command_line=f"BOOT={self.boots} MODE={self.mode}",
        )
        console = folder / "console"
        console.write_text("")
        cut, plug = os.pipe()
        script = SCRIPT.format(libraries=LIBRARIES, place=PLACE)
        with ThreadPoolExecutor(1) as pool:
            ended = pool.submit(
                guest.run,
                script,
                folder / "out",
                timeout_s=TIMEOUT_S,
                console=console,
                cut=cut,
            )
            boot = Boot(console, disk, ended)
            try:
                yield boot
            finally:
                self.acknowledged |= boot.acknowledged()
                self.met += sum(map(int, boot.said("met")))
                self.forgotten_sectors += disk.cut(self.chance)
                os.write(plug, b"x")
                ended.exception()
        os.close(cut)
        os.close(plug)
        disk.close()


@dataclass
class Boot:
    """A guest that runs, and what it says."""

    console: Path
    disk: VolatileDisk
    ended: Future[Result]

    def said(self, kind: str) -> list[str]:
        """The lines of a kind; one that is cut short is not said."""
        text = self.console.read_text(errors="replace").replace("\r", "")
        return re.findall(rf"^{kind}(?: (.*))?\n", text, re.MULTILINE)

    def acknowledged(self) -> set[str]:
        return set(self.said("ack"))

    def wait_for_more(self, uploads: int) -> None:
        """Until so many more uploads were acknowledged, or the guest ended by itself."""
        enough = len(self.said("ack")) + uploads
        while len(self.said("ack")) < enough and not self.ended.done():
            time.sleep(0.02)

    def has_lost(self, acknowledged: set[str]) -> bool:
        """Whether, once it is ready, something is missing or wrong; or it does not get there."""
        while not self.said("ready") and not self.ended.done():
            time.sleep(0.1)
        there = set(self.said("have"))
        return not self.said("ready") or bool(self.said("fault")) or not acknowledged <= there


def start_on(image: Path, folder: Path, acknowledged: set[str]) -> None:
    """Bring a disk's file system in order, start on its store, and check all of it."""
    mended = subprocess.run(["e2fsck", "-fy", str(image)], capture_output=True, check=False)
    assert mended.returncode in (0, 1), mended.stdout
    folder.mkdir()
    command = ["debugfs", "-R", f"rdump /store {folder}", str(image)]
    subprocess.run(command, check=True, capture_output=True)
    store = open_store(Settings(data_dir=folder / "store", datasets_dir=None))
    try:
        report = verify(store.database, store.object_store, Reading())
        with store.database.read() as connection:
            there = [file.sha256 for file in stored_files(connection)]
    finally:
        store.close()
    assert report.faults == []
    assert len(there) == len(set(there)), "an upload is there twice"
    assert acknowledged <= set(there), "an acknowledged upload is lost"
    shutil.rmtree(folder)


def cut_and_start(machine: Machine, boot: Boot, number: int) -> None:
    """A cut at some moment after some more uploads: what the disk then holds is started on.

    Left to chance alone, most would find all flushed: a flush is short beside what leads to it.
    """
    boot.wait_for_more(machine.chance.randint(1, 5))
    time.sleep(machine.chance.uniform(0, 0.5))
    image = machine.folder / f"cut-{number}"
    with boot.disk.held(writes=machine.chance.randint(0, 4), within_s=WITHIN_S):
        # what was acknowledged by now was flushed before, for nothing can be flushed now
        acknowledged = machine.acknowledged | boot.acknowledged()
        forgotten = boot.disk.as_cut_now(machine.chance, image)
    machine.forgotten_sectors += forgotten
    machine.forgetful_cuts += forgotten > 0
    start_on(image, machine.folder / f"store-{number}", acknowledged)
    image.unlink()


def test_nothing_acknowledged_is_lost(tmp_path: Path, files: Files) -> None:
    """Fifty cuts: of 45 the disk's content is started on here, after five the guest boots again."""
    machine = Machine(tmp_path, files, random.Random(1))
    for tens in range(0, 50, 10):
        with machine.running() as boot:
            assert not boot.has_lost(machine.acknowledged), boot.console.read_text()[-3000:]
            for number in range(tens, tens + 9):
                cut_and_start(machine, boot, number)
            boot.wait_for_more(machine.chance.randint(1, 5))
        # that was the tenth: the power of the machine itself
    start_on(machine.disk, tmp_path / "last", machine.acknowledged)
    assert machine.forgetful_cuts >= 10, "control: the disk forgets"
    assert machine.met > 0, "none was stored together with another"
    found = (
        f"{len(machine.acknowledged)} acknowledged, {machine.met} of all were stored together with "
        f"others, {machine.forgotten_sectors} sectors lost in {machine.forgetful_cuts} of the cuts"
    )
    print(found)  # noqa: T201


def test_a_build_without_fsync_loses_some(tmp_path: Path, files: Files) -> None:
    """Control: the same program that does not wait for the disk."""
    machine = Machine(tmp_path, files, random.Random(1), mode="careless")
    with machine.running() as boot:
        boot.has_lost(set())
        for number in range(10):
            try:
                cut_and_start(machine, boot, number)
            except (AssertionError, CoalescopeError, DBAPIError, FileNotFoundError) as lost:
                print(f"cut {number}: {lost}")  # noqa: T201
                return
    pytest.fail("nothing was lost without fsync: this test shows nothing")
