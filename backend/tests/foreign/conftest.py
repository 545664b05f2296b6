# SPDX-License-Identifier: Apache-2.0
"""The corpus of files that other tools wrote."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from coalescope.foreign.given import read_given
from coalescope.foreign.parsing import joined_runs
from coalescope.foreign.runs import JoinedRun

CORPUS = Path(__file__).parent / "corpus"
UNKNOWN = ("mtu_bytes=unknown", "delay_us=unknown")

Runs = Callable[..., list[JoinedRun]]


def corpus_file(name: str) -> bytes:
    return (CORPUS / name).read_bytes()


def runs_of(files: Mapping[str, bytes], given: Sequence[str] = UNKNOWN) -> list[JoinedRun]:
    return joined_runs(files, read_given(given))


@pytest.fixture
def runs() -> Runs:
    """The runs in files of the corpus, all in one folder."""

    def read(*names: str, given: Sequence[str] = UNKNOWN) -> list[JoinedRun]:
        return runs_of({Path(name).name: corpus_file(name) for name in names}, given)

    return read
