# SPDX-License-Identifier: Apache-2.0
"""coalescope jobs list, show and cancel."""

from argparse import Namespace

from coalescope.cli.fit_report import print_fit
from coalescope.cli.output import print_json, print_table, shown
from coalescope.cli.places import changing, reading
from coalescope.client.source import Document
from coalescope.fits.schemas import FitOut


def run(arguments: Namespace) -> int:
    """Do what the second word says; without one, list the jobs."""
    match arguments.action:
        case "show":
            _show(arguments)
        case "cancel":
            _cancel(arguments)
        case _:
            _list(arguments)
    return 0


def _list(arguments: Namespace) -> None:
    experiment, limit = getattr(arguments, "experiment", None), getattr(arguments, "limit", 20)
    with reading(arguments) as place:
        found = place.jobs(experiment, limit)
    if arguments.json:
        print_json(found)
        return
    print_table(
        ("job", "state", "what", "parts", "asked", "ended"),
        [
            (
                job["id"],
                job["state"],
                job["experiment"] or "prediction",
                how_far(job),
                job["asked_at"],
                job["finished_at"],
            )
            for job in found
        ],
    )


def how_far(job: Document) -> str:
    """Parts that are computed, of those counted so far."""
    return shown(None) if job["parts"] is None else f"{job['parts_done']} of {job['parts']}"


def _show(arguments: Namespace) -> None:
    with reading(arguments) as place:
        job = place.job(arguments.job)
    if arguments.json:
        print_json(job)
        return
    rows = [
        ("state", job["state"]),
        ("of", job["experiment"] or "a prediction"),
        ("parts", how_far(job)),
        ("asked", job["asked_at"]),
        ("begun", shown(job["started_at"])),
        ("ended", shown(job["finished_at"])),
    ]
    if job["error"] is not None:
        rows.append(("because", shown(job["error"]["message"])))
    for name, text in rows:
        print(f"{name.ljust(7)}  {text}")
    fit = job["fit"] or job["nonlinear_fit"]
    if fit is not None:
        print()
        print_fit(FitOut.model_validate(fit), job["experiment"])
    elif job["prediction"] is not None:
        print("\n--json prints what was predicted.")


def _cancel(arguments: Namespace) -> None:
    with changing(arguments) as place:
        job = place.cancel_job(arguments.job)
    if arguments.json:
        print_json(job)
    else:
        print(f"cancelled {job['id']}")
