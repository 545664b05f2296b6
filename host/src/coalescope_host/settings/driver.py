# SPDX-License-Identifier: Apache-2.0
"""Settings that a driver takes only while it is loaded: unload it, load it, find the interface.

The interface vanishes and returns, perhaps in another namespace and by another name: its bus
address says which one it is.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from ..plan.plan import DriverParameter, DriverSpec
from .device import Device, wait_until
from .errors import SettingError
from .flow_rules import lost_rules
from .level import Level, Levels, shown
from .link import LinkState, restore_link, save_link
from .program import output, run
from .rss_contexts import lost_contexts
from .topology import attached_programs, stacked

PREFIX = "driver."
INITIAL_NAMESPACE = "/proc/1/ns/net"
OWN_NAMESPACE = "/proc/self/ns/net"
APPEAR_S = 15.0
CARRIER_S = 15.0

Parameters = Mapping[str, str]


class Driver:
    """One loadable driver and the interface that it makes."""

    def __init__(self, spec: DriverSpec, device: Device) -> None:
        self.spec = spec
        self.device = device
        self.loaded: Parameters | None = None
        """What this process loaded it with; None: it did not, or the driver did not take that."""
        self.touched = False
        """Whether this process unloaded or loaded it."""
        self._saved_link: LinkState | None = None
        """What hung on the interface before this process unloaded it for the first time."""

    @property
    def module(self) -> str:
        """The module's name as the kernel lists it."""
        name = Path(self.spec.module).name
        return re.sub(r"\.ko(\.\w+)?$", "", name).replace("-", "_")

    def owns(self, factor: str) -> bool:
        """Whether a factor is a parameter of this driver."""
        return factor in self.spec.parameters or factor.startswith(PREFIX)

    def parameters(self, levels: Levels) -> dict[str, str]:
        """The parameters that the module gets for a cell."""
        given: dict[str, str] = {name: _text(level) for name, level in self.spec.fixed.items()}
        for factor, level in levels.items():
            if factor in self.spec.parameters:
                name, value = _scaled(self.spec.parameters[factor], level)
                given[name] = value
            elif factor.startswith(PREFIX):
                given[factor.removeprefix(PREFIX)] = _text(level)
        return given

    def problems(self, levels: Levels) -> list[str]:
        """Why it cannot be loaded with these levels, as far as can be known before trying."""
        if not any(map(self.owns, levels)):
            return []
        if not Path("/proc/modules").exists():
            return [f"driver {self.module}: this kernel has no loadable modules"]
        found = []
        if not self._is_loaded():
            found.append(f"driver {self.module} is not loaded; `modprobe {self.module}` loads it")
        if self.device.exists():
            found += self._wrong_driver() + self._sibling_ports() + self._lost()
        known = self._described
        found += [
            f"driver {self.module} has no parameter {name}; it has {', '.join(sorted(known))}"
            for name in self.parameters(levels)
            if known and name not in known
        ]
        return found

    def needs_reload(self, levels: Levels) -> bool:
        """Whether the driver has to be loaded anew for these levels."""
        return any(map(self.owns, levels)) and self.parameters(levels) != self.loaded

    def commands(self, levels: Levels) -> list[str]:
        """The shell commands that load it for these levels."""
        load = self._load_command(self._for_each_port(self.parameters(levels)))
        return [
            shlex.join(["rmmod", self.module]),
            shlex.join(load),
            *(shlex.join(command) for command in self.spec.after),
        ]

    def apply(self, levels: Levels) -> None:
        """Load it with the parameters for these levels, and put back what hung on the interface."""
        given = self.parameters(levels)
        carrier = self.device.has_carrier()
        refused = self._reload(self._for_each_port(given))
        self.loaded = given
        for command in self.spec.after:
            run(command, f"{self.device}: the step after loading {self.module} failed")
        if refused:
            self.loaded = None
            raise SettingError(
                f"{self.device}: {self.module} did not take {_list(given)}; the kernel said: "
                + "; ".join(refused)
            )
        if carrier and not self.device.wait_for_carrier(CARRIER_S):
            raise SettingError(
                f"{self.device}: no carrier {CARRIER_S:.0f} s after {self.module} was loaded; "
                "look at the cable and the other end"
            )

    def read_back(self, levels: Levels) -> dict[str, Level | None]:
        """What the module holds, where it shows it, else what it was loaded with."""
        found: dict[str, Level | None] = {}
        for factor, level in levels.items():
            if not self.owns(factor):
                continue
            parameter = self.spec.parameters.get(factor)
            name = parameter.name if parameter else factor.removeprefix(PREFIX)
            shown_now = self.readable().get(name)
            if shown_now is None:
                found[factor] = level if self.loaded is not None else None
            else:
                found[factor] = _unscaled(parameter, shown_now.partition(",")[0], level)
        return found

    def readable(self) -> dict[str, str]:
        """The parameters that the loaded module shows."""
        found = {}
        for path in sorted(Path("/sys/module", self.module, "parameters").glob("*")):
            try:
                found[path.name] = path.read_text(encoding="utf-8").strip()
            except (OSError, UnicodeDecodeError):
                continue
        return found

    def restore(self, saved: Parameters, address: str | None) -> None:
        """Load it as the machine's own configuration does, and with what differed from that."""
        self._reload({}, address)
        differing = {
            name: value
            for name, value in saved.items()
            if self.readable().get(name) != value and value not in ("", "(null)")
        }
        if differing:
            self._reload(differing, address)
        self.loaded, self.touched, self._saved_link = None, False, None

    def _reload(self, parameters: Parameters, address: str | None = None) -> list[str]:
        """Load it anew; what the kernel said against the parameters."""
        if self._saved_link is None and self.device.exists():
            self._saved_link = save_link(self.device)
        link = self._saved_link
        self.touched = True
        if address is None:
            address = bus_address(self.device)
        with _KernelLog() as log:
            if self._is_loaded():
                run(["rmmod", self.module], f"{self.device}: {self.module} cannot be unloaded")
            try:
                run(
                    self._load_command(parameters),
                    f"{self.device}: {self.module} cannot be loaded with {_list(parameters)}",
                )
            except SettingError:
                run(self._load_command({}), f"{self.device}: {self.module} cannot be loaded")
                self._fetch(address)
                if link is not None:
                    restore_link(self.device, link)
                raise
            self._fetch(address)
            refused = [
                line
                for line in log.lines()
                if self.module in line and re.search(r"(?i)unknown parameter|invalid", line)
            ]
        if link is not None and (failures := restore_link(self.device, link)):
            raise SettingError(*failures)
        return refused

    def _fetch(self, address: str | None) -> None:
        """Bring the interface back to its namespace and name."""
        if address is None:
            raise SettingError(f"{self.device}: it has no bus address to find it by")
        initial = INITIAL_NAMESPACE
        places = [self.device.netns, initial]
        if not wait_until(lambda: any(_name_at(address, p) for p in places), APPEAR_S):
            raise SettingError(
                f"{self.device}: {self.module} is loaded, but no interface appeared at {address} "
                f"within {APPEAR_S:.0f} s; `dmesg | tail` may say why"
            )
        output(["udevadm", "settle", "--timeout=5"])  # let udev finish naming it
        if name := _name_at(address, self.device.netns):
            _rename(Device(name, self.device.netns), self.device.name)
        elif name := _name_at(address, initial):
            _move(Device(name, initial), self.device)

    def _load_command(self, parameters: Parameters) -> list[str]:
        load = "insmod" if "/" in self.spec.module else "modprobe"
        return [load, self.spec.module, *(f"{n}={v}" for n, v in parameters.items())]

    def _is_loaded(self) -> bool:
        return Path("/sys/module", self.module).exists()

    def _wrong_driver(self) -> list[str]:
        actual = self.device.sysfs_link("device/driver/module") or self.device.sysfs_link(
            "device/driver"
        )
        if actual in (None, self.module):
            return [] if actual else [f"{self.device} belongs to no driver that can be reloaded"]
        return [f"{self.device} is driven by {actual}, not by {self.module}"]

    def _lost(self) -> list[str]:
        """What goes with the interface and cannot be put back."""
        reloading = f"reloading {self.module}"
        found = [
            f"{reloading} would take {what} away from {self.device}, and it could not "
            "be put back: remove it first"
            for what in (*stacked(self.device), *attached_programs(self.device))
        ]
        of_card = (lost_rules(self.device, reloading), lost_contexts(self.device, reloading))
        return [*found, *filter(None, of_card)]

    def _ports(self) -> list[str]:
        """Bus addresses of all devices of this driver."""
        return [
            path.name
            for driver in Path("/sys/module", self.module).glob("drivers/*")
            for path in driver.iterdir()
            if path.is_symlink() and path.name != "module"
        ]

    def _sibling_ports(self) -> list[str]:
        """Other interfaces that would vanish with the driver though somebody uses them."""
        own, found = bus_address(self.device), []
        for address in self._ports():
            for place in (self.device.netns, INITIAL_NAMESPACE):
                name = _name_at(address, place) if address != own else None
                if name and Device(name, place).link()["state"] == "up":
                    found.append(
                        f"reloading {self.module} would also take {name} away ({address}), "
                        f"which is up; `ip link set {name} down` if it is not needed"
                    )
                    break
        return found

    @cached_property
    def _described(self) -> dict[str, str]:
        """The parameters that `modinfo` knows, with their descriptions; empty without it."""
        printed = output(["modinfo", "-F", "parm", self.spec.module]) or ""
        lines = (line.partition(":") for line in printed.splitlines() if ":" in line)
        return {name: about for name, _, about in lines}

    def _for_each_port(self, parameters: Parameters) -> dict[str, str]:
        """A parameter that is an array has an entry for each port: give each the same."""
        described, ports = self._described, max(1, len(self._ports()))
        return {
            name: ",".join([value] * ports)
            if "(array of" in described.get(name, "") and "," not in value
            else value
            for name, value in parameters.items()
        }


