# SPDX-License-Identifier: Apache-2.0
"""What a plan says of the machines: the driver, the peers, the logger, notes, the server."""

from __future__ import annotations

import re
from pathlib import Path
from types import MappingProxyType

from .addresses import refusal_of_address
from .factors import FAMILIES
from .plan import DriverParameter, DriverSpec, LoggerSpec, PeerSpec, UploadSpec
from .server_url import A_SERVER, is_server
from .toml_table import Table

INTERFACE = re.compile(r"[^\s/:]{1,15}")


def driver_of(above: Table) -> DriverSpec | None:
    """[driver], or None."""
    if "driver" not in above:
        above.raw("driver")
        return None
    table = above.table("driver")
    fixed_table = table.table("fixed")
    fixed = {name: fixed_table.raw(name) for name in fixed_table.names()}
    rule = FAMILIES["driver"][1]
    for name, value in fixed.items():
        if not rule.allows(value):
            fixed_table.fault(name, f"must be {rule.description}.", value)
    parameters_table = table.table("parameters")
    parameters = {
        name: _driver_parameter(parameters_table, name) for name in parameters_table.names()
    }
    for name, parameter in parameters.items():
        if parameter.name in fixed:
            parameters_table.fault(name, f"{parameter.name} is in driver.fixed too: keep one.")
    module, after = table.text("module"), _commands(table, "after")
    table.close()
    return DriverSpec(module, MappingProxyType(fixed), MappingProxyType(parameters), after)  # type: ignore[arg-type]


def _commands(table: Table, name: str) -> tuple[tuple[str, ...], ...]:
    listed = table.raw(name) if name in table else []
    if not isinstance(listed, list) or not all(
        isinstance(command, list) and command and all(isinstance(word, str) for word in command)
        for command in listed
    ):
        table.fault(name, "must be a list of commands, each a list of texts.", listed)
        return ()
    return tuple(tuple(command) for command in listed)


def _driver_parameter(above: Table, name: str) -> DriverParameter:
    if isinstance(above.raw(name), str):
        return DriverParameter(above.text(name))
    table = above.table(name)
    parameter = DriverParameter(table.text("name"), table.number("multiply", 1.0, low=0, high=1e9))
    table.close()
    return parameter


def peer_of(table: Table) -> PeerSpec:
    """One of [[peers]]."""
    ssh = table.text("ssh")
    if ssh.startswith("-"):
        table.fault("ssh", "must be a destination; options go to ssh_options.", ssh)
    address = table.text("address")
    if reason := refusal_of_address(address):
        table.fault("address", reason, address)
    peer = PeerSpec(
        ssh,
        address,
        table.matching("interface", INTERFACE, "an interface's name")
        if "interface" in table
        else None,
        table.texts("ssh_options", ()),
        table.text("python", "python3"),
    )
    table.raw("interface")
    table.close()
    return peer


def environment_of(table: Table) -> dict[str, str]:
    """The notes of [environment]; those of the virtual machine as virtual_machine.NAME."""
    notes: dict[str, str] = {}
    for name in table.names():
        value = table.raw(name)
        if name == "virtual_machine" and isinstance(value, dict):
            machine = environment_of(table.table(name))
            notes |= {f"{name}.{fact}": text for fact, text in machine.items()}
            continue
        table.check_name(name, "a note")
        if isinstance(value, (str, int, float)):
            notes[name] = str(value)
        else:
            table.fault(name, "must be a text or a number.", value)
    return notes


def logger_of(above: Table) -> LoggerSpec:
    """[logger]."""
    table = above.table("logger")
    dilated = "time_dilation" in table
    spec = LoggerSpec(
        table.text("path", "coalescope-logger"),
        table.texts("options", ()),
        table.number("time_dilation", low=1, high=1e6) if dilated else None,
    )
    table.raw("time_dilation")
    table.close()
    return spec


def upload_of(above: Table, folder: Path) -> UploadSpec | None:
    """[upload], or None; the file of the token is relative to `folder`."""
    if "upload" not in above:
        above.raw("upload")
        return None
    table = above.table("upload")
    if "token" in table:
        table.raw("token")
        table.fault(
            "token", "a token does not belong in a plan: use token_file, or COALESCOPE_TOKEN."
        )
    server = table.text("server")
    if server and not is_server(server):
        table.fault("server", A_SERVER, server)
    token_file = table.optional_text("token_file")
    table.close()
    return UploadSpec(server, None if token_file is None else folder / token_file)
