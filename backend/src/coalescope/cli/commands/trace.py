# SPDX-License-Identifier: Apache-2.0
"""coalescope trace FILE.py: from a person's own function, on their own machine, to data."""

import json
import sys
from argparse import Namespace

from coalescope_models.user_models.source import SourceError, read_source

from coalescope.errors import CoalescopeError


def run(arguments: Namespace) -> int:
    """Run the file, record its function as a graph, print it as a document."""
    text = arguments.file.read_bytes()
    try:
        document = read_source(_decoded(text), str(arguments.file), arguments.function)
    except SourceError as error:
        raise CoalescopeError(
            "user_model_refused",
            error.message,
            where={} if error.place is None else {"line": error.place.line},
            advice="Name it with --function." if error.able else error.advice,
        ) from error
    printed = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    if arguments.write is None:
        sys.stdout.write(printed)
    else:
        arguments.write.write_text(printed, encoding="utf-8")
    return 0


def _decoded(text: bytes) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        raise SourceError(
            f"The file is not UTF-8: byte {error.start} is none.", "Save it as UTF-8."
        ) from None
