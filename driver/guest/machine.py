# SPDX-License-Identifier: Apache-2.0
"""Boot a Debian guest, run a shell script in it, and get its files back.

In a test (marker `guest`; kernel, QEMU and the guest's programs are fetched once, a boot takes
about three seconds):

    from guest.machine import Guest
    from guest.kernel import debian_kernel

    def test_something(tmp_path):
        kernel = debian_kernel()
        built = kernel.build(MODULE_FOLDER, tmp_path / "module")
        guest = Guest(nics=("e1000e",), modules=("e1000e",), files={"/module.ko": built[0]})
        result = guest.run("insmod /module.ko && cat /proc/modules >/out/list", tmp_path / "out")
        assert "module" in result.text("list")

`debian_kernel("7.2")` is another kernel, one of `guest.kernel.KERNELS`; modules are built for it by
its own release's compiler.

What the script writes to /out is in the output folder, also when the guest is killed. /out is slow
and not quite POSIX: write to /tmp what is timed, and copy it afterwards. The guest has busybox,
iproute2, ethtool and Python 3.11.

With `cpus=1` the guest counts time by instructions (`icount_shift`: 2**shift ns each), so that its
clocks do not depend on how busy the machine is; 3 makes a CPU of 125 million instructions a second.
With more CPUs there is no such time: give `icount_shift=None`.

Network cards are named as QEMU does, with options if need be ("e1000", "e1000e", "igb",
"virtio-net-pci", "vmxnet3"), and all hang on one cable. Card number i (from 0) is at PCI address
0000:00:(4+i).0 with the MAC address 52:54:00:00:00:(1+i).

A virtio-net card with `mq=on` has two queues. QEMU's own cables have one: such a card hangs on a
tap of this machine, which a bridge joins to the others' cable, in a network namespace that ends
with the guest. Flows are spread by their hash; with one CPU the guest uses the second queue after
`ethtool -L CARD combined 2`.
"""

import os
import re
import select
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from guest import cpio
from guest.debian import need
from guest.emulator import Emulator, debian_qemu
from guest.errors import GuestError, PowerCut
from guest.folders import BUILD, HERE, alone
from guest.kernel import Kernel, debian_kernel, without_signature
from guest.root import debian_root

_ALWAYS = ("virtio_pci", "9pnet_virtio", "9p")
_COMMAND_LINE = (
    "quiet panic=-1 nokaslr mitigations=off preempt=none nowatchdog iomem=relaxed "
    "random.trust_cpu=on cryptomgr.notests"
)
_TROUBLE = re.compile(
    r"WARNING:|BUG:|Oops|kernel BUG|general protection|[Uu]nable to handle|UBSAN|KASAN"
    r"|possible (?:circular|recursive) locking|inconsistent lock state|suspicious RCU"
    r"|scheduling while atomic|sleeping function called|rcu.*stall|blocked for more than"
    r"|unregister_netdevice: waiting|soft lockup|hard LOCKUP|Call Trace"
)
_MAC = "52:54:00:00:00:{:02x}"
_FIRST_SLOT = 4
_OUTPUT_SLOT = 0x1E
_QUEUES = 2
_UPLINK = "uplink"
# $1 is the tap of the cable, $2 those of cards, the rest the command that is run beside them
_BRIDGED = """
set -e
sysctl -qw net.ipv6.conf.default.disable_ipv6=1
ip link add cable type bridge
ip link set cable up
ip tuntap add mode tap name "$1"
for tap in $2; do ip tuntap add mode tap multi_queue name $tap; done
for tap in $1 $2; do ip link set $tap master cable up; done
shift 2
exec "$@"
"""
_DISK_SLOT = 0x1D


@dataclass(frozen=True)
class Result:
    """What a guest left behind."""

    console: str
    output: Path
    """The folder that was /out."""
    exit_status: int
    """Of the script."""
    kernel_log: str
    wall_s: float
    cpu_s: float
    """Of the emulator, user and system."""

    def text(self, name: str) -> str:
        """Return a file of /out as text."""
        return (self.output / name).read_text()

    def kernel_trouble(self) -> list[str]:
        """Return the lines of the kernel log that tell of a fault in the kernel."""
        return [line for line in self.kernel_log.splitlines() if _TROUBLE.search(line)]


