# SPDX-License-Identifier: Apache-2.0
"""coalescope openapi."""

import sys
from argparse import Namespace

from coalescope.cli.openapi_document import document_text


def run(_arguments: Namespace) -> int:
    """Print the description of the API as JSON."""
    sys.stdout.write(document_text())
    return 0
