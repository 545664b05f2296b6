# SPDX-License-Identifier: Apache-2.0
"""A host whose interface is set for a run, and put back as it was."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypedDict

from ..plan.plan import DriverSpec
from ..plan.registry import WORKLOAD_CPUS
from ..spelling import suggestion
from .capabilities import NET_ADMIN, lacking
from .channels import CHANNELS
from .cpus import offline, parse_list
from .device import Device
from .driver import Driver, Parameters, bus_address
from .errors import SettingError
from .group import Group, write_each
from .groups import GROUPS, OF_THE_MACHINE, group_of
from .known_driver import DELAY, differences
from .level import Level, Levels, shown
from .link import LinkState, restore_link, save_link
from .rss import RSS
from .topology import UpperState, restore_uppers, save_uppers

CARRIER_S = 15.0
PASSES = 2
"""A value of the interface may overwrite one of a queue that was as it should be."""
NEEDS_ROOT = f"settings need root ({NET_ADMIN})"
NO_SETTING = {
    "napi_weight": "the weight is built into the driver; if it has a module parameter for it, "
    'name that in [driver.parameters], napi_weight = "…"',
    "delay_ticks": 'ticks are a register of the driver: name its module parameter in '
    '[driver.parameters], delay_ticks = "RxAbsIntDelay" for e1000 and e1000e',
    "moderation_rate_hz": "name the module parameter of the driver in [driver.parameters], "
    'moderation_rate_hz = "InterruptThrottleRate" for e1000 and e1000e',
}  # fmt: skip


class DriverState(TypedDict):
    """A driver that the sweep may load anew."""

    module: str
    parameters: dict[str, str]


class SavedHost(TypedDict):
    """All that is put back, as JSON."""

    interface: str
    netns: str | None
    bus_address: str | None
    settings: dict[str, dict[str, Level]]
    link: LinkState
    uppers: list[UpperState]
    driver: DriverState | None


class Host:
    """This host's interface under test."""

    def __init__(
        self, interface: str, driver: DriverSpec | None = None, netns: str | None = None
    ) -> None:
        self.device = Device(interface, netns)
        self.driver = None if driver is None else Driver(driver, self.device)
        self._saved: SavedHost | None = None
        self._before_reloads: dict[str, dict[str, Level]] | None = None

    def problems(self, levels: Levels) -> list[str]:
        """Why these levels cannot be set here. Changes nothing."""
        if not self.device.exists():
            place = f" in namespace {self.device.netns}" if self.device.netns else ""
            names = self._names()
            near = suggestion(self.device.name, names)
            there = f"{', '.join(names)}{near and f'.{near}'}"
            return [f"there is no interface {self.device.name}{place}; there are {there}"]
        found = [] if may_administer() else [NEEDS_ROOT]
        for factor, level in levels.items():
            if self.driver is not None and self.driver.owns(factor):
                continue
            if problem := self._problem(factor, level, levels):
                found.append(f"{self.device}: {factor} = {shown(level)}: {problem}")
        if self.driver is not None:
            found += self.driver.problems(levels)
        return found

    def changes(self, levels: Levels) -> list[str]:
        """What setting them would do, as shell commands; only what differs from now."""
        commands: list[str] = []
        if self.driver is not None and self.driver.needs_reload(levels):
            commands += self.driver.commands(levels)
        for group, asked in self._asked(levels):
            differing = _to_write(group, asked, self.device)
            if differing and _with_table(group, levels):
                commands += RSS.commands(self.device, {"rss_default": True})
            commands += group.commands(self.device, differing)
        return commands

    def save(self, *, whole_machine: bool = True) -> Mapping[str, Any]:
        """All that `apply` may change, as it is now: JSON.

        `whole_machine`: also what all interfaces have in common; then nobody else may.
        """
        self._saved = SavedHost(
            interface=self.device.name,
            netns=self.device.netns,
            bus_address=bus_address(self.device),
            settings={
                name: levels
                for name, levels in self._settings().items()
                if whole_machine or name not in OF_THE_MACHINE
            },
            link=save_link(self.device),
            uppers=save_uppers(self.device),
            driver=self._driver_state(),
        )
        return self._saved

    def apply(self, levels: Levels) -> Mapping[str, Level | None]:
        """Set what differs; what the device took, factor → level, None where it cannot be read.

        Raises:
            SettingError: naming interface, setting, the value asked for and the kernel's words.
        """
        asked_by_group = self._asked(levels)
        carrier = self.device.has_carrier()
        if self.driver is not None and self.driver.needs_reload(levels):
            if self._before_reloads is None:
                self._before_reloads = self._settings()
            self.driver.apply(levels)
            # what the driver forgot; cells that lack it are as they were
            self._put_back(self._before_reloads)
        for group, asked in asked_by_group:
            if differing := _to_write(group, asked, self.device):
                if _with_table(group, levels):
                    RSS.release(self.device)
                group.write(self.device, differing)
        if carrier and not self.device.wait_for_carrier(CARRIER_S):
            raise SettingError(
                f"{self.device}: lost its carrier when it was set, and it did not come back within "
                f"{CARRIER_S:.0f} s"
            )
        return self._read_back(levels, asked_by_group)

    def restore(self, state: Mapping[str, Any]) -> None:
        """Set everything back; go on after what fails.

        Doing it twice does no harm.

        Raises:
            SettingError: with each thing that could not be put back, and the command for it.
        """
        failures: list[str] = []
        try:
            self._restore_driver(state)
        except SettingError as error:
            failures.append(f"{error}. By hand: {self._driver_command(state)}")
        if not self.device.exists():
            failures.append(f"{self.device}: the interface is gone; nothing of it can be put back")
            raise SettingError(*failures)
        unset = self._put_back(state["settings"])
        failures += self._attempt_link(state["link"])
        if unset:  # some can be set only while the link is up
            failures += self._put_back(state["settings"])
        # a state that an older version saved has none
        failures += restore_uppers(self.device.netns, state.get("uppers", []))
        if state["link"]["carrier"]:
            self.device.wait_for_carrier(CARRIER_S)  # a cable that was pulled is nobody's fault
        if failures:
            raise SettingError(*failures)

    def restore_settings(self, state: Mapping[str, Any]) -> None:
        """Like `restore`, for settings only: neither driver nor addresses."""
        failures = self._put_back(state["settings"])
        if failures:
            raise SettingError(*failures)

    def facts(self) -> Mapping[str, str]:
        """The driver, where the interface sits, and the kernel."""
        link = self.device.link()
        found = {
            "interface": self.device.name,
            "driver": self.device.sysfs_link("device/driver") or _kind(link),
            "bus_address": bus_address(self.device),
            "kernel_version": platform.release(),
            "queues_rx": link.get_attr("IFLA_NUM_RX_QUEUES"),
            "speed_mbps": self.device.sysfs("speed"),
        }
        return {name: str(value) for name, value in found.items() if value not in (None, "", "-1")}

    def now(self, factors: Iterable[str]) -> Levels:
        """How these factors are set; those that cannot be read are left out."""
        wanted = dict.fromkeys(factors)
        found: dict[str, Level] = {}
        for group in GROUPS:
            if owned := [name for name in wanted if group.owns(name)]:
                levels = group.read(self.device)
                found |= {name: levels[name] for name in owned if name in levels}
        return found

    def remarks(self, levels: Levels, read_back: Mapping[str, Level | None]) -> list[str]:
        """Where the device took another value than was asked for."""
        found = []
        for factor, took in read_back.items():
            group = group_of(factor)
            asked = levels[factor] if group is None else group.convert(factor, levels[factor])
            if took != asked:
                now = "it cannot be read" if took is None else f"the device took {shown(took)}"
                found.append(f"{self.device}: {factor} = {shown(asked)} was asked for, {now}")
        told = differences(self.facts(), levels, read_back) if DELAY in read_back else ()
        return found + [f"{self.device}: {DELAY} = {shown(levels[DELAY])}: {d}" for d in told]

    def _names(self) -> list[str]:
        links = self.device.routing(lambda ip: list(ip.get_links()), "cannot be listed")
        return [str(link.get_attr("IFLA_IFNAME")) for link in links]

    def _problem(self, factor: str, level: Level, cell: Levels) -> str | None:
        group = group_of(factor)
        if group is None:
            if factor.startswith("driver."):
                return "the plan has no [driver] whose parameter this could be"
            return _offline(level) if factor == WORKLOAD_CPUS else NO_SETTING.get(factor)
        try:
            return group.problem(self.device, factor, group.convert(factor, level), cell)
        except (ValueError, SettingError) as error:
            return str(error)

    def _asked(self, levels: Levels) -> list[tuple[Group, dict[str, Level]]]:
        """The levels by group; those of the driver and of the workload left out."""
        found = []
        for group in GROUPS:
            asked: dict[str, Level] = {}
            for factor, level in levels.items():
                if group.owns(factor) and not (self.driver and self.driver.owns(factor)):
                    try:
                        asked[factor] = group.convert(factor, level)
                    except ValueError as error:
                        raise SettingError(
                            f"{self.device}: {factor} = {shown(level)}: {error}"
                        ) from None
            if asked:
                found.append((group, asked))
        return found

    def _read_back(
        self, levels: Levels, asked_by_group: list[tuple[Group, dict[str, Level]]]
    ) -> dict[str, Level | None]:
        found: dict[str, Level | None] = {}
        for group, asked in asked_by_group:
            now = group.read(self.device)
            found |= {factor: now.get(factor) for factor in asked}
        if self.driver is not None:
            found |= self.driver.read_back(levels)
        return {factor: found[factor] for factor in levels if factor in found}

    def _settings(self) -> dict[str, dict[str, Level]]:
        return {group.name: group.saved(self.device) for group in GROUPS}

    def _put_back(self, settings: Mapping[str, Mapping[str, Level]]) -> list[str]:
        """Write what differs from what was saved; what could not be put back."""
        failures: list[str] = []
        with suppress(SettingError):  # what is not put back for it, the groups say
            RSS.make_way(self.device, settings.get("rss", {}), settings.get("channels", {}))
        for group in GROUPS:
            try:
                failures += self._put_back_group(group, settings.get(group.name, {}))
            except SettingError as error:
                failures.append(str(error))
        return failures

    def _put_back_group(self, group: Group, saved: Mapping[str, Level]) -> list[str]:
        def differing() -> dict[str, Level]:
            now = group.saved(self.device)
            return {name: level for name, level in saved.items() if now.get(name) != level}

        said: list[str] = []
        for _ in range(PASSES):
            if not (left := differing()):
                return []
            said = [str(error) for error in write_each(group, self.device, left)]
        if not (left := differing()):
            return []
        listed = ", ".join(f"{name} = {shown(level)}" for name, level in left.items())
        commands = "; ".join(group.commands(self.device, left))
        because = f" ({'; '.join(said)})" if said else ""
        return [f"{self.device}: {listed} could not be put back{because}. By hand: {commands}"]

    def _attempt_link(self, saved: LinkState) -> list[str]:
        try:
            return restore_link(self.device, saved)
        except SettingError as error:
            return [str(error)]

    def _driver_state(self) -> DriverState | None:
        if self.driver is None:
            return None
        return DriverState(module=self.driver.spec.module, parameters=self.driver.readable())

    def _restore_driver(self, state: Mapping[str, Any]) -> None:
        saved = state["driver"]
        if saved is None:
            return
        driver = self.driver or Driver(DriverSpec(saved["module"]), self.device)
        untouched = self._saved is not None and not driver.touched and self.device.exists()
        if not untouched:
            parameters: Parameters = saved["parameters"]
            driver.restore(parameters, state["bus_address"])

    def _driver_command(self, state: Mapping[str, Any]) -> str:
        module = (state["driver"] or {}).get("module", "")
        load = "insmod" if "/" in module else "modprobe"
        return f"rmmod {Path(module).stem}; {load} {module}"


