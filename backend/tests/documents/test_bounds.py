# SPDX-License-Identifier: Apache-2.0
"""Each bound that the documents name is the one that the code has."""

import re
from pathlib import Path

import pytest
from coalescope import app
from coalescope.cli.commands import serve
from coalescope.foreign import bundle, registry
from coalescope.predictions import sweeps
from coalescope.settings import Settings
from coalescope.sweeps.events import Listeners
from coalescope.untrusted import bounds
from coalescope.uploads import reading
from coalescope.web.security import body_limit, rates, slow_clients, token_attempts
from coalescope_host.run_log.layout import DEFAULT_LIMITS as LOG

DOCUMENTS = Path(__file__).parents[3] / "docs"
KIB, MIB, GIB = 10, 20, 30
READING_S = f"{bounds.READING_SECONDS:g} s"

SAID = {
    "operation.md": [
        f"{app._MOST_BODY_BYTES >> MIB} MiB, {body_limit._MOST_BRACKETS} brackets deep |",
        f"| streams of events | {Listeners()._most} |",
        f"a second for each {reading._LOG_BYTES_PER_S >> MIB} MiB where that is more; two at once",
        f"reading a run log above {reading.LARGEST_BYTES >> MIB} MiB, "
        f"showing the run of one above {reading.SHOWN_HERE_BYTES >> MIB} MiB",
        f"| an answer of predictions | {sweeps.MAX_NUMBERS:,} numbers |",
        f"| {slow_clients.MOST_HEAD_BYTES >> KIB} KiB; {slow_clients.HEAD_S:g} s |",
        f"| {slow_clients.BODY_S:g} s, and a second more for each KiB received |",
        f"| {slow_clients.SMALL_CHUNKS:,} of any size; of more, "
        f"each {slow_clients.CHUNK_BYTES} bytes in the mean |",
        f"| an answer that nobody takes | {slow_clients.ANSWER_S:g} s |",
        f"| {slow_clients.KEEP_ALIVE_S} s, longer than proxies keep theirs |",
        f"a JSON export by {bounds.EXPORT_BYTES >> MIB} MiB",
        f"by {registry.MOST_BYTES >> MIB} MiB, {bundle.MOST_FILES:,} files and "
        f"{bounds.FOREIGN_RUNS:,} runs",
        f"{bounds.FACTORS} factors of each experiment, {bounds.LISTED_MEASURES} measures, and of a "
        f"factor {bounds.LISTED_LEVELS} levels or {bounds.LISTED_LEVEL_CHARACTERS:,} characters",
        f"of experiments, and of deleted ones, at most {bounds.LISTED}; of runs 1,000",
        f"the newest {bounds.LISTED} are listed, of each upload with its first "
        f"{bounds.LISTED_UPLOAD_RUNS} runs",
        f"at most {bounds.EXPERIMENT_CELLS:,} cells with {bounds.EXPERIMENT_SUMMARIES:,} summaries "
        f"of measures, and {bounds.EXPERIMENT_SETTINGS_CHARACTERS:,} characters of settings",
        f"each JSON text by {bounds.JSON_VALUES:,} values",
        f"a text of ethtool by {bounds.SETTINGS:,} settings",
        f"a server takes {bounds.LOG_BLOCKS:,}:",
        f"archives of at most {bounds.ARCHIVE_BYTES >> GIB} GiB",
        f"{bounds.ARCHIVE_MEMBERS:,} files, {bounds.ARCHIVE_HEADER_BYTES >> KIB} KiB of headers",
        f"{bounds.ZIP_DIRECTORY_BYTES >> MIB} MiB of a zip archive's directory, with at most "
        f"{bounds.ARCHIVE_MEMORY_BYTES >> MIB} MiB of memory and "
        f"{bounds.ARCHIVE_SECONDS:g} s of CPU time",
        f"A table above {reading.READ_HERE_BYTES >> KIB} KiB "
        f"(to be looked at: {reading.LOOKED_AT_HERE_BYTES >> KIB} KiB)",
        f"A client that has shown {token_attempts._PER_MINUTE} unknown tokens in a minute",
    ],
    "security.md": [
        f"up to {reading.READ_HERE_BYTES >> KIB} KiB that nothing is packed in",
        f"a log up to {reading.LARGEST_BYTES >> MIB} MiB",
        f"a table up to {reading.LOOKED_AT_HERE_BYTES >> KIB} KiB mean",
        f"the run of a log up to {reading.SHOWN_HERE_BYTES >> MIB} MiB",
        f"whatever is sent is read within {READING_S}",
        f"a log beyond {READING_S[:-2]} times {reading._LOG_BYTES_PER_S >> MIB} MiB",
        f"of which a server takes at most {bounds.LOG_BLOCKS:,}",
        f"is kept for the last {rates._MOST_CLIENTS:,}",
        f"{bounds.READING_MIB} MiB of memory",
        f"ended by force {serve._END_S:g} s after SIGTERM",
    ],
    "run-log-format.md": [
        f"| {LOG.file_bytes >> GIB} GiB |",
        f"| {LOG.header_bytes >> MIB} MiB, {LOG.json_values:,} JSON values, "
        f"{LOG.json_depth} levels |",
        f"together | {LOG.json_values:,} JSON values, {LOG.json_depth} levels |",
        f"| {LOG.result_values:,} values, {2 * LOG.json_depth} levels;",
        f"| {LOG.streams} / {LOG.fields:,} |",
        f"| record | {LOG.record_bytes:,} bytes |",
        f"| {LOG.sample_bytes >> MIB} MiB / {LOG.payload_bytes >> MIB} MiB |",
        f"| {LOG.blocks:,} |",
        f"| {LOG.marks:,} / {LOG.results} |",
    ],
}
BY_SETTINGS = re.compile(r"`COALESCOPE_(\w+)` \(([\d,]+)( MiB)?[;)]")


@pytest.mark.parametrize(
    ("document", "said"), [(name, one) for name, listed in SAID.items() for one in listed]
)
def test_it_is_said_with_the_number_that_the_code_has(document: str, said: str) -> None:
    assert said in text_of(document)


def text_of(document: str) -> str:
    """On one line, as documents wrap anywhere."""
    return " ".join((DOCUMENTS / document).read_text(encoding="utf-8").split())


@pytest.mark.parametrize("document", ["operation.md", "security.md"])
def test_what_settings_change_is_said_with_their_defaults(document: str) -> None:
    settings = Settings()
    for name, number, unit in BY_SETTINGS.findall(text_of(document)):
        default = getattr(settings, name.lower())
        in_bytes = unit and name.endswith("_BYTES")
        assert float(number.replace(",", "")) == default / (2**20 if in_bytes else 1), name


def test_all_that_bounds_what_is_sent_is_looked_for() -> None:
    """A bound that is added has to be said somewhere."""
    here, guide = Path(__file__).read_text(encoding="utf-8"), "uploads/test_csv_guide.py"
    looked_for = here + (Path(__file__).parents[1] / guide).read_text(encoding="utf-8")
    of_pictures = {"GLANCE_ACROSS", "GLANCE_ROWS", "LARGEST_NUMBER"}
    names = {name for name in vars(bounds) if name.isupper() and not name.startswith("_")}
    assert {name for name in names - of_pictures if f"bounds.{name}" not in looked_for} == set()
