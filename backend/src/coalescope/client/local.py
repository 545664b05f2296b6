# SPDX-License-Identifier: Apache-2.0
"""Experiments of a store that is open here: the services of the server, without a server."""

import json
import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from coalescope_models.vocabulary.quantity import Better
from pydantic import BaseModel, ValidationError
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError

from coalescope.analyses.schemas import plan_out, variance_out
from coalescope.analyses.service import analyse_variance, plan_replicates
from coalescope.client.source import UNJUDGED, Document, Judged, ModelGiven, as_json, closed
from coalescope.comparisons.compared import LEVEL
from coalescope.comparisons.schemas import judged_comparison
from coalescope.comparisons.service import compare_experiments
from coalescope.comparisons.sides import levels_of_sides
from coalescope.errors import CoalescopeError, Problem, refused
from coalescope.experiments import service as experiments
from coalescope.experiments.cells import cells_out
from coalescope.experiments.description import describe_experiment, summarise_experiment
from coalescope.experiments.records import ExperimentRecord
from coalescope.experiments.schemas import ExperimentOut, ExperimentSummaryOut
from coalescope.exports.chosen import choose_runs
from coalescope.exports.service import Format, What, export
from coalescope.fits import nonlinear
from coalescope.fits import service as fits
from coalescope.fits.schemas import FitIn, NonlinearFitIn, fit_out, nonlinear_fit_out
from coalescope.policies.recorded import Recorded, read_traffic
from coalescope.policies.schemas import RecordedIn, TrialIn, policy_out, trial_out
from coalescope.policies.service import list_policies, simulate_policy
from coalescope.predictions import service as predictions
from coalescope.predictions.schemas import PredictionIn, UserPredictionIn, prediction_out
from coalescope.recommendations import from_runs, measured
from coalescope.recommendations.answer_schemas import recommendation_out
from coalescope.recommendations.from_model import advise_from_model
from coalescope.recommendations.schemas import ModelRecommendationIn, RecommendationIn
from coalescope.runs.chosen import identities
from coalescope.runs.selection import where_pairs
from coalescope.runs.service import cells_in_sequence
from coalescope.settings import Settings
from coalescope.store import Store, open_store
from coalescope.surfaces.schemas import surface_out
from coalescope.surfaces.service import get_surface
from coalescope.uploads.csv_faults import MAX_PROBLEMS
from coalescope.user_models.service import read_user_model

Asked = TypeVar("Asked", bound=BaseModel)


class LocalModels:
    """The models of this installation, which need no store."""

    def prediction(self, model: ModelGiven, asked: Document) -> Document:
        """What a model, or one's own, predicts."""
        if isinstance(model, str):
            body = _read(PredictionIn, asked)
            return _document(prediction_out(predictions.predict(model, body.values, body.spans())))
        own = _read(UserPredictionIn, {**asked, "model": model})
        read = read_user_model(own.model)
        return _document(prediction_out(predictions.predict(read, own.values, own.spans())))

    def model_recommendation(self, asked: Document) -> Document:
        """The best of a model's predictions over levels."""
        body = _read(ModelRecommendationIn, asked)
        model, question = body.read_model(), body.question()
        advice = advise_from_model(model, body.values, body.over, question)
        return _document(recommendation_out(advice))

    def policies(self) -> Sequence[Document]:
        """The adaptive policies that can be tried."""
        return [_document(policy_out(policy)) for policy in list_policies()]

    def policy_trial(self, asked: Document) -> Document:
        """A policy beside fixed intervals, over traffic that is described."""
        return _trial(_read(TrialIn, asked), None)