@dataclass(frozen=True)
class Guest:
    """A virtual machine that can be run any number of times; nothing is kept between runs."""

    nics: Sequence[str] = ()
    modules: Sequence[str] = ()
    """Modules of the kernel that are loaded before the script, with their dependencies."""
    on_board: Sequence[str] = ()
    """Modules of the kernel that lie in /lib/modules for `modprobe`, with their dependencies."""
    files: Mapping[str, Path | bytes | str] = field(default_factory=dict)
    """Path in the guest → a file or folder of the host (kept executable), bytes, or text.

    Bytes and text are executable if they begin with `#!`.
    """
    kernel: Kernel | None = None
    """None: Debian 12's, Linux 6.1. The guest has the processor that it is for."""
    emulator: Emulator | None = None
    """None: QEMU 10 of Debian's backports."""
    cpus: int = 1
    cpu_model: str | None = None
    """As QEMU names it; `max` is what programs compiled for later processors need."""
    icount_shift: int | None = 3
    seed: int = 1
    """Of QEMU's own random numbers, and so of the guest's."""
    memory_mb: int = 512
    disk: str | None = None
    """File of the drive /dev/vda, as QEMU names one. With the module virtio-blk."""
    command_line: str = ""
    """Further words for the kernel; those with `=` are also in the script's environment."""

    def run(
        self,
        script: str,
        output: Path,
        *,
        timeout_s: float = 600,
        check: bool = True,
        console: Path | None = None,
        cut: int | None = None,
    ) -> Result:
        """Boot, run a shell script as root, power off.

        `console`: a file that grows with what the guest says. `cut`: a file descriptor; once it
        can be read, the emulator is killed.

        Errors: PowerCut when `cut` said so; GuestError when the guest does not end in time or
        dies, and, with `check`, when the script fails or the kernel log tells of a fault.
        """
        if self.cpus > 1 and self.icount_shift is not None:
            raise ValueError("QEMU counts instructions for one CPU only: give icount_shift=None")
        with alone():
            kernel = self.kernel or debian_kernel()
            emulator = self.emulator or debian_qemu(architecture=kernel.architecture)
            root = debian_root(architecture=kernel.architecture)
        output.mkdir(parents=True, exist_ok=True)
        for left_over in (".exit-status", ".kernel-log"):
            (output / left_over).unlink(missing_ok=True)
        with tempfile.TemporaryDirectory(prefix="guest-", dir=BUILD) as folder:
            initrd, console = Path(folder, "initrd"), console or Path(folder, "console")
            console.write_text("")
            with initrd.open("wb") as archive:
                archive.write(root.read_bytes())
                cpio.write(archive, cpio.parents(self._entries(kernel, script)))
            started = time.monotonic()
            command = self._command(emulator, kernel, initrd, console, output)
            trouble, cpu_s = _run_emulator(command, emulator.environment, timeout_s, cut)
            wall_s = time.monotonic() - started
            said = console.read_text(errors="replace")
        result = _result(said.replace("\r", ""), output, trouble, wall_s, cpu_s)
        if check:
            _check(result)
        return result

    def _entries(self, kernel: Kernel, script: str) -> list[cpio.Entry]:
        loaded = kernel.with_dependencies((*_ALWAYS, *self.modules))
        shipped = kernel.with_dependencies((*_ALWAYS, *self.modules, *self.on_board))
        place = {
            path: f"lib/modules/{kernel.abi}/{path.relative_to(kernel.modules)}" for path in shipped
        }
        listing = (kernel.modules / "modules.dep").read_text().splitlines()
        shipped_names = {str(path.relative_to(kernel.modules)) for path in shipped}
        dependencies = [line for line in listing if line.split(":")[0] in shipped_names]
        entries = [cpio.file(place[path], without_signature(path.read_bytes())) for path in shipped]
        entries.append(
            cpio.file(
                f"lib/modules/{kernel.abi}/modules.dep", "\n".join([*dependencies, ""]).encode()
            )
        )
        to_load = "".join(f"/{place[path]}\n" for path in loaded)
        entries.append(cpio.file("etc/modules", to_load.encode()))
        entries.append(cpio.file("init", (HERE / "init").read_bytes(), executable=True))
        entries.append(cpio.file("job", script.encode()))
        for name, content in self.files.items():
            entries += _entries_of(name.lstrip("/"), content)
        return entries

    def _command(
        self, emulator: Emulator, kernel: Kernel, initrd: Path, console: Path, output: Path
    ) -> list[str]:
        threads = "single" if self.icount_shift is not None else "multi"
        command = [*emulator.command(), "-accel", f"tcg,thread={threads}", "-smp", str(self.cpus)]
        architecture = kernel.architecture
        command += [*architecture.machine, "-cpu", self.cpu_model or architecture.cpu_model]
        if self.icount_shift is not None:
            command += ["-icount", f"shift={self.icount_shift},sleep=off"]
            command += ["-rtc", "base=2024-01-01,clock=vm"]
        command += ["-seed", str(self.seed), "-m", str(self.memory_mb), "-nodefaults"]
        command += ["-display", "none", "-no-reboot", "-serial", f"file:{console}"]
        command += ["-kernel", str(kernel.image), "-initrd", str(initrd)]
        words = f"{architecture.command_line} {_COMMAND_LINE} {self.command_line}"
        command += ["-append", words.rstrip()]
        if self.disk is not None:
            drive = f"file={self.disk},format=raw,if=none,id=disk,cache=writeback"
            command += [
                "-drive",
                drive,
                "-device",
                f"virtio-blk-pci,drive=disk,addr={_DISK_SLOT:#x}",
            ]
        command += ["-fsdev", f"local,id=out,path={output.resolve()},security_model=none"]
        command += ["-device", f"virtio-9p-pci,fsdev=out,mount_tag=out,addr={_OUTPUT_SLOT:#x}"]
        bridged = []
        for number, nic in enumerate(self.nics):
            model, comma, options = nic.partition(",")
            end = f"cable{number}"
            place = f"mac={_MAC.format(number + 1)},addr={_FIRST_SLOT + number:#x},romfile="
            if "mq=on" in options.split(","):
                bridged.append(end)
                command += ["-netdev", f"{_tap(end)},queues={_QUEUES}"]
            else:
                command += ["-netdev", f"hubport,hubid=0,id={end}"]
            command += ["-device", f"{model},netdev={end},{place}{comma}{options}"]
        return _beside_bridge(bridged, command) if bridged else command


