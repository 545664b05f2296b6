# SPDX-License-Identifier: Apache-2.0
"""Writes manual pages and shell completion, from what the programs take.

python docs/manual_pages.py DIR [PROGRAM …]

DIR gets man1/ and man5/, and bash/, zsh/ and fish/ with the files that these shells load by their
names: of the programs that are named, else of all. Those in Python are asked themselves; what the
logger takes is in its manual page, what the traffic tool takes in its tables of roles and options.
"""

import re
import runpy
import shlex
import sys
from argparse import SUPPRESS, Action, ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from coalescope.cli.parser import build_parser
from coalescope_host.command_line import parsers
from plan_page import NAME as PLAN
from plan_page import plan_page

_ROOT = Path(__file__).resolve().parents[1]
_HOST = _ROOT / "host"
_LOGGER = _ROOT / "driver" / "logger" / "coalescope-logger.1"
_TRAFFIC = _ROOT / "driver" / "traffic"
_OPTION = re.compile(r"^\.It (Fl .*)$")
_CHOICE = re.compile(r"^\.It Cm (\S+)$")


class Room(NamedTuple):
    """What can be typed in one place: after the program's name, or after a command's.

    Attributes:
        path: the words before, without the program's name.
        does: what the command does.
    """

    path: tuple[str, ...]
    does: str
    parser: ArgumentParser

    @property
    def words(self) -> str:
        """The path as it is typed."""
        return " ".join(self.path)

    @property
    def commands(self) -> dict[str, str]:
        """The commands that can follow, and what they do."""
        return {room.path[-1]: room.does for room in rooms(self.parser)[1:] if len(room.path) == 1}

    @property
    def options(self) -> list[Action]:
        """What begins with a hyphen."""
        return [action for action in self.parser._actions if action.option_strings]

    @property
    def operands(self) -> list[Action]:
        """What is typed without a hyphen, but for commands."""
        return [
            action
            for action in self.parser._actions
            if not action.option_strings and not isinstance(action, _SubParsersAction)
        ]


def rooms(parser: ArgumentParser, path: tuple[str, ...] = (), does: str = "") -> list[Room]:
    """The place after the program's name, and those after each command of it."""
    found = [Room(path, does, parser)]
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            helps = {choice.dest: choice.help or "" for choice in action._choices_actions}
            for name, below in action.choices.items():
                found += rooms(below, (*path, name), helps.get(name, ""))
    return found


def said(action: Action, parser: ArgumentParser) -> str:
    """The help of an option, as --help prints it."""
    if action.help in (None, SUPPRESS):
        return ""
    return parser._get_formatter()._expand_help(action)


# --- manual pages ---


def manual_pages(parser: ArgumentParser) -> dict[str, str]:
    """The text of each page by its name: of the program, and of each command."""
    commands = {}
    for room in rooms(parser)[1:]:
        room.parser.description = room.parser.description or f"{room.does}."
        commands[room.words] = room.parser
    pages_of = runpy.run_path(str(_HOST / "man_pages.py"))["pages_of"]
    made: dict[str, str] = pages_of(parser, commands)
    return made


# --- completion ---


def parser_of(page: Path) -> ArgumentParser:
    """The options that a manual page in mdoc lists, and what they take."""
    parser = ArgumentParser(page.stem, add_help=False)
    action: Action | None = None
    for line in page.read_text(encoding="utf-8").splitlines():
        if option := _OPTION.match(line):
            names = re.findall(r"Fl (\S+)", option[1])
            takes = "store" if " Ar " in option[1] else "store_true"
            action = parser.add_argument(*(f"-{name}" for name in names), action=takes)
        elif action is not None and (choice := _CHOICE.match(line)):
            action.choices = [*(action.choices or ()), choice[1]]
        elif action is not None and action.help is None and not line.startswith("."):
            action.help = line.rstrip(".;:").replace("%", "%%")
        elif line.startswith(".Sh"):
            action = None
    return parser


