# SPDX-License-Identifier: Apache-2.0
"""Writes docs/imported-formats.md: the files of other tools that are read, from their registry.

python docs/imported_formats.py > docs/imported-formats.md
"""

import sys
from collections.abc import Iterator

from coalescope.foreign.records import Format
from coalescope.foreign.registry import FORMATS
from coalescope_models.vocabulary.quantity import QUANTITIES

HEAD = """\
<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- Written by `python docs/imported_formats.py`: change coalescope/foreign/. -->

# Files of other tools

`coalescope import` and `coalescope upload` read what other tools wrote, and so does an upload
through the API. A file is recognised by its content, whatever its name; it may be gzipped.

```sh
coalescope import iperf3.json sar.json ethtool.txt --experiment my-lab --set mtu_bytes=9000
```

**What nobody says stays empty.** What a file does not say of its runs is asked for, in the words
that answer it: `--set mtu_bytes=9000`, `--set delay_us=50`, or `=unknown` if nobody knows. It holds
for all files of the command. A folder may say it for those in it: `mtu_bytes=9000/delay_us=50/`.
In a request to the API it is `set=mtu_bytes=9000,delay_us=50`.

**Files of one run are joined.** What a machine said in samples (sar, mpstat) counts where the
samples lie within the run: by time, and by machine. Tools write whole seconds, so a sample at the
edge is left out. What has no time (a setting, two snapshots) belongs to the runs in its folder and
below. Where that is not enough to know, it is asked for: `host` is the machine under test,
`interface` the network interface, `utc_offset` that of local times, `started_at` when a tool ran
that does not say it. A file that belongs to no run is refused by name.

**PCP is read through its own tool.** An archive of pmlogger, packed or not, is refused; what
`pcp2json` (Debian: `pcp-export-pcp2json`) writes of it is read. Nobody runs that for you, as `-t`
has to be the interval that pmlogger took, or longer: between those, pcp2json interpolates, so a
sample counts if the one before and the one after it lie within the run, too.

**Values of different windows are never combined.** A mean over samples is a mean; a ratio is made
of counts of one window only. Where two files say the same, the first format below counts, and a
difference of more than a tenth is said.

**Each value says where it is from.** The run's environment holds the file and the field of each
(`imported_from`), and the SHA-256 of each file. The files stay in the store as they came, in one
tar archive for all that were given together; `coalescope verify --deep` reads them again.
`coalescope check FILE` shows what a file says, and stores nothing.

`measure.NAME` is a measure of the experiment's own: what has no place in the
[glossary](glossary.md).
"""


def text() -> str:
    """The whole page."""
    return "".join([HEAD, *(part for form in FORMATS for part in _section(form))])


def _section(form: Format) -> Iterator[str]:
    commands = "`, `".join(form.made_by.split("; "))
    yield f"\n## {form.name}\n\n`{commands}`\n\n| field | becomes | |\n|---|---|---|\n"
    for field, quantity, remark in form.gives:
        known = QUANTITIES.get(quantity)
        unit = f" ({known.unit})" if known is not None and known.unit else ""
        yield f"| {_cell(field)} | `{quantity}`{unit} | {_cell(remark)} |\n"


def _cell(words: str) -> str:
    return words.replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(text())
