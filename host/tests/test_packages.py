# SPDX-License-Identifier: Apache-2.0
"""`make packages`: what is in the Debian packages and the archive, and that it runs from there."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from coalescope_host.command_line import COMMANDS, VERSION
from coalescope_host.run_log import check

ROOT = Path(__file__).parents[2]
MODULE = ROOT / "driver" / "module"

pytestmark = pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="needs dpkg-deb")


def said(*command: str | Path, **options: Any) -> str:
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == 0, done.stderr
    return str(done.stdout)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the packages, unpacked beside them by their names."""
    folder = tmp_path_factory.mktemp("packages")
    environment = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
    said("make", "packages", f"WHEELS={folder}", cwd=ROOT, env=environment)
    for package in folder.glob("*.deb"):
        said("dpkg-deb", "-x", package, folder / package.name.partition("_")[0])
        said("dpkg-deb", "-e", package, folder / f"{package.name.partition('_')[0]}.control")
    (archive,) = folder.glob("*.tar.xz")
    said("tar", "-xJf", archive, "-C", folder)
    return folder


def control(made: Path, package: str) -> Mapping[str, str]:
    text = (made / f"{package}.control" / "control").read_text()
    return dict(re.findall(r"^([A-Z][A-Za-z-]*): (.*)$", text, re.MULTILINE))


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.fault("C4")
def test_the_tools_are_whole_and_their_versions_are_one(made: Path) -> None:
    tree = made / "coalescope-host"
    pages = {f"coalescope-host-{command}" for command in COMMANDS}
    pages |= {"coalescope-host", "coalescope-logger", "coalescope-traffic"}
    assert {Path(name).name for name in files(tree / "usr/share/man/man1")} == {
        f"{page}.1.gz" for page in pages
    }
    assert {Path(name).name for name in files(tree / "usr/bin")} == {
        "coalescope-host",
        "coalescope-logger",
        "coalescope-traffic",
    }
    for program in ("coalescope-host", "coalescope-logger", "coalescope-traffic"):
        for place in (f"bash-completion/completions/{program}",
                      f"zsh/site-functions/_{program}",
                      f"fish/vendor_completions.d/{program}.fish"):  # fmt: skip
            assert f"usr/share/{place}" in files(tree)
    assert "usr/share/man/man5/coalescope-host-plan.5.gz" in files(tree)
    assert control(made, "coalescope-host")["Version"] == VERSION
    assert f'PACKAGE_VERSION="{VERSION}"' in (MODULE / "dkms.conf").read_text()


def test_the_archive_has_the_same_programs_and_the_module(made: Path) -> None:
    archive = made / f"coalescope-host-{VERSION}-linux-{os.uname().machine}"
    tools = files(made / "coalescope-host" / "usr")
    module = files(made / "coalescope-dkms" / "usr")

    def programs(names: set[str]) -> set[str]:
        return {name for name in names if not name.startswith("share/doc/")}

    assert programs(files(archive)) == programs(tools | module)


def linked(made: Path, kind: str) -> tuple[Path, Path]:
    """Where programs of that kind of package were built, and what the package says of them."""
    machine = os.uname().machine
    built = {"deb": ROOT / "build/packages", "archive": ROOT / "build/archive" / machine}[kind]
    archive = made / f"coalescope-host-{VERSION}-linux-{machine}"
    root = {"deb": made / "coalescope-host/usr", "archive": archive}[kind]
    return built, root / "share/doc/coalescope-host"


