# SPDX-License-Identifier: Apache-2.0
"""Write the manual pages of the host tools into a folder: python3 host/man_pages.py FOLDER.

They are made of what the commands say of themselves, in mdoc, with the standard library alone.
"""

import argparse
import os
import re
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "src"))
from coalescope_host.command_line import VERSION, parsers


def pages() -> dict[str, str]:
    """The text of each page of the host tools by its name."""
    return pages_of(*parsers())


def pages_of(
    program: argparse.ArgumentParser, commands: Mapping[str, argparse.ArgumentParser]
) -> dict[str, str]:
    """The text of each page by its name: of the program, and of each command.

    A command of a command, `token create`, has a page too: `PROGRAM-token-create`.
    """
    made = {program.prog: "\n".join(_program(program, commands)) + "\n"}
    for word, command in commands.items():
        lines = _command(program.prog, word, command, commands)
        made[_named(program.prog, word)] = "\n".join(lines) + "\n"
    return made


def _named(program: str, word: str) -> str:
    return f"{program}-{word.replace(' ', '-')}"


def _program(
    program: argparse.ArgumentParser, commands: Mapping[str, argparse.ArgumentParser]
) -> Iterator[str]:
    does = _text(program.description).rstrip(".")
    yield from _head(program.prog, does[0].lower() + does[1:])
    yield from (".Nm", ".Ar command", ".Op Ar arguments", ".Sh DESCRIPTION")
    yield "Each command has a page of its own:"
    yield ".Bl -tag -width Ds"
    for word, command in commands.items():
        yield f".It Xr {_named(program.prog, word)} 1"
        yield _roff(command.description)
    yield from (".El", ".Sh EXIT STATUS", _statuses(program), ".Sh SEE ALSO")
    yield ".Xr coalescope-logger 1 ,\n.Xr ethtool 8"


def _command(
    program: str,
    word: str,
    command: argparse.ArgumentParser,
    commands: Mapping[str, argparse.ArgumentParser],
) -> Iterator[str]:
    does = _text(command.description).rstrip(".")
    yield from _head(_named(program, word), does[0].lower() + does[1:])
    usage = re.sub(r"\s+", " ", command.format_usage()).removeprefix("usage: ").strip()
    yield from (_roff(usage), ".Sh DESCRIPTION", _roff(command.description))
    for group in command._action_groups:
        shown = [
            action
            for action in group._group_actions
            if action.help is not argparse.SUPPRESS and not _is_help(action)
        ]
        if not shown:
            continue
        if group.description or group.title not in ("positional arguments", "options"):
            yield f".Ss {_roff(_capital(group.title))}"
        if group.description:
            yield _roff(group.description)
        yield ".Bl -tag -width Ds"
        for action in shown:
            yield f".It {_roff(_called(action))}"
            if action.help:
                yield _roff(_explained(action, command.prog))
        yield ".El"
    yield from (".Sh EXIT STATUS", _statuses(command), ".Sh SEE ALSO")
    others = [program, *(_named(program, other) for other in sorted(commands) if other != word)]
    pages = [f".Xr {name} 1" for name in others]
    yield " ,\n".join([*pages, f".Xr {program}-plan 5"] if word == "sweep" else pages)


def _head(name: str, does: str) -> Iterator[str]:
    yield '.\\" SPDX-License-Identifier: Apache-2.0'
    made = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH") or time.time()))
    yield f".Dd {time.strftime('%B', made)} {made.tm_mday}, {made.tm_year}"
    yield f".Dt {name.upper()} 1"
    yield f".Os Coalescope {VERSION}"
    yield from (".Sh NAME", f".Nm {name}", f".Nd {_roff(does)}", ".Sh SYNOPSIS")


def _statuses(parser: argparse.ArgumentParser) -> str:
    """What --help says of them at its end."""
    return _roff(_text(parser.epilog).removeprefix("Exit status: "))


def _is_help(action: argparse.Action) -> bool:
    return "--help" in action.option_strings


def _called(action: argparse.Action) -> str:
    value = action.metavar if isinstance(action.metavar, str) else action.dest
    if not action.option_strings:
        return value
    return ", ".join(action.option_strings) + ("" if action.nargs == 0 else f" {value}")


def _explained(action: argparse.Action, prog: str) -> str:
    return _text(action.help) % {**vars(action), "prog": prog}


def _text(said: str | None) -> str:
    return said or ""


def _capital(said: str | None) -> str:
    """The text with a capital first; those in it stay."""
    text = _text(said)
    return text[:1].upper() + text[1:]


def _roff(said: str | None) -> str:
    """Text as mdoc takes it: a backslash, and a point or quote that begins a line, are no order."""
    escaped = _text(said).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


def main(folder: Path) -> None:
    """Write all of them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in pages().items():
        (folder / f"{name}.1").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
