# SPDX-License-Identifier: Apache-2.0
"""What test_power_cut.py runs in a guest: takes run logs into a store until the power is cut.

It says what the store has ("have"), what is wrong with it ("fault"), "ready", then every upload
once it is acknowledged ("ack"), and how many were stored together where several met ("met").
"""

import io
import os
import sys
import uuid
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

from coalescope.db import engine
from coalescope.db.engine import Database
from coalescope.settings import Settings
from coalescope.storage.object_store import ObjectStore
from coalescope.store import Store, open_store
from coalescope.uploads import service
from coalescope.uploads.parsed_upload import UploadRequest
from coalescope.uploads.reading import Reading
from coalescope.uploads.receipt import Receipt
from coalescope.uploads.stored_files import stored_files
from coalescope.uploads.storing import IncomingFile, store_batch
from coalescope.verification.service import verify
from coalescope_host.run_log import Writer, make_header, standard_field

SECOND = 1_000_000_000
# So many logs at a time: those that wait for the same turn are stored together.
SENDERS = 4


def say(*words: str) -> None:
    """A line, in one piece whoever else says one."""
    print(" ".join(words) + "\n", end="", flush=True)  # noqa: T201


def without_waiting_for_the_disk() -> None:
    """The mutant: the same program with every sync left out."""
    os.fsync = lambda descriptor: None  # type: ignore[assignment, misc]
    configure = engine._configure

    def configure_badly(connection: Any, record: Any) -> None:
        configure(connection, record)
        connection.cursor().execute("PRAGMA synchronous=OFF")

    engine._configure = configure_badly


def run_log(boot: int, number: int) -> bytes:
    """A log of some seconds, unlike any other; a cell for each boot."""
    names = ("t_monotonic_ns", "rx_bytes", "rx_packets", "rx_interrupts")
    levels = {"mtu_bytes": 1500, "delay_us": boot, "workload": "udp"}
    header = make_header(
        run_id=str(uuid.uuid5(uuid.NAMESPACE_OID, f"{boot} {number}")),
        experiment="power",
        replicate=number,
        factors={name: {"requested": v, "read_back": v} for name, v in levels.items()},
        fields=[standard_field(name) for name in names],
        sources=[{"name": "sysfs", "atomic": False}, {"name": "proc", "atomic": False}],
    )
    file = io.BytesIO()
    log = Writer(file, header, (1, 0))
    for second in range(1, 11):
        log.sample(second * SECOND, second * 125_000_000, second * 125_000, second * 31_250)
        if second in (3, 9):
            log.mark("window_start" if second == 3 else "window_end", second * SECOND, None)
    log.finish()
    return file.getvalue()


def upload(store: Store, content: bytes) -> str:
    """What the server does with an upload's body; returns its digest."""
    with store.object_store.stage() as staged:
        staged.write(content)
        request = UploadRequest("x.runlog")
        service.accept(store.database, store.object_store, staged, request, Reading())
        return staged.sha256


def store_and_say(
    database: Database, store: ObjectStore, logs: Sequence[IncomingFile]
) -> list[Receipt | Exception]:
    if len(logs) > 1:
        say("met", str(len(logs)))
    return store_batch(database, store, logs)


def work(data: Path, boot: int, most: int) -> None:
    service.store_batch = store_and_say
    store = open_store(Settings(data_dir=data, datasets_dir=None))
    for fault in verify(store.database, store.object_store).faults:
        say("fault", fault.code, fault.message, str(fault.where))
    with store.database.read() as connection:
        for file in stored_files(connection):
            say("have", file.sha256)
    say("ready")
    numbers = count(1)

    def send() -> None:
        while (number := next(numbers)) <= most:
            say("ack", upload(store, run_log(boot, number)))

    with ThreadPoolExecutor(SENDERS) as pool:
        for sender in [pool.submit(send) for _ in range(SENDERS)]:
            sender.result()


def main() -> None:
    data, boot, mode = sys.argv[1:]
    if mode == "careless":
        without_waiting_for_the_disk()
    work(Path(data), int(boot), most=100_000)


if __name__ == "__main__":
    main()
