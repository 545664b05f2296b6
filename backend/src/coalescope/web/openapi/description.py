# SPDX-License-Identifier: Apache-2.0
"""What the generated OpenAPI document says beyond what the endpoints say of themselves."""

from collections.abc import Callable
from typing import Any

from fastapi import FastAPI

from coalescope.web.error_responses import ErrorResponse

DESCRIPTION = """\
All numbers are in the unit that the name of their field ends in; the glossary (`/api/quantities`)
says which. Every answer that is not a success has the shape of `ErrorResponse`.

On a loopback address the server answers only to its own `Host`, and changes nothing for a page of
another origin. Bound to any other address it asks for a bearer token: of scope `read` to look and
compute, `upload` to add, `admin` to retract and correct.
"""

TAGS = [
    {"name": "service", "description": "Whether the service answers."},
    {"name": "glossary", "description": "Every quantity: its one name, its unit, its meaning."},
    {"name": "models", "description": "Models and what they predict."},
    {"name": "experiments", "description": "Experiments, their factors, cells and summaries."},
    {"name": "surfaces", "description": "One measure over two factors."},
    {"name": "fits", "description": "Parameters of a model from an experiment's runs."},
    {"name": "changes", "description": "Who changed the store, when and how: for admins."},
    {"name": "jobs", "description": "Fits that take longer than a request may."},
    {"name": "analyses", "description": "Where variation comes from, and what to measure again."},
    {"name": "comparisons", "description": "Two experiments, or two levels of a factor."},
    {"name": "recommendations", "description": "Which setting to choose, and how to set it."},
    {"name": "policies", "description": "What adaptive moderation would choose, and its cost."},
    {"name": "exports", "description": "Cells and runs as files."},
    {"name": "runs", "description": "Single runs: their log, retraction, correction, history."},
    {"name": "uploads", "description": "Run logs and tables, kept whole or refused whole."},
    {"name": "sweeps", "description": "Sweeps on their way, and changes as they come."},
    {"name": "links", "description": "Short links to views of the page."},
]

# What parameters of these names mean wherever they stand and say nothing of themselves.
PARAMETERS = {
    "slug": "The experiment's name in addresses",
    "measure": "A measure of the glossary, such as throughput_mbps",
    "model_id": "The model's name in addresses, such as cpu-overhead",
    "id": "The run's own identity",
    "limit": "At most so many",
    "offset": "Leave out so many first",
    "sweep_id": "The sweep's own identity: 8 to 64 letters, digits, - and _",
    "job_id": "The job's own identity",
    "experiment": "Only of the experiment of that name",
    "cell": "Only runs of the cell with this id",
    "filename": "What the file is called; folders in it are left out",
    "title": "Of the experiment, if it is new",
    "kind": "Of the data, if the experiment is new",
    "citation": "Where the data comes from, if the experiment is new",
    "token": "What stands behind /l/ in a short link",
}

OTHER_ERRORS: dict[int | str, dict[str, Any]] = {
    "default": {
        "model": ErrorResponse,
        "description": "Any other failure: 401 without a token, 403 for one of too small a scope "
        "or from a foreign origin, "
        "421 to a foreign host, 429 and 503 with Retry-After for too many requests, 500 inside "
        "the server",
    }
}


def describe(app: FastAPI, is_open: Callable[[str, str], bool]) -> None:
    """Complete the document that `app` generates; `is_open`: a method at a path takes no token."""
    generate = app.openapi

    def complete() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = generate()
            document["components"]["securitySchemes"] = {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "Made with `coalescope token create`, or COALESCOPE_TOKEN",
                }
            }
            document["security"] = [{}, {"token": []}]
            _say_how_numbers_are_kept(document["components"]["schemas"])
            _say_how_numbers_are_kept(document["paths"])
            for path, operations in document["paths"].items():
                for method, operation in operations.items():
                    _complete_operation(operation)
                    if not is_open(method.upper(), path):
                        operation["security"] = [{"token": []}]
        return generate()

    app.openapi = complete  # type: ignore[method-assign]


def _say_how_numbers_are_kept(part: Any) -> None:
    """All numbers are of double precision: generators for Go take seven digits where none says."""
    if isinstance(part, dict):
        if part.get("type") == "number":
            part.setdefault("format", "double")
        for name, below in part.items():
            if name not in ("example", "examples"):
                _say_how_numbers_are_kept(below)
    elif isinstance(part, list):
        for below in part:
            _say_how_numbers_are_kept(below)


def _complete_operation(operation: dict[str, Any]) -> None:
    words = operation["operationId"].replace("_", " ")
    if operation["summary"] == words.title():
        operation["summary"] = words.capitalize()
    for parameter in operation.get("parameters", []):
        if parameter["name"] in PARAMETERS:
            parameter.setdefault("description", PARAMETERS[parameter["name"]])
    for status, answer in operation["responses"].items():
        # an operation that streams events still fails in JSON
        events = answer.get("content", {}).get("text/event-stream", {})
        if (status == "default" or status >= "400") and "schema" in events:
            answer["content"] = {"application/json": events}
