# SPDX-License-Identifier: Apache-2.0
"""Debian's packages from the mirror that this machine's apt uses, unpacked beside the system.

Nothing is installed: apt gets lists, caches and (where wanted) a package status of its own, which
also works without root.
"""

import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from guest.architecture import AMD64, Architecture
from guest.errors import GuestError

_ATTEMPTS = 3
_HARMLESS = re.compile(r"Not found in archive|Exiting with failure status due to previous")
_SYSTEM_STATUS = Path("/var/lib/dpkg/status")


@dataclass(frozen=True)
class Release:
    """A release of Debian, whose backports are asked where it does not have a package itself."""

    number: int
    name: str

    @property
    def backports(self) -> str:
        """The name of its backports."""
        return f"{self.name}-backports"


DEBIAN_12 = Release(12, "bookworm")
"""What this machine runs."""
DEBIAN_13 = Release(13, "trixie")


class Apt:
    """Finds and downloads packages of a Debian release and its backports, kept below `build`.

    Errors: GuestError with apt's own words.
    """

    def __init__(
        self, build: Path, release: Release = DEBIAN_12, architecture: Architecture = AMD64
    ) -> None:
        own = "" if architecture == AMD64 else f"-{architecture.debian}"
        self._folder = (build / f"apt-{release.name}{own}").resolve()
        self._release = release
        self._architecture = architecture.debian
        self._nothing_installed = self._folder / "status"

    def download(self, names: Sequence[str], *, beside_system: bool = False) -> list[Path]:
        """Return the package files of `names` and of all that they depend on.

        `beside_system`: leave out what is installed on this machine.
        """
        self._prepare()
        status = _SYSTEM_STATUS if beside_system else self._nothing_installed
        install = ("--no-install-recommends", "-y", "install", *names)
        files = self._planned(status, *install)
        self._run("apt-get", status, "-qq", "--download-only", *install)
        return files

    def download_only(self, names: Sequence[str]) -> list[Path]:
        """Return the package files of `names` alone."""
        self._prepare()
        files = self._planned(self._nothing_installed, "download", *names)
        if not all(file.exists() for file in files):
            self._run("apt-get", self._nothing_installed, "-qq", "download", *names)
        return files

    def names(self, prefix: str) -> list[str]:
        """Return the names of all packages that begin so."""
        self._prepare()
        return self._run("apt-cache", self._nothing_installed, "pkgnames", prefix).split()

    def dependencies(self, name: str) -> list[str]:
        """Return the names that a package depends on directly."""
        self._prepare()
        shown = self._run("apt-cache", self._nothing_installed, "show", "--no-all-versions", name)
        depends = re.search(r"^Depends: (.*)$", shown, re.MULTILINE)
        return re.findall(r"(?:^|, )([^ ,]+)", depends[1]) if depends else []

    def _planned(self, status: Path, *arguments: str) -> list[Path]:
        """Return the files that apt would have; it lists only those that it does not see."""
        nowhere = self._folder / "empty"  # `download` looks where it stands, too
        seen = ("-o", f"Dir::Cache::archives={nowhere}")
        listed = self._run(
            "apt-get", status, "-qq", *seen, "--print-uris", *arguments, where=nowhere
        )
        lines = [line.split() for line in listed.splitlines() if line.startswith("'")]
        return [self._archives / words[1] for words in lines]

    @property
    def _archives(self) -> Path:
        return self._folder / "cache" / "archives"

    def _prepare(self) -> None:
        lists = self._folder / "state" / "lists"
        if (self._folder / "updated").exists():
            return
        (lists / "partial").mkdir(parents=True, exist_ok=True)
        (self._archives / "partial").mkdir(parents=True, exist_ok=True)
        (self._folder / "empty/partial").mkdir(parents=True, exist_ok=True)
        self._nothing_installed.write_text("")
        site = _mirror()
        suites = (self._release.name, self._release.backports)
        lines = [f"deb {site} {suite} main\n" for suite in suites]
        (self._folder / "sources.list").write_text("".join(lines))
        self._run("apt-get", self._nothing_installed, "-qq", "update")
        (self._folder / "updated").write_text("")

    def _run(self, program: str, status: Path, *arguments: str, where: Path | None = None) -> str:
        options = {
            "Dir::State": self._folder / "state",
            "Dir::Cache": self._folder / "cache",
            "Dir::State::status": status,
            "Dir::Etc::sourcelist": self._folder / "sources.list",
            "Dir::Etc::sourceparts": "/dev/null",
            "Debug::NoLocking": "1",
            "Acquire::Retries": _ATTEMPTS,
            "APT::Sandbox::User": "",
            "APT::Architecture": self._architecture,
            "APT::Architectures": self._architecture,
        }
        settings = [word for key, value in options.items() for word in ("-o", f"{key}={value}")]
        done = subprocess.run(
            [program, *settings, *arguments],
            cwd=where or self._archives,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise GuestError(
                f"{program} {' '.join(arguments)} failed:\n{done.stderr.strip()}\n"
                f"Guests need packages of Debian {self._release.number} and its backports; remove "
                f"{self._folder} to read their lists again."
            )
        return done.stdout


def unpack(packages: Iterable[Path], folder: Path, *members: str) -> None:
    """Unpack package files into a folder, all of them or the members that match a pattern.

    A pattern that matches nothing is no error: releases differ in what they have.
    """
    for package in packages:
        content = folder.parent / f".{package.name}.tar"
        try:
            with content.open("wb") as file:
                subprocess.run(
                    ["dpkg-deb", "--fsys-tarfile", str(package)], stdout=file, check=True
                )
            extract(content, folder, *members)
        finally:
            content.unlink(missing_ok=True)


def extract(content: Path, folder: Path, *members: str) -> None:
    """Unpack a tar file into a folder, all of it or the members that match a pattern."""
    wanted = ["--wildcards", *members] if members else []
    done = subprocess.run(
        ["tar", "-x", "-f", str(content), "-C", str(folder), "--no-same-owner", *wanted],
        capture_output=True,
        text=True,
        check=False,
    )
    faults = [line for line in done.stderr.splitlines() if not _HARMLESS.search(line)]
    if faults:
        raise GuestError(f"{content.name} was not unpacked:\n" + "\n".join(faults))


def need(program: str, package: str) -> str:
    """Return a program's path, or say which package has it."""
    path = shutil.which(program, path="/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
    if path is None:
        raise GuestError(f"{program} is not installed; on Debian: apt-get install {package}")
    return path


def _mirror() -> str:
    need("apt-get", "apt")
    need("dpkg-deb", "dpkg")
    sites = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(CODENAME) $(SITE)", "Created-By: Packages"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\n")
    found = [site.split()[1] for site in sites if site.startswith(f"{DEBIAN_12.name} ")]
    if not found:
        raise GuestError(
            f"This machine's apt knows no mirror of Debian 12 ({DEBIAN_12.name}): guests "
            "take kernel, Python and QEMU from there. Run it on Debian 12, or in a container of it."
        )
    return found[0]
