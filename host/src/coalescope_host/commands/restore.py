# SPDX-License-Identifier: Apache-2.0
"""`coalescope-host restore`: puts back what a sweep that died left changed."""

from argparse import Namespace

from coalescope_host.run import factory
from coalescope_host.terminal import say

from .answer import Answer
from .ending import ended


def run(options: Namespace) -> int:
    """Put back; 1 if something could not be."""
    return ended("restore", options, lambda answer: _restore(options, answer))


def _restore(options: Namespace, answer: Answer) -> int:
    done = factory.restore(options.state)
    for line in done:
        say(line)
    answer.tell((), done=done)
    return 0
