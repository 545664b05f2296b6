# SPDX-License-Identifier: Apache-2.0
"""A process that runs command lines one after the other, and says how each ended and what it took.

Standard input has them as JSON; the first argument is the seconds that one question may take.
"""

import io
import json
import os
import resource
import signal
import sys
import time
import traceback
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from coalescope.cli.commands import upload
from coalescope.cli.main import main
from coalescope.client import answers, shapes

from_above = sys.stdout
ENDS_S = 60
MOST_BYTES = 3 * 2**30


def late(*_: object) -> None:
    raise AssertionError("it does not end")


def ended(typed: list[str]) -> dict[str, Any]:
    """What became of one."""
    said, began = io.StringIO(), time.monotonic()
    Path("/proc/self/clear_refs").write_text("5")
    before = peak_kib()
    signal.alarm(ENDS_S)
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere), redirect_stderr(said):
        try:
            status = main(typed)
        except BaseException:
            status = -1
            said.write(traceback.format_exc()[-3000:])
    signal.alarm(0)
    took = {"seconds": time.monotonic() - began, "kib": peak_kib() - before}
    return {"status": status, "said": said.getvalue(), **took}


def peak_kib() -> int:
    """The most memory since it was last set back. Source: proc_pid_status(5)."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])


if __name__ == "__main__":
    assert shapes
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    signal.signal(signal.SIGALRM, late)
    answers.LONGEST_S = answers.EXPORT_S = upload._LONGEST_S = upload._LIMIT_S = float(sys.argv[1])
    for line in sys.stdin:
        print(json.dumps(ended(json.loads(line))), file=from_above, flush=True)
