# SPDX-License-Identifier: Apache-2.0
"""Experiments of a server: its API, asked over HTTP."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qs, quote, unquote, urlsplit

import httpx
from coalescope_models.vocabulary.quantity import Better

from coalescope.client.connection import Connection
from coalescope.client.source import UNJUDGED, Document, Judged, ModelGiven
from coalescope.errors import CoalescopeError
from coalescope.runs.chosen import identities
from coalescope.untrusted.web_addresses import is_server_address

if TYPE_CHECKING:
    from coalescope.exports.service import Format, What

_MOST_RUNS = 1000  # of one page of a list
_PAGES = ("explorer", "api/experiments")


class Address(NamedTuple):
    """Of a server, and perhaps of an experiment there.

    Attributes:
        without: identities of runs that the page leaves out.
    """

    server: str
    slug: str | None
    without: tuple[str, ...] = ()


def read_address(url: str) -> Address:
    """The server, and the experiment that a page of it shows.

    Errors: CoalescopeError for what is no address of a server, or of another of its pages, and for
    runs that are left out by what is no identity.
    """
    try:
        parts = urlsplit(url)
    except ValueError:  # of an address in brackets
        raise _wrong_address(url) from None
    server = f"{parts.scheme}://{parts.netloc}"
    path = parts.path.strip("/")
    page, _, slug = path.rpartition("/")
    if not is_server_address(server) or not (path == "" or (page in _PAGES and slug)):
        raise _wrong_address(url)
    if not slug:
        return Address(server, None)
    without = parse_qs(parts.query).get("without", [""])[0]
    return Address(server, unquote(slug), identities(without))


def _wrong_address(url: str) -> CoalescopeError:
    return CoalescopeError(
        "wrong_address",
        f"{url[:200]!r} is not the address of a server, or of an experiment there.",
        advice="Give it as http://host:8000 or http://host:8000/explorer/my-experiment.",
    )


class Server:
    """The experiments of a server."""

    def __init__(self, address: str, token: str | None = None) -> None:
        self.place = address
        self._connection = Connection(address, token)

    def experiments(self) -> Sequence[Document]:
        """Each of them, published first."""
        return self._connection.all_pages("/api/experiments")

    def experiment(self, slug: str) -> Document:
        """One of them, without its cells."""
        return self._of(slug)

    def cells(self, slug: str, without: Sequence[str]) -> Document:
        """Every cell with all its measures."""
        return self._of(slug, "/cells", [("without", ",".join(without))])

    def runs(self, slug: str, where: Sequence[tuple[str, str]], without: Sequence[str]) -> Document:
        """Every current run with all its measures."""
        asked = [("format", "json"), ("what", "runs"), ("without", ",".join(without))]
        return self._of(slug, "/export", [*asked, *where])

    def export(
        self,
        slug: str,
        file_format: "Format",
        what: "What",
        where: Sequence[tuple[str, str]],
        without: Sequence[str],
    ) -> Iterator[str]:
        """Cells or current runs as CSV or JSON, piece by piece.

        Errors: as other answers, also where it ends before its end.
        """
        asked = [("format", file_format), ("what", what), ("without", ",".join(without))]
        return self._connection.pieces(f"{_path(slug)}/export", [*asked, *where])

    def surface(
        self,
        slug: str,
        measure: str,
        where: Sequence[tuple[str, str]],
        axes: tuple[str | None, str | None],
    ) -> Document:
        """A measure over two factors."""
        named = [(axis, name) for axis, name in zip("xy", axes, strict=True) if name is not None]
        return self._of(slug, f"/surfaces/{quote(measure, safe='')}", [*where, *named])

    def comparison(
        self,
        a: str,
        b: str,
        measure: str,
        levels: Sequence[tuple[str, str]],
        better: Better | None,
        judged: Judged = UNJUDGED,
    ) -> Document:
        """Ratios of means, B over A."""
        asked = [("a", a), ("b", b), ("measure", measure), *levels]
        if better is not None:
            asked.append(("better", better))
        if judged.fail_if_worse_percent is not None:
            asked.append(("fail_if_worse_percent", str(judged.fail_if_worse_percent)))
        asked += [("same_session", "true")] * judged.same_session
        if judged.level is not None:
            asked.append(("level", str(judged.level)))
        found: Document = self._connection.get("/api/comparisons", asked)
        return found

    def variance(
        self,
        slug: str,
        measure: str,
        factors: tuple[str, str],
        where: Sequence[tuple[str, str]],
        without: Sequence[str],
    ) -> Document:
        """Which of two factors moves a measure."""
        asked = [("measure", measure), ("factors", ",".join(factors))]
        return self._of(slug, "/variance", [*asked, ("without", ",".join(without)), *where])

    def replication_plan(
        self,
        slug: str,
        measure: str,
        width_percent: float,
        where: Sequence[tuple[str, str]],
        without: Sequence[str],
    ) -> Document:
        """Which cells to measure again."""
        asked = [("measure", measure), ("width_percent", str(width_percent))]
        asked.append(("without", ",".join(without)))
        return self._of(slug, "/replication-plan", [*asked, *where])

    def fit(self, slug: str, asked: Document) -> Document:
        """A linear fit."""
        return self._post(f"{_path(slug)}/fits", asked)

    def nonlinear_fit(self, slug: str, asked: Document) -> Document:
        """A fit of any model."""
        return self._post(f"{_path(slug)}/nonlinear-fits", asked)

    def recommendation(self, slug: str, asked: Document) -> Document:
        """The setting to choose."""
        return self._post(f"{_path(slug)}/recommendations", asked)

    def model_recommendation(self, asked: Document) -> Document:
        """The best of a model's predictions."""
        return self._post("/api/recommendations", asked)

    def prediction(self, model: ModelGiven, asked: Document) -> Document:
        """What a model of the server, or one's own, predicts."""
        if isinstance(model, str):
            return self._post(f"/api/models/{quote(model, safe='')}/predictions", asked)
        return self._post("/api/predictions", {**asked, "model": model})

    def policies(self) -> Sequence[Document]:
        """The adaptive policies that can be tried."""
        found: Sequence[Document] = self._connection.get("/api/policies")
        return found

    def policy_trial(self, asked: Document) -> Document:
        """A policy beside fixed intervals."""
        return self._post("/api/policies/trials", asked)

    def deleted_experiments(self) -> Sequence[Document]:
        """Those that can be restored, the last one first."""
        return self._connection.all_pages("/api/deleted-experiments")

    def change_experiment(self, slug: str, said: Document) -> Document:
        """Say anew what an experiment is."""
        return self._connection.send("PATCH", _path(slug), said)

    def delete_experiment(self, slug: str) -> Document:
        """Show an experiment no more."""
        return self._connection.send("DELETE", _path(slug))

    def restore_experiment(self, slug: str) -> None:
        """Take a deletion back."""
        self._post(f"{_path(slug)}/restoration", {})

    def list_runs(
        self, slug: str, where: Sequence[tuple[str, str]], state: str | None, limit: int
    ) -> Document:
        """The first runs of an experiment, and how many there are."""
        named = [*where, *([("state", state)] if state is not None else [])]
        runs: list[Document] = []
        while True:
            own = {"limit": min(limit - len(runs), _MOST_RUNS), "offset": len(runs)}
            page = self._of(slug, "/runs", [*named, *((n, str(v)) for n, v in own.items())])
            runs += page["runs"]
            if not page["runs"] or len(runs) >= min(limit, page["total"]):
                return {"total": page["total"], "runs": runs}

    def has_run(self, slug: str, uid: str) -> bool:
        """Whether an experiment has that run, whatever its state."""
        try:
            found = self._connection.get(f"/api/runs/{quote(uid, safe='')}")["experiment"]
        except CoalescopeError as error:
            if error.status == httpx.codes.NOT_FOUND:
                return False
            raise
        return bool(found == slug)

    def retract_run(self, uid: str, reason: str) -> None:
        """Let a run count no more."""
        self._change_run(uid, "retraction", {"reason": reason})

    def restore_run(self, uid: str, reason: str) -> None:
        """Let it count again."""
        self._change_run(uid, "restoration", {"reason": reason})

    def correct_run(self, uid: str, factors: Document, replicate: int | None, reason: str) -> None:
        """Set right what it says of its setting."""
        said = {"factors": factors, "replicate": replicate, "reason": reason}
        self._change_run(uid, "correction", said)

    def _change_run(self, uid: str, how: str, said: Document) -> None:
        self._post(f"/api/runs/{quote(uid, safe='')}/{how}", said)

    def jobs(self, slug: str | None, limit: int) -> Sequence[Document]:
        """Jobs, the newest first."""
        named = [] if slug is None else [("experiment", slug)]
        found: Sequence[Document] = self._connection.get(
            "/api/jobs", [*named, ("limit", str(limit))]
        )
        return found

    def changes(self, limit: int) -> Sequence[Document]:
        """Who changed the store, the newest change first."""
        return self._connection.all_pages("/api/changes", limit)

    def job(self, uid: str) -> Document:
        """How a job is, and once it is done its result."""
        found: Document = self._connection.get(f"/api/jobs/{quote(uid, safe='')}")
        return found

    def ask_job(self, question: Document) -> tuple[Document, bool]:
        """Ask for what takes longer than a request may; the job, and whether it is new.

        The same question about the same data is the same job.
        """
        status, job = self._connection.send_for_status("POST", "/api/jobs", question)
        return job, status == httpx.codes.ACCEPTED

    def cancel_job(self, uid: str) -> Document:
        """End it before it is done."""
        return self._post(f"/api/jobs/{quote(uid, safe='')}/cancellation", {})

    def close(self) -> None:
        """End the connection."""
        self._connection.close()

    def _of(self, slug: str, below: str = "", asked: Sequence[tuple[str, str]] = ()) -> Document:
        given = [(name, text) for name, text in asked if text]
        found: Document = self._connection.get(f"{_path(slug)}{below}", given)
        return found

    def _post(self, path: str, asked: Document) -> Document:
        return self._connection.send("POST", path, asked)


def _path(slug: str) -> str:
    return f"/api/experiments/{quote(slug, safe='')}"