@pytest.mark.parametrize(
    ("kind", "needed"),
    [("deb", {"libbpf", "libelf", "libz"}), ("archive", {"libbpf", "libelf", "libz", "libc"})],
)
def test_each_library_inside_has_its_licence_beside_it(
    made: Path, kind: str, needed: set[str]
) -> None:
    built, documents = linked(made, kind)
    maps = "".join(path.read_text() for path in built.glob("*/*.map"))
    inside = {
        Path(name).stem.partition("-")[0]
        for name in re.findall(r"^(/\S+\.a)\(", maps, re.MULTILINE)
    }
    assert needed <= inside
    folder = documents / "libraries"
    said = (folder / "README").read_text()
    named = re.findall(r"^((?:lib\w+\.a(?:, )?)+): \S.*\n +(\S+) \d", said, re.MULTILINE)
    assert {
        name.removesuffix(".a") for libraries, _ in named for name in libraries.split(", ")
    } == (inside)
    for _, package in named:
        text = (folder / package / "copyright").read_text()
        assert "Copyright" in text
        for licence in re.findall(r"/usr/share/common-licenses/([A-Z][\w.-]*[\w])", text):
            assert (folder / "licenses" / licence).stat().st_size > 1000, licence


def test_the_archive_has_the_texts_of_its_own_licences(made: Path) -> None:
    documents = linked(made, "archive")[1]
    assert "Apache License" in (documents / "LICENSE").read_text()
    of_module = documents.with_name("coalescope-dkms") / "LICENSE"
    assert "GNU GENERAL PUBLIC LICENSE" in of_module.read_text()


def test_the_bill_of_materials_names_what_is_linked(made: Path, tmp_path: Path) -> None:
    said(sys.executable, ROOT / "docs/bill_of_materials.py", tmp_path)
    components = json.loads((tmp_path / "bom.json").read_text())["components"]
    bill = {one["name"]: one for one in components if one["purl"].startswith("pkg:deb/")}
    built = linked(made, "archive")[0] / "linked.json"
    for one in json.loads(built.read_text()):
        assert bill[one["package"]]["licenses"] == [{"expression": one["licence"]}]
    assert {"libbpf-dev", "libelf-dev", "zlib1g-dev", "libc6-dev"} <= set(bill)
    assert "| Zlib | zlib1g-dev " in (tmp_path / "licences.md").read_text()


def test_it_records_from_where_it_was_unpacked(made: Path, tmp_path: Path) -> None:
    """Without the checkout: Python, the C library, and nothing else of it."""
    programs = made / "coalescope-host" / "usr/bin"
    environment = {"PATH": f"{programs}:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": str(tmp_path)}
    log = tmp_path / "a.runlog"
    recorded = ("-q", "-i", "lo", "-o", str(log), "-d", "200ms")
    said("env", "coalescope-logger", *recorded, env=environment, cwd=tmp_path)
    assert check(log).complete
    host = (sys.executable, programs / "coalescope-host")
    document = json.loads(said(*host, "snapshot", "lo", env=environment, cwd=tmp_path))
    assert document["environment"]["interface"] == "lo"
    assert "built without eBPF" not in json.dumps(document)
    assert said(*host, "check", log, env=environment, cwd=tmp_path)


def test_programs_need_no_library_but_the_c_library_that_is_named(made: Path) -> None:
    depends = control(made, "coalescope-host")["Depends"]
    found = re.search(r"libc6 \(>= 2\.(\d+)\)", depends)
    assert found is not None
    for name in ("coalescope-logger", "coalescope-traffic"):
        text = said("readelf", "-dV", made / "coalescope-host/usr/bin" / name)
        assert set(re.findall(r"Shared library: \[(.*?)\]", text)) <= {"libc.so.6", "libm.so.6"}
        assert max(int(minor) for minor in re.findall(r"GLIBC_2\.(\d+)", text)) <= int(found[1])


def test_the_module_is_the_source_that_dkms_builds(made: Path) -> None:
    tree = made / "coalescope-dkms" / f"usr/src/coalescope-{VERSION}"
    names = {path.name for path in MODULE.iterdir() if path.suffix in (".c", ".h", ".conf")}
    assert files(tree) == names | {"Kbuild", "Makefile", "include/uapi/coalescope.h"}
    for name in names:
        assert (tree / name).read_bytes() == (MODULE / name).read_bytes()