class LocalStore(LocalModels):
    """The experiments of an open store; it is closed with the last that uses it."""

    def __init__(self, store: Store, place: str, ended: Callable[[], None] = lambda: None) -> None:
        self.place = place
        self._store = store
        self._end = weakref.finalize(self, _end, store, ended, os.getpid())

    def experiments(self) -> Sequence[Document]:
        """Each of them, published first."""
        with self._reading() as connection:
            return [
                _document(
                    ExperimentSummaryOut.model_validate(
                        summarise_experiment(record, experiments.list_cells(connection, record))
                    )
                )
                for record in experiments.list_experiments(connection)
            ]

    def experiment(self, slug: str) -> Document:
        """One of them, without its cells."""
        with self._of(slug) as (connection, record):
            cells = experiments.list_cells(connection, record)
            return _document(ExperimentOut.model_validate(describe_experiment(record, cells)))

    def cells(self, slug: str, without: Sequence[str]) -> Document:
        """Every cell with all its measures."""
        uids = identities(",".join(without))
        with self._of(slug) as (connection, record):
            return _document(cells_out(record, cells_in_sequence(connection, record, uids)))

    def runs(self, slug: str, where: Sequence[tuple[str, str]], without: Sequence[str]) -> Document:
        """Every current run with all its measures."""
        found: Document = json.loads("".join(self.export(slug, "json", "runs", where, without)))
        return found

    def export(
        self,
        slug: str,
        file_format: Format,
        what: What,
        where: Sequence[tuple[str, str]],
        without: Sequence[str],
    ) -> Iterator[str]:
        """Cells or current runs as CSV or JSON, piece by piece."""
        uids = identities(",".join(without))
        with self._of(slug) as (connection, record):
            chosen = choose_runs(connection, record, where, uids)
            yield from export(connection, record, file_format, what, chosen)

    def surface(
        self,
        slug: str,
        measure: str,
        where: Sequence[tuple[str, str]],
        axes: tuple[str | None, str | None],
    ) -> Document:
        """A measure over two factors."""
        with self._of(slug) as (connection, record):
            return _document(surface_out(get_surface(connection, record, measure, where, axes)))

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
        of_a, of_b = levels_of_sides(levels)
        with self._of(a) as (connection, record):
            other = experiments.get_experiment(connection, b)
            sides = (record, of_a), (other, of_b)
            found = compare_experiments(connection, *sides, measure, better)
        limit, same_session, level = (
            judged.fail_if_worse_percent,
            judged.same_session,
            judged.level or LEVEL,
        )
        return _document(judged_comparison(found, limit, same_session=same_session, level=level))

    def variance(
        self,
        slug: str,
        measure: str,
        factors: tuple[str, str],
        where: Sequence[tuple[str, str]],
        without: Sequence[str],
    ) -> Document:
        """Which of two factors moves a measure."""
        uids = identities(",".join(without))
        with self._of(slug) as (connection, record):
            found = analyse_variance(connection, record, measure, factors, where, uids)
        return _document(variance_out(found))

    def replication_plan(
        self,
        slug: str,
        measure: str,
        width_percent: float,
        where: Sequence[tuple[str, str]],
        without: Sequence[str],
    ) -> Document:
        """Which cells to measure again."""
        uids = identities(",".join(without))
        with self._of(slug) as (connection, record):
            found = plan_replicates(connection, record, measure, width_percent, where, uids)
        return _document(plan_out(found))

    def fit(self, slug: str, asked: Document) -> Document:
        """A linear fit."""
        body = _read(FitIn, asked)
        with self._of(slug) as (connection, record):
            request = body.request(record)
            selection = fits.select_rows(connection, record, request)
        return _document(fit_out(fits.fit(selection, request)))

    def nonlinear_fit(self, slug: str, asked: Document) -> Document:
        """A fit of any model."""
        request = _read(NonlinearFitIn, asked).request()
        with self._of(slug) as (connection, record):
            points = nonlinear.select_points(connection, record, request)
        return _document(nonlinear_fit_out(nonlinear.fit(points, request)))

    def recommendation(self, slug: str, asked: Document) -> Document:
        """The setting to choose."""
        body = _read(RecommendationIn, asked)
        question, where = body.question(), where_pairs(body.where)
        with self._of(slug) as (connection, record):
            chosen = measured.read_runs(connection, record, question, where, body.without)
        return _document(recommendation_out(from_runs.advise(record, chosen, question)))

    def policy_trial(self, asked: Document) -> Document:
        """A policy beside fixed intervals, also over the traffic of an experiment."""
        body = _read(TrialIn, asked)
        traffic = body.traffic
        if not isinstance(traffic, RecordedIn):
            return _trial(body, None)
        with self._of(traffic.experiment) as (connection, record):
            where = where_pairs(traffic.where)
            recorded = read_traffic(connection, record, where, traffic.clients, body.costs)
        return _trial(body, recorded)

    def close(self) -> None:
        """Close the store; one in a temporary folder is removed."""
        self._end()

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        """Errors: CoalescopeError after `close`, and where the store cannot be read any more."""
        if not self._end.alive:
            raise closed(self.place)
        try:
            with self._store.database.read() as connection:
                yield connection
        except DBAPIError as error:
            raise CoalescopeError(
                "unusable_store",
                f"The store of {self.place} cannot be used: {error.orig}.",
                advice="Check that its folder is still there and may be read.",
                status=503,
            ) from error

    @contextmanager
    def _of(self, slug: str) -> Iterator[tuple[Connection, ExperimentRecord]]:
        with self._reading() as connection:
            yield connection, experiments.get_experiment(connection, slug)


def _trial(body: TrialIn, recorded: Recorded | None) -> Document:
    return _document(trial_out(simulate_policy(body.simulation(recorded)), recorded))


def temporary_store(place: str, fill: Callable[[Store, Settings], None]) -> LocalStore:
    """A store of its own in a temporary folder, with what `fill` puts into it.

    The folder goes when the store is closed, or is used no more.
    """
    folder = Path(tempfile.mkdtemp(prefix="coalescope-"))
    # whatever the environment says of a server's store
    settings = Settings(
        data_dir=folder / "store",
        datasets_dir=None,
        database_url=None,
        object_store_url=None,
        read_only=False,
    )
    try:
        store = open_store(settings)
        try:
            fill(store, settings)
        except BaseException:
            store.close()
            raise
    except BaseException:
        _remove(folder)
        raise
    return LocalStore(store, place, lambda: _remove(folder))


def _remove(folder: Path) -> None:
    with suppress(FileNotFoundError):  # somebody cleared it away
        shutil.rmtree(folder)


def _end(store: Store, ended: Callable[[], None], pid: int) -> None:
    """End it in the process that opened it: what came of a fork shares its files."""
    if os.getpid() == pid:
        store.close()
        ended()


def _document(answer: BaseModel) -> Document:
    """As the server sends it: what is no number is null."""
    document: Document = json.loads(answer.model_dump_json())
    return document


def _read(schema: type[Asked], asked: Document) -> Asked:
    """The question, checked as the server checks it. Errors: 422 with what is wrong in it."""
    try:
        return schema.model_validate_json(as_json(asked))
    except ValidationError as error:
        faults = error.errors()[:MAX_PROBLEMS]
        raise refused([_problem(fault["loc"], fault["msg"]) for fault in faults]) from None


def _problem(place: Sequence[str | int], message: str) -> Problem:
    field = ".".join(map(str, place))
    advice = "docs/client.md says what can be asked, and docs/openapi.json each field."
    return Problem("invalid_request", f"{field}: {message}", {"field": field}, advice)