def _tap(name: str) -> str:
    return f"tap,id={name},ifname={name},script=no,downscript=no"


def _beside_bridge(taps: Sequence[str], command: Sequence[str]) -> list[str]:
    """Return the command line that runs QEMU where its cable and these taps are joined."""
    need("ip", "iproute2")
    as_root = () if os.geteuid() == 0 else ("--map-root-user",)
    uplink = ("-netdev", _tap(_UPLINK), "-netdev", f"hubport,hubid=0,netdev={_UPLINK},id=up")
    script = ("sh", "-c", _BRIDGED, "sh", _UPLINK, " ".join(taps))
    return [need("unshare", "util-linux"), "--net", *as_root, *script, *command, *uplink]


def _entries_of(name: str, content: Path | bytes | str) -> list[cpio.Entry]:
    if isinstance(content, str):
        return [cpio.file(name, content.encode(), executable=content.startswith("#!"))]
    if isinstance(content, bytes):
        return [cpio.file(name, content, executable=content.startswith(b"#!"))]
    if content.is_dir():
        return [cpio.folder(name), *cpio.below(content, name)]
    executable = bool(content.stat().st_mode & 0o100)
    return [cpio.file(name, content.read_bytes(), executable=executable)]


def _run_emulator(
    command: list[str], environment: Mapping[str, str], timeout_s: float, cut: int | None
) -> tuple[str, float]:
    """Return what went wrong, or nothing, and the CPU seconds that it took."""
    ends = [] if cut is None else [cut]
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
        )
        end = os.pidfd_open(process.pid)
        in_time: list[int] = []
        try:
            in_time, _, _ = select.select([end, *ends], [], [], timeout_s)
        finally:
            os.close(end)
            if end not in in_time:
                process.kill()
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        cpu_s = used.ru_utime + used.ru_stime
        if cut in in_time:
            raise PowerCut("The power was cut.")
        if not in_time:
            return f"The guest did not end within {timeout_s:g} s.", cpu_s
        errors.seek(0)
        said = errors.read().decode(errors="replace").strip()
    return f"QEMU failed: {said}" if process.returncode else "", cpu_s


def _result(console: str, output: Path, trouble: str, wall_s: float, cpu_s: float) -> Result:
    status = output / ".exit-status"
    kernel_log = output / ".kernel-log"
    if trouble or not kernel_log.exists():
        trouble = trouble or "The guest died before its script ended."
        raise GuestError(f"{trouble} The end of its console:\n{console[-4000:]}")
    return Result(
        console=console,
        output=output,
        exit_status=int(status.read_text()),
        kernel_log=kernel_log.read_text(errors="replace"),
        wall_s=wall_s,
        cpu_s=cpu_s,
    )


def _check(result: Result) -> None:
    faults = []
    if trouble := result.kernel_trouble():
        faults.append("\n".join(["The guest's kernel log tells of a fault:", *trouble]))
    if result.exit_status:
        faults.append(
            f"The guest's script ended with status {result.exit_status}. The end of its console:\n"
            f"{result.console[-4000:]}"
        )
    if faults:
        raise GuestError("\n".join(faults))