def parser_of_traffic(folder: Path = _TRAFFIC) -> ArgumentParser:
    """The roles of the traffic tool, and the options of each, as its source lists them."""
    source = (folder / "options.c").read_text(encoding="utf-8")
    helps = _helps((folder / "coalescope-traffic.1").read_text(encoding="utf-8"))
    options = re.findall(r'\{"([\w-]+)", ([A-Z_]+), (?:0|offsetof\([^)]*\)), ([A-Z_ |]+),', source)
    groups = dict(re.findall(r"^\t([A-Z_]+) = ([A-Z_ |]+),$", source, re.MULTILINE))
    parser = ArgumentParser("coalescope-traffic")
    parser.add_argument("--version", action="store_true")
    kinds = parser.add_subparsers()
    below: dict[str, _SubParsersAction[ArgumentParser]] = {}
    for kind, word, role in re.findall(r'\{\{"([\w-]+)", "([\w-]+)"\}, ([A-Z_]+)\}', source):
        if kind not in below:
            below[kind] = kinds.add_parser(kind, add_help=False).add_subparsers()
        taking = below[kind].add_parser(word, add_help=False)
        for name, form, roles in options:
            if role in _roles(roles, groups):
                action = taking.add_argument(
                    f"--{name}", action="store_true" if form == "FLAG" else "store"
                )
                action.choices = ("udp", "tcp") if form == "TRANSPORT" else None
                action.help = helps.get(name)
    return parser


def _roles(expression: str, groups: dict[str, str]) -> set[str]:
    """The roles that names joined by | stand for."""
    found = set[str]()
    for name in expression.split(" | "):
        found |= _roles(groups[name], groups) if name in groups else {name}
    return found


def _helps(page: str) -> dict[str, str]:
    """By option, the line that follows it in a manual page."""
    rows = re.findall(r"^\.It (Fl .*)\n([^.\n].*)$", page, re.MULTILINE)
    return {
        name: line.rstrip(".;:").replace("%", "%%")
        for options, line in reversed(rows)
        for name in re.findall(r"Fl -(\S+)", options)
    }


def bash(parser: ArgumentParser) -> str:
    """What bash-completion loads."""
    name, function = parser.prog, _function(parser)
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        f"# bash completion of {name}, written by docs/manual_pages.py from what it takes",
        f"{function}() {{",
        '  local at="" word cur="${COMP_WORDS[COMP_CWORD]}"',
        '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
        f'    case "${{at:+$at }}$word" in {_paths(parser)}) at="${{at:+$at }}$word" ;; esac',
        "  done",
        '  case "$at ${COMP_WORDS[COMP_CWORD-1]}" in',
        *(
            f"    {shlex.quote(f'{room.words} {option}')}) "
            f'COMPREPLY=($(compgen -W {shlex.quote(_choices(action))} -- "$cur")); return ;;'
            for room in rooms(parser)
            for action in room.options
            if action.choices is not None
            for option in action.option_strings
        ),
        "  esac",
        '  case "$at" in',
        *(
            f"    {shlex.quote(room.words)}) COMPREPLY=($(compgen -W {shlex.quote(_all(room))} "
            '-- "$cur")) ;;'
            for room in rooms(parser)
        ),
        "  esac",
        "}",
        f"complete -o default -F {function} {name}",
        "",
    ]
    return "\n".join(lines)


def zsh(parser: ArgumentParser) -> str:
    """What zsh's compinit finds."""
    name, function = parser.prog, _function(parser)
    lines = [
        f"#compdef {name}",
        "# SPDX-License-Identifier: Apache-2.0",
        f"# zsh completion of {name}, written by docs/manual_pages.py from what it takes",
        f"{function}() {{",
        '  local at="" word',
        "  local -a commands options",
        '  for word in "${words[@]:1:$((CURRENT-2))}"; do',
        f'    case "${{at:+$at }}$word" in {_paths(parser)}) at="${{at:+$at }}$word" ;; esac',
        "  done",
        '  case "$at ${words[CURRENT-1]}" in',
        *(
            f"    {shlex.quote(f'{room.words} {option}')}) compadd -- {_choices(action)}; return ;;"
            for room in rooms(parser)
            for action in room.options
            if action.choices is not None
            for option in action.option_strings
        ),
        "  esac",
        '  case "$at" in',
        *(line for room in rooms(parser) for line in _zsh_room(room)),
        "  esac",
        "  [[ ${words[CURRENT]} == -* ]] && { _describe -o option options; return }",
        "  (( $#commands )) && { _describe command commands; return }",
        "  _files",
        "}",
        f'{function} "$@"',
        "",
    ]
    return "\n".join(lines)


