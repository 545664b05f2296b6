# SPDX-License-Identifier: Apache-2.0
"""Builds the logger once for each session."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from coalescope_host.run_log import RunLogError, read
from timeouts import wait_until

LOGGER = Path(__file__).resolve().parents[1]
PARTS = {"log_writer.o", "text.o", "crc32.o", "source.o", "snapshot.o"}


@pytest.fixture(scope="session")
def build(tmp_path_factory):
    """Directory with the built logger and its object files."""
    directory = tmp_path_factory.mktemp("build")
    done = subprocess.run(
        ["make", "-s", "-C", str(LOGGER), f"BUILD={directory}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return directory


@pytest.fixture(scope="session")
def logger(build):
    return str(build / "coalescope-logger")


@pytest.fixture
def recording():
    """Waits until a logger's samples are in its file, which is a second after the first."""

    def samples(path):
        try:
            return read(path).records
        except (FileNotFoundError, RunLogError):
            return 0

    return lambda path: wait_until(lambda: samples(path), "there is no sample")


@pytest.fixture
def compiled(build, tmp_path):
    """Builds a test program of C sources with the logger's own parts; returns its path."""

    def compile_with(*sources):
        program = tmp_path / "test_program"
        command = ["cc", "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-pedantic"]
        paths = (LOGGER / "tests", LOGGER, LOGGER.parent / "include")
        objects = [str(part) for part in sorted(build.glob("*.o")) if part.name in PARTS]
        include = [f"-I{path}" for path in paths]
        arguments = [*command, *include, *map(str, sources), *objects, "-o", str(program)]
        subprocess.run(arguments, check=True)
        return program

    return compile_with


@pytest.fixture
def namespaces():
    """Two network namespaces with a veth pair `probe0` between them, 10.214.0.1 and .2."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        pytest.fail("needs root and iproute2: deselect with -m 'not network'")
    names = [f"coalescope-test-{os.getpid()}-{side}" for side in "ab"]

    def ip(*arguments):
        subprocess.run(["ip", *arguments], check=True, capture_output=True)

    try:
        for name in names:
            ip("netns", "add", name)
        pair = ("type", "veth", "peer", "name", "probe0", "netns", names[1])
        ip("link", "add", "probe0", "netns", names[0], *pair)
        for number, name in enumerate(names, 1):
            disable = ["sysctl", "-qw", "net.ipv6.conf.probe0.disable_ipv6=1"]
            ip("netns", "exec", name, *disable)
            ip("-n", name, "address", "add", f"10.214.0.{number}/24", "dev", "probe0")
            ip("-n", name, "link", "set", "probe0", "up")
            ip("-n", name, "link", "set", "lo", "up")
        yield names
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