def open_host(interface: str, driver: DriverSpec | None = None, netns: str | None = None) -> Host:
    """The interface under test, which need not be there yet: `problems` says so."""
    return Host(interface, driver, netns)


def open_saved(state: Mapping[str, Any]) -> Host:
    """The host that a state was saved of."""
    driver = state["driver"]
    spec = None if driver is None else DriverSpec(str(driver["module"]))
    return Host(str(state["interface"]), spec, state["netns"])


def may_administer() -> bool:
    """Whether this process may change interfaces."""
    return not lacking(NET_ADMIN)


def _to_write(group: Group, asked: Levels, device: Device) -> dict[str, Level]:
    """What differs of what is asked for, with what it implies."""
    now = group.read(device)
    wanted = {**asked, **group.implied(asked, now)}
    return {factor: level for factor, level in wanted.items() if now.get(factor) != level}


def _with_table(group: Group, levels: Levels) -> bool:
    """Whether these are queues, and the table that leads to them is set as well."""
    return group is CHANNELS and "rss_queues" in levels


def _offline(cpus: Level) -> str | None:
    try:
        return offline(parse_list(str(cpus)))
    except ValueError:
        return 'must be CPUs such as "0" or "0-3,8"'


def _kind(link: Any) -> str | None:
    information = link.get_attr("IFLA_LINKINFO")
    return None if information is None else information.get_attr("IFLA_INFO_KIND")
