# SPDX-License-Identifier: Apache-2.0
"""Which ways the reader's conditions went: of each conditional jump of its byte code, both."""

import dis
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from types import CodeType, FrameType, ModuleType
from typing import Any

Branch = tuple[str, int, bool]  # function with file and line, offset of the jump, whether it jumped


@dataclass
class Branches:
    """Branches of some modules, and those that were taken while somebody watched."""

    jumps: dict[CodeType, dict[int, int]]  # offset → where it goes
    names: dict[CodeType, str]
    prefixes: dict[
        CodeType, dict[int, int]
    ]  # where a jump's prefix for far targets stands → offset
    taken: set[Branch] = field(default_factory=set)

    @classmethod
    def of_the_reader(cls) -> "Branches":
        """All of the modules that bytes of a log come through."""
        from coalescope_host.run_log import (
            block_contents,
            blocks,
            bounded_json,
            findings,
            header,
            preamble,
            reader,
        )

        return cls.of(preamble, reader, findings, blocks, block_contents, header, bounded_json)

    @classmethod
    def of(cls, *modules: ModuleType) -> "Branches":
        jumps, names, prefixes = {}, {}, {}
        for module in modules:
            assert module.__file__ is not None
            with open(module.__file__, encoding="utf-8") as source:  # noqa: PTH123
                whole = compile(source.read(), module.__file__, "exec")
            for code in _functions(whole):
                jumps[code] = {
                    one.offset: int(one.argval)
                    for one in dis.get_instructions(code)
                    if _is_condition(one)
                }
                names[code] = f"{module.__name__}.{code.co_qualname}:{code.co_firstlineno}"
                prefixes[code] = {
                    one.offset: two.offset
                    for one, two in pairwise(dis.get_instructions(code))
                    if one.opname == "EXTENDED_ARG"
                }
        return cls(jumps, names, prefixes)

    @property
    def possible(self) -> set[Branch]:
        return {
            (self.names[code], offset, jumped)
            for code, jumps in self.jumps.items()
            for offset in jumps
            for jumped in (True, False)
        }

    def share(self, taken: set[Branch] | None = None) -> float:
        """Of the possible branches, those taken."""
        return len(self.taken if taken is None else taken) / len(self.possible)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Note what is taken in this context."""
        before = sys.gettrace()
        sys.settrace(self._called)
        try:
            yield
        finally:
            sys.settrace(before)

    def _called(self, frame: FrameType, event: str, _: Any) -> Any:
        jumps = self.jumps.get(frame.f_code)
        if jumps is None:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        name, prefixes, last = self.names[frame.f_code], self.prefixes[frame.f_code], -1

        def step(frame: FrameType, event: str, _: Any) -> Any:
            nonlocal last
            if event == "opcode":
                if last in jumps:
                    self.taken.add((name, last, frame.f_lasti == jumps[last]))
                last = prefixes.get(frame.f_lasti, frame.f_lasti)
            return step

        return step


def _functions(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _functions(constant)


def _is_condition(instruction: dis.Instruction) -> bool:
    jumps = instruction.opcode in dis.hasjrel or instruction.opcode in dis.hasjabs
    return jumps and ("_IF_" in instruction.opname or instruction.opname == "FOR_ITER")
