# SPDX-License-Identifier: Apache-2.0
"""`coalescope-host snapshot`: keeps what surrounds an interface."""

import json
from argparse import Namespace

from coalescope_host.exit_statuses import FAILED
from coalescope_host.plain_files import write_plain
from coalescope_host.snapshots.taking import NotTakenError, take
from coalescope_host.terminal import in_words, say

from .answer import Answer


def run(options: Namespace) -> int:
    """Write the snapshot to a file, or print it."""
    answer = Answer("snapshot", as_json=options.json)
    try:
        document = take(options.interface, redact_host=options.redact_host)
        text = json.dumps(document, indent=2, ensure_ascii=False)
        if options.out is not None:
            write_plain(options.out, f"{text}\n", over=options.force)
    except FileExistsError:
        return _failed(answer, f"{options.out} is there already; --force writes over it")
    except (NotTakenError, OSError) as error:
        return _failed(answer, in_words(error))
    said = text.split("\n") if options.out is None else [f"Kept in {options.out}."]
    file_name = None if options.out is None else str(options.out)
    answer.tell(said, file=file_name, snapshot=document)
    return answer.end(0)


def _failed(answer: Answer, message: str) -> int:
    say(f"coalescope-host snapshot: {message}")
    return answer.end(FAILED, "failed", message)
