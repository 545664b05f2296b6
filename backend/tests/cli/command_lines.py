# SPDX-License-Identifier: Apache-2.0
"""Every command that the parser knows, with something typed for each of its arguments."""

import argparse
from collections.abc import Iterator
from typing import NamedTuple

# What an argument may be, the first that its type takes; PLACES by what the help calls it.
VALUES = ("throughput_mbps", "name=1", "1", "a,b", "http://127.0.0.1:9", "delay_us=0:1")
PLACES = {"MODEL": "link-bound", "POLICY": "dim", "NAME": "nic-tuning-2022"}
# What a command asks for beyond its parser.
MORE = {
    ("recommend",): ("--maximise", "throughput_mbps"),
    ("experiments", "describe"): ("--subtitle", "two hosts"),
    ("runs", "correct"): ("--replicate", "2"),
}


class Leaf(NamedTuple):
    """A command that can be run: the words that name it, and what it takes."""

    words: tuple[str, ...]
    parser: argparse.ArgumentParser

    @property
    def of_store(self) -> bool:
        """Whether it opens the local store."""
        return any(action.dest == "data" for action in self.parser._actions)

    @property
    def typed(self) -> tuple[str, ...]:
        """The command with something for each of its arguments."""
        given = list(self.words)
        grouped = {
            a for group in self.parser._mutually_exclusive_groups for a in group._group_actions
        }
        chosen = {
            group._group_actions[0]
            for group in self.parser._mutually_exclusive_groups
            if group.required
        }
        for action in self.parser._actions:
            if action in grouped and action not in chosen:
                continue
            if action.required or not action.option_strings or action in chosen:
                given += [*action.option_strings[:1], value_of(action)]
        return (*given, *MORE.get(self.words, ()))


def value_of(action: argparse.Action) -> str:
    if action.choices:
        return str(next(iter(action.choices)))
    if action.metavar in PLACES:
        return PLACES[action.metavar]
    for value in VALUES:
        try:
            (action.type or str)(value)  # type: ignore[operator]
        except argparse.ArgumentTypeError:
            continue
        return value
    raise AssertionError(f"nothing to type for {action.metavar}")


def leaves(parser: argparse.ArgumentParser, words: tuple[str, ...] = ()) -> Iterator[Leaf]:
    below = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    for action in below:
        for name, command in action.choices.items():
            yield from leaves(command, (*words, name))
    if not below:
        yield Leaf(words, parser)