def bus_address(device: Device) -> str | None:
    """Where the interface's hardware is, e.g. "0000:00:03.0"; None if there is none."""
    if device.netns is None and device.is_in_sysfs() and (name := device.sysfs_link("device")):
        return name  # sooner than by netlink
    parent = device.link().get_attr("IFLA_PARENT_DEV_NAME") or device.sysfs_link("device")
    return None if parent is None else str(parent)


def _text(level: Level) -> str:
    return str(int(level)) if isinstance(level, bool) else shown(level)


def _scaled(parameter: DriverParameter, level: Level) -> tuple[str, str]:
    if isinstance(level, (str, bool)):
        return parameter.name, _text(level)
    return parameter.name, str(round(level * parameter.multiply))


def _unscaled(parameter: DriverParameter | None, text: str, asked: Level) -> Level:
    """What a parameter's text means as a level; the level asked for if rounding hides it."""
    if parameter is not None and _scaled(parameter, asked)[1] == text:
        return asked
    try:
        value = int(text)
    except ValueError:
        return text
    return value if parameter is None else value / parameter.multiply


def _list(parameters: Parameters) -> str:
    return " ".join(f"{n}={v}" for n, v in parameters.items()) or "no parameters"


def _name_at(address: str, netns: str | None) -> str | None:
    """The name of the interface at a bus address in a namespace."""
    if netns is None and (name := _name_in_sysfs(address)):
        return name
    place = Device("interfaces", netns)
    for link in place.routing(lambda ip: list(ip.get_links()), "cannot be listed"):
        if link.get_attr("IFLA_PARENT_DEV_NAME") == address:
            return str(link.get_attr("IFLA_IFNAME"))
    return None


