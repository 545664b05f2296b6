# SPDX-License-Identifier: Apache-2.0
"""The command line. Commands load what they need when they run, so that `--help` is quick."""

from coalescope.cli.main import main

__all__ = ["main"]
