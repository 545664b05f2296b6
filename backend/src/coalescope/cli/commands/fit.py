# SPDX-License-Identifier: Apache-2.0
"""coalescope fit EXPERIMENT MODEL."""

import sys
from argparse import Namespace
from typing import Any, cast

from coalescope_models.inference.methods import METHODS

from coalescope.cli.exit_statuses import done_if
from coalescope.cli.fit_report import print_fit
from coalescope.cli.job_progress import answer_of_job
from coalescope.cli.output import print_json
from coalescope.cli.places import analysing
from coalescope.cli.user_model_file import asked_model, is_file
from coalescope.client.server import Server
from coalescope.client.source import Document, Source, contradictory
from coalescope.errors import CoalescopeError
from coalescope.fits.nonlinear import MAX_NONLINEAR_RESAMPLES
from coalescope.fits.schemas import FitOut, NonlinearFitOut
from coalescope.fits.service import MAX_RESAMPLES
from coalescope.runs.selection import levels_by_factor


def run(arguments: Namespace) -> int:
    """Fit a model to an experiment; 1 if the data cannot determine it."""
    _check_options(arguments)
    with analysing(arguments) as source:
        about = source.experiment(arguments.experiment)
        found = [_answer(arguments, source, question) for question in _questions(arguments)]
    if arguments.json:
        print_json(found[0] if len(found) == 1 else found)
    else:
        for number, fitted in enumerate(found):
            if number:
                print()
            print_fit(fitted, f"{about['title']} ({about['kind']})")
    unknown = [fitted for fitted in found if not fitted.identifiable]
    sys.stdout.flush()
    for fitted in unknown:
        which = f"{fitted.method}: " if len(found) > 1 else ""
        print(f"coalescope: {which}{fitted.message}", file=sys.stderr)
    return done_if(not unknown)


def _check_options(arguments: Namespace) -> None:
    if arguments.job and arguments.server is None:
        raise CoalescopeError(
            "no_server",
            "--job has no effect without --server.",
            advice="Leave it out: a fit of the local store is computed here.",
        )
    if arguments.output is not None and arguments.base:
        raise CoalescopeError(
            "wrong_fit",
            "--base is of linear fits.",
            advice="Leave out --output, or add a constant to a model of your own.",
        )
    only_nonlinear = [name for name in ("free", "hold") if getattr(arguments, name)]
    if arguments.output is None and (only_nonlinear or is_file(_model(arguments))):
        named = f"--{only_nonlinear[0]}" if only_nonlinear else "A model of your own"
        raise CoalescopeError(
            "wrong_fit",
            f"{named} goes with --output.",
            advice="Name the output to fit, and the parameters to find with --free.",
        )
    given = set(arguments.methods or ())
    if arguments.output is not None and not (given <= {"robust"} and arguments.free):
        raise CoalescopeError(
            "wrong_fit",
            "--output needs --free."
            if given <= {"robust"}
            else "With --output, the only other --method is robust.",
            advice="Name the parameters to find, as in --free rtt_min_us,window_bytes.",
        )
    most = MAX_RESAMPLES if arguments.output is None else MAX_NONLINEAR_RESAMPLES
    if arguments.resamples is not None and arguments.resamples > most:
        raise CoalescopeError("too_many_resamples", f"{most} resamples are the most.")


def _model(arguments: Namespace) -> str:
    typed: str = arguments.model or arguments.model_option
    return typed


def _questions(arguments: Namespace) -> list[Document]:
    """What is asked, as the API takes it: a linear fit by each method, or a nonlinear one."""
    if arguments.output is not None:
        return [_nonlinear(arguments)]
    asked = {**_chosen(arguments), "model": _model(arguments), "base": arguments.base}
    # without one, that of the data set's paper
    methods: list[str | None] = arguments.methods or [None]
    every = METHODS if "all" in methods else tuple(dict.fromkeys(methods))
    return [{**asked, "method": method} for method in every]


def _nonlinear(arguments: Namespace) -> Document:
    return {
        **_chosen(arguments),
        "model": asked_model(_model(arguments)),
        "output": arguments.output,
        "free": list(arguments.free),
        "held": dict(arguments.hold),
        "weighting": arguments.weighting,
        "robust": "robust" in (arguments.methods or ()),
    }


def _chosen(arguments: Namespace) -> Document:
    """What both kinds of fit are told."""
    asked: dict[str, Any] = {
        "response": arguments.response,
        "where": levels_by_factor(arguments.where),
        "pooled": arguments.pool,
        "without": list(arguments.without),
        "seed": arguments.seed,
    }
    if arguments.resamples is not None:
        asked["resamples"] = arguments.resamples
    return asked


def _answer(arguments: Namespace, source: Source, asked: Document) -> FitOut:
    slug, kind = arguments.experiment, "fit" if arguments.output is None else "nonlinear_fit"
    if arguments.job and arguments.server is not None:
        server = cast("Server", source)
        found = answer_of_job(server, {"experiment": slug, kind: asked})[kind]
        if found is None:
            raise contradictory("the job is done, and has no fit")
    elif arguments.output is None:
        found = source.fit(slug, asked)
    else:
        found = source.nonlinear_fit(slug, asked)
    schema = FitOut if arguments.output is None else NonlinearFitOut
    return schema.model_validate(found)
