# SPDX-License-Identifier: Apache-2.0
"""Debian's kernels for the guest, their modules, and building modules against their headers."""

import lzma
import re
import shutil
import struct
import subprocess
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from guest.architecture import AMD64, Architecture
from guest.debian import DEBIAN_12, DEBIAN_13, Apt, need, unpack
from guest.errors import GuestError
from guest.folders import BUILD, made_once
from guest.toolchain import Toolchain, debian_toolchain

KERNELS = {"6.1": DEBIAN_12, "6.12": DEBIAN_13, "7.2": DEBIAN_13}
"""Versions of Linux that guests can have → the release of Debian that has it, or its backports."""
OLDEST, NEWEST = next(iter(KERNELS)), next(reversed(KERNELS))
REAL_TIME = "6.12-rt"
"""One with PREEMPT_RT, which runs soft interrupts in threads."""

# What is kept of the 4,000 modules of a Debian kernel.
_KEPT = (
    "./boot/vmlinuz-*",
    "./boot/System.map-*",
    "*/vmlinuz",
    "*/System.map",
    "*/kernel/drivers/net/ethernet/intel/*",
    "*/kernel/drivers/net/*.ko*",
    "*/kernel/drivers/net/bonding/*",
    "*/kernel/drivers/virtio/*",
    "*/kernel/drivers/block/virtio_blk.ko*",
    "*/kernel/drivers/ptp/*",
    "*/kernel/drivers/pps/*",
    "*/kernel/drivers/i2c/algos/*",
    "*/kernel/drivers/dca/*",
    "*/kernel/fs/9p/*",
    "*/kernel/fs/ext4/*",
    "*/kernel/fs/jbd2/*",
    "*/kernel/fs/mbcache.ko*",
    "*/kernel/fs/netfs/*",
    "*/kernel/fs/fscache/*",
    "*/kernel/net/9p/*",
    "*/kernel/net/8021q/*",
    "*/kernel/net/802/*",
    "*/kernel/net/bridge/*",
    "*/kernel/net/core/*",
    "*/kernel/net/ipv4/udp_tunnel*",
    "*/kernel/net/ipv6/ip6_udp_tunnel*",
    "*/kernel/net/llc/*",
    "*/kernel/net/psample/*",
    "*/kernel/net/sched/*",
    "*/kernel/net/tls/*",
    "*/kernel/lib/*",
    "*/kernel/crypto/crc32c*",
    "*/modules.builtin*",
    "*/modules.order",
)


_XZ = b"\xfd7zXZ\0"
_ZSTD = b"\x28\xb5\x2f\xfd"
_APPENDED_SIZE_BYTES = 4
_SIGNED = b"~Module signature appended~\n"
_SIGNATURE_STRUCTURE_BYTES = 12


