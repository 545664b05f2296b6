# SPDX-License-Identifier: Apache-2.0
"""Samples and files are found for a run as if all were looked at."""

from coalescope.foreign.folders import Folders
from coalescope.foreign.records import Reading, Record, Window
from coalescope.foreign.registry import FORMATS, ReadFile
from coalescope.foreign.samples import Samples
from hypothesis import given
from hypothesis import strategies as st

DAY = 20_000
DAY_S = 86_400

seconds = st.integers(0, 40).map(float)
local_days = st.sampled_from([(), (DAY,), (DAY, DAY + 1)])


@st.composite
def windows(draw: st.DrawFn) -> Window:
    days = draw(local_days)
    start = draw(seconds) + (0.0 if days else float(DAY * DAY_S))
    return Window(start, start + draw(seconds), draw(st.sampled_from([0.0, 1.0])), days)


def file_of(name: str, *found: Window | None) -> ReadFile:
    samples = [Record("drops", 1.0, "packets", "a", window, kind="sample") for window in found]
    return ReadFile(name, FORMATS[0], Reading(beside=samples))


def lies_in(sample: Window, run: Window, offset_s: float | None) -> bool:
    """The definition, sample by sample."""
    moves = [0.0] if not sample.days else []
    if offset_s is not None:
        moves += [day * DAY_S - offset_s for day in sample.days]
    return any(
        sample.start_s + move >= run.start_s + run.late_s
        and sample.end_s + move + sample.late_s <= run.end_s
        for move in moves
    )


@given(
    found=st.lists(windows(), max_size=20),
    start=seconds,
    length=seconds,
    late=st.sampled_from([0.0, 1.0]),
    offset=st.sampled_from([None, 0.0, 7.0, -DAY_S]),
)
def test_samples_within_a_run_are_those_that_the_definition_names(
    found: list[Window], start: float, length: float, late: float, offset: float | None
) -> None:
    run = Window(DAY * DAY_S + start, DAY * DAY_S + start + length, late)
    samples = Samples(file_of("sar.json", None, *found))
    expected = [window for window in found if lies_in(window, run, offset)]
    assert [record.window for record in samples.within(run, offset)] == expected


names = st.lists(st.sampled_from(["", "a", "b", "ab"]), max_size=3).map(
    lambda folders: "/".join([*filter(None, folders), "file"])
)


@given(files=st.lists(names, max_size=8), runs=st.lists(st.lists(names, min_size=1), max_size=4))
def test_files_beside_a_run_are_in_its_folders_or_above(
    files: list[str], runs: list[list[str]]
) -> None:
    def is_beside(name: str, run: list[str]) -> bool:
        folder = name.removesuffix("file")
        return any(own.startswith(folder) for own in run)

    folders = Folders([file_of(name) for name in files], runs)
    for run in runs:
        expected = [name for name in files if is_beside(name, run)]
        assert [file.name for file in folders.around(run)] == expected
    for name in files:
        assert folders.runs_beside(name) == sum(is_beside(name, run) for run in runs)
