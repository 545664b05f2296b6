# SPDX-License-Identifier: Apache-2.0
"""What `make packages` made, in Debian's own userlands: C library, Python and tools of each.

debootstrap makes them; DEBIAN_MIRROR names a mirror other than its own. The kernel is this one's.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from coalescope_host.command_line import VERSION
from manuals import fence

ROOT = Path(__file__).parents[2]
MIRROR = os.environ.get("DEBIAN_MIRROR")
PYTHONS = {"bullseye": "3.9", "bookworm": "3.11", "trixie": "3.13", "sid": "3.14"}
OLDER_THAN_THE_DEB = ("bullseye",)
"""Their C library is older than the one that the Debian package asks for: they take the archive."""
ARCHIVE = f"/opt/coalescope-host-{VERSION}-linux-{os.uname().machine}/bin"
# the folder is the whole of what is seen; what was started ends with the first process
ENTER = """
mount --bind "$0" "$0"; mount -t proc proc "$0/proc"; mount -t sysfs sysfs "$0/sys"
cd "$0"; mkdir -p outside; pivot_root . outside; umount -l /outside; exec "$@"
"""
CELLS_OF_THE_DEMO = 12
WITH_HEADERS = "trixie"
TOOLS, MODULE, RPM = (
    line.partition("#")[0].removeprefix("sudo ").split()
    for line in fence("docs/sweep.md", "sudo apt install").splitlines()
)
ANSWERED = 'APT::Get::Assume-Yes "true";\nAPT::Install-Recommends "false";\n'

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(os.geteuid() != 0, reason="needs root"),
    pytest.mark.skipif(shutil.which("debootstrap") is None, reason="needs debootstrap"),
]


class Userland:
    """A release of Debian in a folder, with Python and the network's tools."""

    def __init__(self, suite: str, folder: Path) -> None:
        self.suite, self.folder = suite, folder / suite
        self.path = "/usr/sbin:/usr/bin:/sbin:/bin"
        command = ["debootstrap", "--variant=minbase", "--include=python3,iproute2,ethtool"]
        made = [*command, suite, str(self.folder), *([MIRROR] if MIRROR else [])]
        subprocess.run(made, check=True, stdout=subprocess.DEVNULL)

    def run(self, *words: str, status: int = 0) -> subprocess.CompletedProcess[str]:
        outside = ["unshare", "--mount", "--pid", "--fork", "sh", "-ec", ENTER, str(self.folder)]
        environment = {"LC_ALL": "C", "HOME": "/root", "DEBIAN_FRONTEND": "noninteractive"}
        done = subprocess.run(
            [*outside, "env", f"PATH={self.path}", *words],
            env={**environment, "PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("packages")
    environment = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
    command = ["make", "-s", "-C", str(ROOT), "packages", f"WHEELS={folder}"]
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    return folder


@pytest.fixture(scope="module", params=PYTHONS)
def userland(
    request: pytest.FixtureRequest, made: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Userland]:
    """With the tools installed as a person of that release would."""
    found = Userland(request.param, tmp_path_factory.mktemp("userlands"))
    (package,) = made.glob("coalescope-host_*.deb")
    shutil.copytree(made, found.folder / "root/dist")
    (found.folder / "etc/apt/apt.conf.d/answered").write_text(ANSWERED)
    if found.suite in OLDER_THAN_THE_DEB:
        refused = found.run("dpkg", "-i", f"/root/dist/{package.name}", status=1)
        assert re.search(r"depends on libc6 \(>= 2\.\d+\)", refused.stderr)
        found.run("dpkg", "--purge", "coalescope-host")
        (archive,) = made.glob("*.tar.xz")
        subprocess.run(["tar", "-xJf", archive, "-C", found.folder / "opt"], check=True)
        found.path = f"{ARCHIVE}:{found.path}"
    else:
        found.run("env", "-C", "/root", *TOOLS)
    yield found
    shutil.rmtree(found.folder)


def test_its_python_is_that_of_the_release(userland: Userland) -> None:
    said = userland.run("python3", "--version").stdout
    assert said.startswith(f"Python {PYTHONS[userland.suite]}.")


def test_it_records_and_says_what_it_recorded(userland: Userland) -> None:
    userland.run("coalescope-logger", "-q", "-i", "lo", "-o", "/root/a.runlog", "-d", "200ms")
    said = userland.run("coalescope-host", "check", "--json", "/root/a.runlog").stdout
    (checked,) = json.loads(said)
    assert checked["complete"], checked
    document = json.loads(userland.run("coalescope-host", "snapshot", "lo").stdout)
    assert document["environment"]["interface"] == "lo"
    assert "built without eBPF" not in json.dumps(document)


def test_it_measures_a_surface(userland: Userland) -> None:
    demo = ("coalescope-host", "demo", "--replicates", "1", "--duration", "0.3", "--out")
    said = userland.run(*demo, "/root/demo").stdout
    rows = re.findall(r"^ +(?:1500|3000|9000) +\d+ .*$", said, re.MULTILINE)
    assert len(rows) == CELLS_OF_THE_DEMO, said
    assert len(list((userland.folder / "root/demo").rglob("*.runlog"))) == CELLS_OF_THE_DEMO


def test_the_rpm_has_the_name_that_the_manual_says(made: Path) -> None:
    *dnf, package = RPM
    assert dnf == ["dnf", "install"]
    assert (made / Path(package).name).is_file()


def test_dkms_builds_the_module_for_its_kernel(userland: Userland) -> None:
    """For a kernel that is not the one that runs, so it is built and not loaded."""
    if userland.suite != WITH_HEADERS:
        pytest.skip(f"one release's headers are enough: {WITH_HEADERS}'s")
    userland.run("apt-get", "-q", "update")
    userland.run("apt-get", "-q", "install", "linux-headers-amd64", "gcc", "make")
    userland.run("env", "-C", "/root", *MODULE)
    (status,) = userland.run("dkms", "status", "-m", "coalescope").stdout.splitlines()
    found = re.fullmatch(rf"coalescope/{VERSION}, (\S+), \S+: installed", status)
    assert found, status
    described = userland.run("modinfo", "-k", found[1], "coalescope").stdout
    assert re.search(rf"^version: +{VERSION}$", described, re.MULTILINE), described
    assert re.search(rf"^vermagic: +{re.escape(found[1])} ", described, re.MULTILINE), described
    userland.run("dpkg", "--purge", "coalescope-dkms")
    assert list((userland.folder / "lib/modules").rglob("coalescope*")) == []


def test_the_package_goes_as_it_came(userland: Userland) -> None:
    """The last: nothing of it is left."""
    if userland.suite in OLDER_THAN_THE_DEB:
        pytest.skip("the archive is a folder")
    userland.run("dpkg", "--purge", "coalescope-host")
    assert list((userland.folder / "usr").rglob("*coalescope*")) == []
