# SPDX-License-Identifier: Apache-2.0
"""nmstate's form beside nmstate's own program, which Debian does not have: cargo builds it.

It reads the form of every driver, and writes what it would hand to NetworkManager, which sets it:
without that daemon it sets neither MTU nor coalescing. In a guest it compares the form with a card.
"""

import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from coalescope.recommendations.forms import FORMS
from coalescope.recommendations.target import target_for
from coalescope_host.drivers import DRIVERS
from guest.folders import BUILD, alone, made_once
from guest.kernel import NEWEST, debian_kernel
from guest.machine import Guest

VERSION = "2.2.62"
CARD = "eth0"
MISSPELT = "rx-usecs:", "rx-usec:"

pytestmark = [pytest.mark.soak, pytest.mark.timeout(0)]


class BuildError(Exception):
    """The program cannot be built here."""


def _build(folder: Path) -> None:
    crate = ("nmstatectl", "--version", VERSION, "--root", str(folder))
    quick = ("--target-dir", str(folder / "target"), "--config", "profile.release.opt-level=0")
    done = subprocess.run(
        ["cargo", "install", *crate, *quick], capture_output=True, text=True, check=False
    )
    shutil.rmtree(folder / "target", ignore_errors=True)
    if done.returncode:
        raise BuildError(done.stderr[-1000:])


@pytest.fixture(scope="module")
def program() -> Path:
    if shutil.which("cargo") is None:
        pytest.skip("nmstate's program is built by cargo, which is not here")
    try:
        with alone():
            return made_once(BUILD / f"nmstatectl-{VERSION}", _build) / "bin/nmstatectl"
    except BuildError as error:
        pytest.skip(f"cargo does not build nmstate's program: {error}")


def state(driver: str, interface: str) -> str:
    setting = target_for({"mtu_bytes": 3000, "delay_us": 120}, interface, driver)
    (file,) = [file for file in FORMS["nmstate"](setting).files if file.path.endswith(".yml")]
    return file.text


@pytest.mark.parametrize("driver", sorted(DRIVERS))
def test_it_reads_the_form_of_each_driver(program: Path, driver: str) -> None:
    text = state(driver, "enp3s0")
    subprocess.run([program, "validate", "-"], input=text, text=True, check=True)
    if MISSPELT[0] in text:
        wrong = subprocess.run(
            [program, "validate", "-"],
            input=text.replace(*MISSPELT),
            capture_output=True,
            text=True,
            check=False,
        )
        assert wrong.returncode != 0
        assert "unknown field `rx-usec`" in wrong.stderr


def test_it_hands_all_of_it_to_network_manager(program: Path) -> None:
    made = subprocess.run(
        [program, "-q", "gc", "-"],
        input=state("mlx4_en", "enp3s0"),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    ((_, keyfile),) = yaml.safe_load(made.stdout)["NetworkManager"]
    assert "\nmtu=3000\n" in keyfile
    for line in ("adaptive-rx=0", "rx-usecs=120", "rx-frames=65534"):
        assert f"\ncoalesce-{line}\n" in keyfile


@pytest.mark.guest
def test_it_finds_the_form_on_a_card_that_its_commands_have_set_and_not_before(
    program: Path, tmp_path: Path
) -> None:
    guest = Guest(
        nics=("igb",),
        modules=("igb",),
        kernel=debian_kernel(NEWEST),
        files={"/usr/bin/nmstatectl": program, "/form.yml": state("igb", CARD)},
        memory_mb=1024,
    )
    compare = "nmstatectl apply --kernel /form.yml"
    script = f"""
    ip link set {CARD} up
    sleep 5
    {compare} >/out/before 2>&1
    ip link set dev {CARD} mtu 3000
    {compare} >/out/halfway 2>&1
    ethtool -C {CARD} rx-usecs 120
    {compare} >/out/after 2>&1; echo $? >/out/status
    """
    result = guest.run(script, tmp_path)
    assert f"{CARD}.interface.mtu desire '3000', current '1500'" in result.text("before")
    assert "rx-usecs desire '120', current '3'" in result.text("halfway")
    assert result.text("status") == "0\n", result.text("after")
