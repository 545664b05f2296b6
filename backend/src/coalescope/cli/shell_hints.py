# SPDX-License-Identifier: Apache-2.0
"""What services say of fields and requests, in the words of the command line. Pure."""

from collections.abc import Mapping

from coalescope.errors import Where

#: Fields of requests, and the options that are typed for them.
FLAGS = {
    "aims": "--maximise or --minimise",
    "constraints": "--at-most or --at-least",
    "duration_us": "--phase or --duration",
    "free": "--free",
    "held": "--hold",
    "interrupt_cost_us": "--interrupt-cost or --packet-cost",
    "intervals_us": "--intervals",
    "over": "--over or --choose",
    "output": "--output",
    "pooled": "--pool",
    "resamples": "--resamples",
    "response": "--response",
    "split": "--split",
    "where": "--where",
    "without": "--without",
}

#: What services say, and what the command line says instead.
WORDS = {
    "token_file=… names a file that holds it": "--token-file names a file that holds it",
    "GET /api/models": "`coalescope models`",
    "GET /api/experiments/{slug}/runs lists": "`coalescope runs list EXPERIMENT` lists",
    "by naming an output and the parameters to find": "with --output and --free",
    "a fixed value (held)": "a fixed value with --hold",
    "(held)": "(--hold)",
    "The list of experiments has": "`coalescope experiments` lists",
    "The list of deleted experiments has": "`coalescope experiments list --deleted` lists",
    "Say whether more or less of it is wanted.": "Say so with --maximise or --minimise.",
    "Name a measure, and whether more or less of it is wanted.": "Name a measure, such as "
    "--maximise throughput_mbps or --minimise latency_us.",
    "Say which is better: more or less.": "Say which with --better more or --better less.",
    "with FACTOR=VALUE": "with --where FACTOR=VALUE",
    "Choose one level of each": "Choose one level of each with --where FACTOR=VALUE",
    "See the experiment's": "`coalescope export EXPERIMENT --format csv` shows the experiment's",
    "The glossary lists": "`coalescope quantities` lists",
    "See the glossary.": "`coalescope quantities` lists them.",
}


def as_shell_hint(advice: str | None) -> str | None:
    """Advice with commands and options instead of requests and fields."""
    for said, typed in WORDS.items():
        advice = None if advice is None else advice.replace(said, typed)
    return advice


def place(where: Where, message: str) -> Mapping[str, str | int | float | None]:
    """Where in what was typed, as far as the message does not name it."""
    unnamed = {name: value for name, value in where.items() if str(value) not in message}
    field = where.get("field")
    if field in FLAGS:
        unnamed.pop("field", None)
        unnamed["see"] = FLAGS[str(field)]
    elif field == "cells":  # of the settings as a whole: nothing that was typed
        unnamed.pop("field", None)
    return unnamed
