# SPDX-License-Identifier: Apache-2.0
"""What commands end with is what their help says."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from coalescope_host.command_line import COMMANDS, parsers
from coalescope_host.exit_statuses import statuses_of
from coalescope_host.snapshots.files import FORMAT, VERSION
from timeouts import TIMEOUT_S

TOOL = [sys.executable, "-m", "coalescope_host"]
LOGS = Path(__file__).parents[2] / "driver" / "testdata"
LOG = str(LOGS / "module.runlog")


def told(command: str) -> set[int]:
    """The statuses that the help of a command names."""
    said = " ".join(parsers()[1][command].format_help().partition("Exit status: ")[2].split())
    return {int(found) for found in re.findall(r"(?:^|; )(\d+) ", said)}


@pytest.mark.parametrize("command", COMMANDS)
def test_help_tells_each_status(command: str) -> None:
    assert told(command) == set(statuses_of(command)) >= {0, 1, 2, 130, 141}


@pytest.mark.parametrize(
    ("typed", "status"),
    [
        (("check", LOG), 0),
        (("check", "cut.runlog"), 1),
        (("check", "absent.runlog"), 1),
        (("check",), 2),
        (("diff", LOG, LOG), 0),
        (("diff", LOG, LOG, "--exit-code"), 0),
        (("diff", "one.json", "other.json", "--exit-code"), 1),
        (("diff", "absent.json", LOG), 2),
        (("upload", LOG, "--server", "http://127.0.0.1:1"), 1),
        (("upload", LOG, "--server", "127.0.0.1"), 2),
        (("sweep", "absent.toml"), 2),
        (("sweep", "lo", "--mtu", "1500", "--peer", "root@192.0.2.1"), 1),
        (("tune", "absent.toml", "--goal", "cpu"), 2),
        (("tune", "lo", "--goal", "cpu", "--peer", "root@192.0.2.1"), 1),
        (("calibrate", "eht77"), 2),
        (("calibrate", "lo"), 1),
        (("init", "eht77"), 1),
        (("snapshot", "eht77"), 1),
        (("restore", "--state", "absent.json"), 1),
        (("demo", "--server", "here"), 2),
    ],
)
def test_what_commands_end_with(typed: tuple[str, ...], status: int, tmp_path: Path) -> None:
    (tmp_path / "cut.runlog").write_bytes(Path(LOG).read_bytes()[:200])
    for name, mtu_bytes in (("one", 1500), ("other", 9000)):
        surroundings = {"environment": {"mtu_bytes": mtu_bytes}}
        kept = {"format": FORMAT, "version": VERSION, **surroundings}
        (tmp_path / f"{name}.json").write_text(json.dumps(kept))
    done = subprocess.run(
        [*TOOL, *typed], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == status, done.stderr
    assert status in told(typed[0])
    assert "Traceback" not in done.stderr
    assert status == 0 or done.stdout + done.stderr


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (
            ("init", "lo", "--out", "absent/plan.toml"),
            "coalescope-host init: absent/plan.toml: No such file or directory",
        ),
        (("upload", LOG, "--server", "http://127.0.0.1:1"), "reached: Connection refused"),
    ],
)
def test_what_the_system_says_is_told_in_words(
    typed: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        [*TOOL, *typed], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 1
    assert done.stderr.endswith(f"{said}\n")
    assert "Errno" not in done.stderr


def interruptible(*typed: str) -> subprocess.Popen[str]:
    """A command that SIGINT ends; a shell that runs tests in the background has it ignored."""
    return subprocess.Popen(
        ["env", "--default-signal=INT", *TOOL, *typed],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def interrupted(process: subprocess.Popen[str]) -> None:
    """It is ended while it waits, and says so in words."""
    process.send_signal(signal.SIGINT)
    _, complaints = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 130, complaints
    assert "Traceback" not in complaints


def test_what_an_interrupt_of_a_check_ends_with(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.runlog"
    os.mkfifo(pipe)
    process = interruptible("check", str(pipe))
    with pipe.open("wb"):  # once the command opens it; it waits for what comes
        interrupted(process)


def test_what_an_interrupt_of_an_upload_ends_with() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        process = interruptible("upload", LOG, "--server", address)
        connection, _ = listener.accept()
        with connection:  # it waits for an answer
            interrupted(process)
