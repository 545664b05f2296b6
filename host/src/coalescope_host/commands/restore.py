# SPDX-License-Identifier: Apache-2.0
"""`coalescope-host restore`: puts back what a sweep that died left changed."""

from argparse import Namespace

from coalescope_host.run import factory

from .ending import ended, say


def run(options: Namespace) -> int:
    """Put back; 1 if something could not be."""
    return ended("restore", lambda: _restore(options))


def _restore(options: Namespace) -> int:
    for line in factory.restore(options.state):
        say(line)
    return 0