@dataclass(frozen=True)
class Kernel:
    """A kernel image with its modules and headers, unpacked."""

    abi: str
    """As `uname -r` says it, for example 6.1.0-50-amd64."""
    image: Path
    modules: Path
    """The folder lib/modules/ABI."""
    headers: Path
    """What `make -C` wants for modules."""
    architecture: Architecture = AMD64
    toolchain: Toolchain | None = None
    """What builds modules for it. None: this machine's own."""

    def with_dependencies(self, names: Iterable[str]) -> list[Path]:
        """Return the files of modules and of what they depend on, in the order of loading.

        Errors: GuestError for a module that is not there and not built in.
        """
        files = {_module_name(path): path for path in self.modules.rglob("*.ko*")}
        needed_by = self._needed_by(files)
        built_in = {_module_name(Path(line)) for line in _lines(self.modules / "modules.builtin")}
        order: list[Path] = []
        for name in (name.replace("-", "_") for name in names):
            if name in built_in:
                continue
            if name not in files:
                raise GuestError(
                    f"kernel {self.abi} has no module {name} among those kept for guests "
                    "(driver/guest/kernel.py)"
                )
            wanted = [*needed_by[name], files[name]]
            order += [path for path in wanted if path not in order]
        return order

    def _needed_by(self, files: dict[str, Path]) -> dict[str, list[Path]]:
        needed = {}
        for line in _lines(self.modules / "modules.dep"):
            module, _, others = line.partition(":")
            paths = [files[_module_name(Path(other))] for other in reversed(others.split())]
            needed[_module_name(Path(module))] = paths
        return needed

    def build(self, source: Path, into: Path, *arguments: str) -> list[Path]:
        """Build the modules of a folder with a Kbuild file, on a copy in `into`.

        Returns the modules, without debugging sections. Errors: GuestError with the
        compiler's words.
        """
        need("strip", "binutils")
        shutil.copytree(source, into, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.ko"))
        self.make(into, *arguments)
        modules = sorted(into.glob("*.ko"))
        for module in modules:
            subprocess.run(["strip", "--strip-debug", str(module)], check=True)
        return modules

    def make(self, folder: Path, *arguments: str) -> str:
        """Run Kbuild in a folder; returns what it printed. Errors: GuestError."""
        done = subprocess.run(
            self.command("make", "-C", str(self.headers), f"M={folder}", *arguments, "modules"),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise GuestError(f"{folder} does not build for {self.abi}:\n{done.stderr}")
        return done.stdout + done.stderr

    def command(self, *words: str) -> list[str]:
        """Return the command line that runs a program as a build for this kernel needs it."""
        if self.toolchain is not None:
            return self.toolchain.command(*words)
        for program, package in (("gcc", "gcc"), ("make", "make")):
            need(program, package)
        return list(words)


def without_signature(module: bytes) -> bytes:
    """Return a module without its signature, which costs a slow guest 0.3 s to check.

    Source: scripts/sign-file.c of Linux: data, signature, its size as the last 4 bytes of a
    12-byte structure, then a magic text.
    """
    if not module.endswith(_SIGNED):
        return module
    structure_end = len(module) - len(_SIGNED)
    size = int.from_bytes(module[structure_end - 4 : structure_end], "big")
    return module[: structure_end - _SIGNATURE_STRUCTURE_BYTES - size]


def uncompressed(image: bytes) -> bytes:
    """Return the kernel in a bzImage, which a slow guest inflates for as long as it boots.

    Another compression than Debian's, xz or zstd, stays as it is. Source:
    Documentation/arch/x86/boot.rst of Linux: setup_sects, payload_offset, payload_length.
    """
    setup_sectors = image[0x1F1] or 4
    offset, length = struct.unpack_from("<II", image, 0x248)
    start = (setup_sectors + 1) * 512 + offset
    payload = image[start : start + length]
    if payload.startswith(_XZ):
        return lzma.LZMADecompressor().decompress(payload)
    if payload.startswith(_ZSTD):
        return _without_zstd(payload[:-_APPENDED_SIZE_BYTES])
    return image


def _without_zstd(data: bytes) -> bytes:
    command = [need("zstd", "zstd"), "-dcq"]
    return subprocess.run(command, input=data, check=True, capture_output=True).stdout


def debian_kernel(
    version: str = OLDEST, build: Path = BUILD, architecture: Architecture = AMD64
) -> Kernel:
    """Fetch the newest Debian kernel of a version once; later calls return at once.

    `version` is one of KERNELS or REAL_TIME. Modules are built for AMD64 alone: of another
    architecture, there are no headers.
    """
    release = KERNELS[version.partition("-")[0]]
    kept = zlib.crc32("\n".join(_KEPT).encode())  # what is kept of it changes now and then
    own = "" if architecture == AMD64 else f"-{architecture.debian}"
    folder = made_once(
        build / f"kernel-{version}{own}-{kept:08x}",
        lambda folder: _fetch(folder, version, Apt(build, release, architecture), architecture),
    )
    modules = next((folder / "image/lib/modules").iterdir())
    places = (folder / f"image/boot/vmlinuz-{modules.name}", modules / "vmlinuz")
    packed = next(place for place in places if place.exists())

    def inflate(folder: Path) -> None:
        content = packed.read_bytes()
        unpacked = uncompressed(content) if architecture == AMD64 else content
        (folder / "vmlinux").write_bytes(unpacked)

    return Kernel(
        abi=modules.name,
        image=made_once(build / f"vmlinux-{modules.name}", inflate) / "vmlinux",
        modules=modules,
        headers=folder / f"headers/usr/src/linux-headers-{modules.name}",
        architecture=architecture,
        toolchain=None if release == DEBIAN_12 else debian_toolchain(release, build),
    )


def _newest_abi(version: str, apt: Apt, architecture: Architecture) -> str:
    """Return the ABI of the newest kernel of a version, ordinary or of the flavour it names."""
    number, dash, flavour = version.partition("-")
    names = apt.names(f"linux-headers-{number}.")
    number = rf"[\d.]+(?:\+deb\d+)?(?:-\d+)?{dash}{flavour}"
    wanted = re.compile(rf"linux-headers-({number}-{architecture.debian})")
    found = [match[1] for match in map(wanted.fullmatch, names) if match]
    if not found:
        raise GuestError(
            f"Debian's package lists have no kernel {version} any more: "
            f"choose another one in {Path(__file__).name}"
        )
    return max(found, key=lambda abi: [int(number) for number in re.findall(r"\d+", abi)])


def _fetch(folder: Path, version: str, apt: Apt, architecture: Architecture) -> None:
    depmod = need("depmod", "kmod")
    abi = _newest_abi(version, apt, architecture)
    image = f"linux-image-{abi}"
    parts = re.compile(r"linux-(?:base|binary|modules)-\d.*")  # since 7.1 it is split into these
    images = [image, *filter(parts.fullmatch, apt.dependencies(image))]
    image_folder = folder / "image"
    image_folder.mkdir()
    unpack(apt.download_only(images), image_folder, *_KEPT)
    if (image_folder / "usr/lib/modules").is_dir():
        (image_folder / "lib").mkdir()
        (image_folder / "usr/lib/modules").rename(image_folder / "lib/modules")
    _inflate_modules(image_folder)
    subprocess.run([depmod, "-b", str(image_folder), abi], check=True, capture_output=True)
    if architecture == AMD64:
        _fetch_headers(folder, abi, apt)


def _fetch_headers(folder: Path, abi: str, apt: Apt) -> None:
    headers, headers_folder = f"linux-headers-{abi}", folder / "headers"
    headers_folder.mkdir()
    beside = apt.dependencies(headers)
    common = _named(beside, r"linux-headers-.*-common(?:-rt)?")
    kbuild = _named(beside, r"linux-kbuild-.*")
    unpack(apt.download_only([headers, common, kbuild]), headers_folder)
    _move_headers(folder, abi)


def _inflate_modules(folder: Path) -> None:
    """A guest's busybox loads modules that are not compressed."""
    for module in folder.rglob("*.ko.xz"):
        module.with_suffix("").write_bytes(lzma.decompress(module.read_bytes()))
        module.unlink()


def _move_headers(folder: Path, abi: str) -> None:
    """Debian's headers name each other by absolute path: name them relative to themselves."""
    sources = folder / "headers/usr/src"
    makefile = sources / f"linux-headers-{abi}/Makefile"
    relative = makefile.read_text().replace("/usr/src", "$(SOURCES)")
    here = "SOURCES := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))..)\n"
    makefile.write_text(here + relative)
    for link in (sources / f"linux-headers-{abi}").iterdir():
        if link.is_symlink() and not link.exists():
            target = folder / "headers" / link.readlink().as_posix().lstrip("/")
            if target.exists():
                link.unlink()
                link.symlink_to(Path("..") / target.relative_to(sources))


def _named(names: Sequence[str], pattern: str) -> str:
    found = [name for name in names if re.fullmatch(pattern, name)]
    if not found:
        raise GuestError(f"Debian's package lists name no {pattern}, only {', '.join(names)}")
    return found[0]


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def _module_name(path: Path) -> str:
    return path.name.split(".ko")[0].replace("-", "_")