@pytest.mark.parametrize("package", ["coalescope-host", "coalescope-dkms"])
def test_scripts_are_of_a_shell_and_what_they_name_is_there(made: Path, package: str) -> None:
    scripts = [made / f"{package}.control" / name for name in ("postinst", "prerm")]
    for script in scripts:
        said("sh", "-n", script)
        assert script.stat().st_mode & 0o111
    named = {
        unit for script in scripts for unit in re.findall(r"[\w-]+\.service", script.read_text())
    }
    units = {Path(name).name for name in files(made / package) if name.endswith(".service")}
    assert named == units


def test_modes_and_owners_are_those_of_packages(made: Path) -> None:
    for package in made.glob("*.deb"):
        for line in said("dpkg-deb", "-c", package).splitlines():
            mode, owner, *_ = line.split()
            assert owner == "root/root", line
            assert mode in ("drwxr-xr-x", "-rwxr-xr-x", "-rw-r--r--"), line


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_the_unit_is_one(made: Path) -> None:
    unit = made / "coalescope-host/usr/lib/systemd/system/coalescope-host-restore.service"
    done = subprocess.run(
        ["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False
    )
    faults = [line for line in done.stderr.splitlines() if unit.name in line]
    elsewhere = re.compile("is not executable|Command 'man ")  # it is not installed here
    assert [fault for fault in faults if not elsewhere.search(fault)] == []


needs_rpm = pytest.mark.skipif(shutil.which("rpmbuild") is None, reason="needs rpmbuild")


def rpm(root: Path, *words: str | Path) -> str:
    return said("rpm", "--root", root, "--dbpath", "/var/lib/rpm", *words)


@pytest.fixture
def red_hat(made: Path, tmp_path: Path) -> Path:
    """An empty root with the rpm installed; what it needs of others is looked at apart."""
    (package,) = made.glob("*.rpm")
    root = tmp_path / "root"
    root.mkdir()
    rpm(root, "--initdb")
    rpm(root, "--install", "--nodeps", "--noscripts", package)
    return root


@needs_rpm
def test_the_rpm_brings_what_the_deb_brings(made: Path, red_hat: Path, tmp_path: Path) -> None:
    tree = made / "coalescope-host"
    documents = "usr/share/doc/"
    of_rpm = {name for name in files(red_hat) if not name.startswith(("var/", documents))}
    assert of_rpm == {name for name in files(tree) if not name.startswith(documents)}
    for name in of_rpm:
        assert (red_hat / name).read_bytes() == (tree / name).read_bytes(), name
    # sizes, digests, modes and owners of all files are those that the package says
    rpm(red_hat, "--verify", "--nodeps", "coalescope-host")
    log = tmp_path / "a.runlog"
    said(red_hat / "usr/bin/coalescope-logger", "-q", "-i", "lo", "-o", log, "-d", "200ms")
    assert check(log).complete
    (red_hat / "usr/bin/coalescope-traffic").write_bytes(b"")
    with pytest.raises(AssertionError):  # control: a file that is another one
        rpm(red_hat, "--verify", "--nodeps", "coalescope-host")


@needs_rpm
def test_the_rpm_says_what_it_needs_and_what_it_does(made: Path, red_hat: Path) -> None:
    needed = rpm(red_hat, "-q", "--requires", "coalescope-host").splitlines()
    assert "python3 >= 3.9" in needed
    libc = re.search(r"libc6 \(>= 2\.(\d+)\)", control(made, "coalescope-host")["Depends"])
    assert libc is not None
    versions = [int(minor) for minor in re.findall(r"\(GLIBC_2\.(\d+)", "\n".join(needed))]
    assert max(versions) <= int(libc[1])
    assert rpm(red_hat, "-q", "--queryformat", "%{VERSION}", "coalescope-host") == VERSION
    scripts = rpm(red_hat, "-q", "--scripts", "coalescope-host")
    units = {Path(name).name for name in files(red_hat) if name.endswith(".service")}
    assert set(re.findall(r"[\w-]+\.service", scripts)) == units
    commands = "\n".join(line for line in scripts.splitlines() if "scriptlet (using" not in line)
    said("sh", "-nc", commands)
