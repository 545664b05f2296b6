# SPDX-License-Identifier: Apache-2.0
"""The C writer and the Python writer give the same bytes for the same content."""

import subprocess
from pathlib import Path

import pytest

LOGGER = Path(__file__).resolve().parents[1]
GOLDEN = LOGGER.parent / "testdata" / "small.runlog"
PARTS = ("log_writer", "text", "crc32", "source")


def write_golden(build, tmp_path, *flags, source=None):
    program = tmp_path / "write_golden"
    main = source or LOGGER / "tests" / "write_golden.c"
    command = ["cc", "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-pedantic"]
    include = [f"-I{LOGGER}", f"-I{LOGGER.parent / 'include'}"]
    objects = [str(build / f"{part}.o") for part in PARTS]
    subprocess.run(
        [*command, *flags, *include, str(main), *objects, "-o", str(program)], check=True
    )
    out = tmp_path / "small.runlog"
    subprocess.run([str(program), str(out)], check=True)
    return out.read_bytes()


def test_the_c_writer_gives_the_golden_bytes(build, tmp_path):
    assert write_golden(build, tmp_path) == GOLDEN.read_bytes()


def test_a_writer_that_differs_is_noticed(build, tmp_path):
    """The negative control."""
    text = (LOGGER / "tests" / "write_golden.c").read_text()
    mutant = tmp_path / "mutant.c"
    mutant.write_text(text.replace('"missed_ticks", 0', '"missed_ticks", 1'))
    assert write_golden(build, tmp_path, source=mutant) != GOLDEN.read_bytes()


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
            [logger, "-i", "lo", "-t", "1ms", *arguments],
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