def _name_in_sysfs(address: str) -> str | None:
    """The same where /sys knows it and is that of this namespace; it answers sooner."""
    for path in Path("/sys/class/net").glob("*/device"):
        name = path.parent.name
        if path.readlink().name == address and Device(name).is_in_sysfs():
            return name
    return None


def _rename(device: Device, name: str) -> None:
    if device.name != name:
        if device.link()["state"] == "up":
            device.change_link("cannot be set down to rename it", state="down")
        device.change_link(f"cannot be renamed to {name}", ifname=name)


def _move(device: Device, to: Device) -> None:
    """Move an interface into a namespace, where it gets its name."""
    place = OWN_NAMESPACE if to.netns is None else f"/run/netns/{to.netns}"
    target = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
    try:
        device.change_link(f"cannot be moved to {to}", net_ns_fd=target, ifname=to.name)
    finally:
        os.close(target)


class _KernelLog:
    """The kernel's messages from here on; none where they cannot be read."""

    def __enter__(self) -> _KernelLog:
        try:
            self._file: int | None = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
            os.lseek(self._file, 0, os.SEEK_END)
        except OSError:
            self._file = None
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            os.close(self._file)

    def lines(self) -> list[str]:
        """What came since, without the numbers before each message."""
        found: list[str] = []
        while self._file is not None:
            try:
                record = os.read(self._file, 8192)
            except BlockingIOError:
                break
            except OSError:  # some were overwritten before they could be read
                continue
            found.append(record.decode("utf-8", "replace").partition(";")[2].splitlines()[0])
        return found
