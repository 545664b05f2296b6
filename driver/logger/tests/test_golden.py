# SPDX-License-Identifier: Apache-2.0
"""The C writer and the Python writer give the same bytes for the same content."""

import subprocess
from pathlib import Path

import pytest

LOGGER = Path(__file__).resolve().parents[1]
TESTDATA = LOGGER.parent / "testdata"
WRITERS = {"small.runlog": "write_golden.c", "module.runlog": "write_golden_module.c"}
DIFFERENT = {
    "small.runlog": ('"missed_ticks", 0', '"missed_ticks", 1'),
    "module.runlog": ("COALESCOPE_NOT_ATOMIC", "COALESCOPE_STOPPED"),
}


def write_golden(compiled, tmp_path, source):
    program = compiled(source, LOGGER / "tests" / "golden_header.c")
    out = tmp_path / "again.runlog"
    subprocess.run([str(program), str(out)], check=True)
    return out.read_bytes()


@pytest.mark.parametrize("name", WRITERS)
def test_the_c_writer_gives_the_golden_bytes(compiled, tmp_path, name):
    source = LOGGER / "tests" / WRITERS[name]
    assert write_golden(compiled, tmp_path, source) == (TESTDATA / name).read_bytes()


@pytest.mark.parametrize("name", WRITERS)
def test_a_writer_that_differs_is_noticed(compiled, tmp_path, name):
    """The negative control."""
    text = (LOGGER / "tests" / WRITERS[name]).read_text()
    mutant = tmp_path / "mutant.c"
    mutant.write_text(text.replace(*DIFFERENT[name]))
    assert mutant.read_text() != text
    assert write_golden(compiled, tmp_path, mutant) != (TESTDATA / name).read_bytes()


@pytest.mark.slow
def test_sanitizers_find_nothing(tmp_path):
    """The whole logger under the address and undefined behaviour sanitizers."""
    flags = "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all"
    subprocess.run(
        ["make", "-s", "-C", str(LOGGER), f"BUILD={tmp_path}", f"CFLAGS={flags}"], check=True
    )
    logger = str(tmp_path / "coalescope-logger")
    for arguments in (
        ["--preview", "-f", "mtu_bytes=1500"],
        ["-d", "100ms", "-o", str(tmp_path / "a.runlog")],
        ["-d", "100ms", "--counters", "sysfs", "-o", str(tmp_path / "b.runlog")],
        ["-o", str(tmp_path / "c.runlog"), "--result-limit", "10", "--", "seq", "100000"],
    ):
        done = subprocess.run(
            [logger, "-i", "lo", "-t", "1ms", "-e", "sanitized", *arguments],
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        notes = (
            "coalescope-logger: counters come from",
            "  not from",
            "coalescope-logger: no inter",
            "coalescope-logger: no packet",
        )
        assert all(line.startswith(notes) for line in done.stderr.splitlines()), done.stderr