def _zsh_room(room: Room) -> Iterator[str]:
    commands = [_described(name, does) for name, does in room.commands.items()]
    options = [
        _described(option, said(action, room.parser))
        for action in room.options
        for option in action.option_strings
    ]
    yield f"    {shlex.quote(room.words)})"
    yield f"      commands=({' '.join(commands)})"
    yield f"      options=({' '.join(options)}) ;;"


def _described(name: str, text: str) -> str:
    return shlex.quote(f"{name}:{text}" if text else name)


def fish(parser: ArgumentParser) -> str:
    """What fish loads."""
    name, function = parser.prog, f"_{_function(parser)}_at"
    paths = " ".join(shlex.quote(room.words) for room in rooms(parser)[1:])
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        f"# fish completion of {name}, written by docs/manual_pages.py from what it takes",
        f"function {function}",
        "  set -l at",
        "  for word in (commandline -opc)[2..-1]",
        f'    if contains -- (string join " " -- $at $word) {paths}',
        "      set at $at $word",
        "    end",
        "  end",
        '  test "$at" = "$argv"',
        "end",
    ]
    for room in rooms(parser):
        start = f"complete -c {name} -n {_fish(f'{function} {room.words}'.rstrip())}"
        lines += [
            f"{start} -f -a {command} -d {_fish(does)}" for command, does in room.commands.items()
        ]
        lines += [f"{start} {_fish_option(action, room.parser)}" for action in room.options]
    return "\n".join([*lines, ""])


def _fish_option(action: Action, parser: ArgumentParser) -> str:
    names = [
        f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
        for option in action.option_strings
    ]
    takes = [] if action.nargs == 0 else ["-r"]
    if action.choices is not None:
        takes = ["-x", "-a", _fish(_choices(action))]
    text = said(action, parser)
    return " ".join([*names, *takes, *(["-d", _fish(text)] if text else [])])


def _fish(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _function(parser: ArgumentParser) -> str:
    return "_" + re.sub(r"[^a-z]", "_", parser.prog)


def _paths(parser: ArgumentParser) -> str:
    """All paths, as a pattern of the shell; without commands, one that nothing is."""
    return "|".join(shlex.quote(room.words) for room in rooms(parser)[1:]) or "''"


def _choices(action: Action) -> str:
    return " ".join(map(str, action.choices or ()))


def _all(room: Room) -> str:
    return " ".join(
        [*room.commands, *(o for action in room.options for o in action.option_strings)]
    )


def files(*programs: str) -> Iterator[tuple[str, str]]:
    """Paths below DIR, and what stands there."""
    for parser in (build_parser(), parsers()[0]):
        name = parser.prog
        if programs and name not in programs:
            continue
        for page, text in manual_pages(parser).items():
            yield f"man1/{page}.1", text
        yield from completion(parser)
        if name == "coalescope-host":
            yield f"man5/{PLAN}.5", plan_page()
    for parser in (parser_of(_LOGGER), parser_of_traffic()):
        if not programs or parser.prog in programs:
            yield from completion(parser)


def completion(parser: ArgumentParser) -> Iterator[tuple[str, str]]:
    """Paths below DIR, and what stands there."""
    name = parser.prog
    yield f"bash/{name}", bash(parser)
    yield f"zsh/_{name}", zsh(parser)
    yield f"fish/{name}.fish", fish(parser)


def main(folder: Path, *programs: str) -> None:
    """Write all of it."""
    for name, text in files(*programs):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
