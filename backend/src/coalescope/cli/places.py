# SPDX-License-Identifier: Apache-2.0
"""Where a command works: the local store, or a server. Both answer with the API's documents.

What computes, and what asks a server, is imported by the commands that need it alone: it takes
longer to load than most commands take.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from coalescope.cli.local_place import LocalPlace
from coalescope.cli.local_store import changed_store, local_store
from coalescope.cli.output import printable, printable_lines
from coalescope.errors import CoalescopeError
from coalescope.experiments.service import get_experiment
from coalescope.runs.records import State
from coalescope.runs.selection import no_run_to_leave_out, require_stored

if TYPE_CHECKING:
    from coalescope.client.server import Server
    from coalescope.client.source import Document, Source

_P = TypeVar("_P")


class Place(Protocol):
    """What commands keep in order: experiments, their runs, jobs, and changes.

    Errors: CoalescopeError as the API has them.
    """

    def experiments(self) -> Sequence[Document]:
        """GET /api/experiments."""

    def deleted_experiments(self) -> Sequence[Document]:
        """GET /api/deleted-experiments."""

    def change_experiment(self, slug: str, said: Mapping[str, Any]) -> Document:
        """PATCH /api/experiments/{slug}."""

    def delete_experiment(self, slug: str) -> Document:
        """DELETE /api/experiments/{slug}."""

    def restore_experiment(self, slug: str) -> None:
        """POST /api/experiments/{slug}/restoration."""

    def list_runs(
        self, slug: str, where: Sequence[tuple[str, str]], state: State | None, limit: int
    ) -> Document:
        """GET /api/experiments/{slug}/runs: the first ones, in the order they were stored."""

    def retract_run(self, uid: str, reason: str) -> None:
        """POST /api/runs/{id}/retraction."""

    def restore_run(self, uid: str, reason: str) -> None:
        """POST /api/runs/{id}/restoration."""

    def correct_run(
        self, uid: str, factors: Mapping[str, Any], replicate: int | None, reason: str
    ) -> None:
        """POST /api/runs/{id}/correction."""

    def jobs(self, slug: str | None, limit: int) -> Sequence[Document]:
        """GET /api/jobs."""

    def job(self, uid: str) -> Document:
        """GET /api/jobs/{job_id}."""

    def cancel_job(self, uid: str) -> Document:
        """POST /api/jobs/{job_id}/cancellation."""

    def changes(self, limit: int) -> Sequence[Document]:
        """GET /api/changes: the newest, page by page."""


class Computing(Protocol):
    """What is asked about models and policies, whatever is stored.

    Errors: CoalescopeError as the API has them.
    """

    def policies(self) -> Sequence[Document]:
        """GET /api/policies."""

    def policy_trial(self, asked: Document) -> Document:
        """POST /api/policies/trials."""

    def model_recommendation(self, asked: Document) -> Document:
        """POST /api/recommendations, of a model's predictions."""


@contextmanager
def reading(arguments: Namespace) -> Iterator[Place]:
    """The place that was typed, to look. Errors: CoalescopeError where there is no store."""
    server = server_of(arguments)
    if server is not None:
        with closing(server):
            yield _as_printed(server, arguments)
        return
    with local_store(arguments) as store, store.database.read() as connection:
        yield _as_printed(LocalPlace(connection), arguments)


@contextmanager
def changing(arguments: Namespace) -> Iterator[Place]:
    """The place that was typed, to change it.

    In the local store all is changed that is asked for within, or nothing, and where there is no
    store none is made. A server changes one after the other, and ends at what it refuses.
    """
    server = server_of(arguments)
    if server is not None:
        with closing(server):
            yield _as_printed(server, arguments)
        return
    with local_store(arguments):
        pass
    with changed_store(arguments) as store, store.database.write() as connection:
        yield _as_printed(LocalPlace(connection), arguments)


@contextmanager
def analysing(arguments: Namespace) -> Iterator[Source]:
    """What answers about the experiment that was typed, which has every run to be left out.

    Errors: 404 for the experiment, and for a run.
    """
    without: Sequence[str] = getattr(arguments, "without", ())
    server = server_of(arguments)
    if server is not None:
        with closing(server):
            slug = server.experiment(arguments.experiment)["slug"]
            for uid in without:
                if not server.has_run(slug, uid):
                    raise no_run_to_leave_out(uid, slug)
            yield _as_printed(server, arguments)
        return
    from coalescope.client.local import LocalStore  # noqa: PLC0415

    with local_store(arguments) as store:
        with store.database.read() as connection:
            require_stored(connection, get_experiment(connection, arguments.experiment), without)
        yield _as_printed(LocalStore(store, "the local store"), arguments)


@contextmanager
def computing(arguments: Namespace) -> Iterator[Computing]:
    """What answers without an experiment: the server that was typed, or this program."""
    server = server_of(arguments)
    if server is None:
        from coalescope.client.local import LocalModels  # noqa: PLC0415

        yield LocalModels()
        return
    with closing(server):
        yield _as_printed(server, arguments)


#: What of an answer has several lines: a file to write.
_OF_LINES = frozenset({"text"})


class _Printed:
    """A place whose answers have nothing that steers a terminal, and no lines but a file's."""

    def __init__(self, place: object) -> None:
        self._place = place

    def __getattr__(self, name: str) -> Any:
        asked = getattr(self._place, name)
        return (lambda *said: _printable(asked(*said))) if callable(asked) else asked


def _as_printed(place: _P, arguments: Namespace) -> _P:
    """The place, as people read what it says; programs read JSON, which says it as it is."""
    return place if getattr(arguments, "json", False) else cast("_P", _Printed(place))


def _printable(said: Any, name: str = "") -> Any:
    match said:
        case str():
            return printable_lines(said) if name in _OF_LINES else printable(said)
        case dict():
            return {_printable(key): _printable(part, key) for key, part in said.items()}
        case list() | tuple():
            return type(said)(_printable(part, name) for part in said)
        case _:
            return said


def server_of(arguments: Namespace) -> Server | None:
    """The server that was typed. Errors: CoalescopeError for a folder or token beside none."""
    if arguments.server is None:
        if arguments.token_file is not None:
            raise _without_effect("--token-file", "It is for --server.")
        return None
    if arguments.data is not None:
        raise _without_effect("--data", "A server has its own; leave --data or --server out.")
    from coalescope.client.server import Server  # noqa: PLC0415
    from coalescope.client.token import token_in  # noqa: PLC0415

    return Server(arguments.server, token_in(arguments.token_file))


def _without_effect(option: str, advice: str) -> CoalescopeError:
    return CoalescopeError("option_without_effect", f"{option} has no effect.", advice=advice)
