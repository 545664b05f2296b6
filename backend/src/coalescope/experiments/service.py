# SPDX-License-Identifier: Apache-2.0
"""Find, create and describe experiments; read their cells. Other features use this module."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.engine import Connection

from coalescope.db.timestamps import utc_now
from coalescope.errors import CoalescopeError, conflict, did_you_mean, not_found
from coalescope.experiments import repository
from coalescope.experiments.levels import in_order, matches
from coalescope.experiments.records import (
    KINDS,
    CellRecord,
    ExperimentRecord,
    Factors,
    Kind,
)
from coalescope.untrusted.bounds import COLUMNS

SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
MAX_SLUG = 80
_COMPARED = 100  # names on each side of one that there is not


def get_experiment(connection: Connection, slug: str) -> ExperimentRecord:
    """The experiment of that slug. Errors: 404, for a deleted one too; it names the nearest."""
    record = repository.get(connection, slug)
    if record is None:
        meant = perhaps_meant(connection, slug, deleted=False)
        raise not_found("experiment", slug, f"{meant}The list of experiments has all names.")
    if record.deleted_at is not None:
        raise was_deleted(record)
    return record


def perhaps_meant(connection: Connection, slug: str, *, deleted: bool) -> str:
    """The start of advice: names like this one, of those that stand around it in their order.

    To compare one takes up to 0.4 ms, and others may have stored any number of them.
    """
    return did_you_mean(slug, repository.slugs_around(connection, slug, _COMPARED, deleted=deleted))


def was_deleted(
    record: ExperimentRecord, keeps: str | None = None, status: int = 404
) -> CoalescopeError:
    """The experiment was deleted; `keeps`: what is not free for others as long as it is."""
    kept = f", and keeps {keeps}" if keeps else ""
    return CoalescopeError(
        "experiment_deleted",
        f"The experiment {record.slug!r} was deleted on {(record.deleted_at or '')[:10]}{kept}.",
        where={"experiment": record.slug},
        advice="Whoever may delete can restore it, with all its runs: at its address on the page, "
        f"or with `coalescope experiments restore {record.slug}`.",
        status=status,
    )


def check_not_deleted(connection: Connection, slug: str, keeps: str = "its name") -> None:
    """Errors: 409 where there is an experiment of that slug, and it was deleted."""
    record = repository.get(connection, slug)
    if record is not None and record.deleted_at is not None:
        raise was_deleted(record, keeps, status=409)


def list_experiments(
    connection: Connection,
    kind: Kind | None = None,
    text: str = "",
    limit: int | None = None,
    offset: int = 0,
) -> list[ExperimentRecord]:
    """Experiments of that kind whose title, subtitle, slug or citation contains `text`.

    Published ones first, then by title: from `offset` on, at most `limit`; None is all.
    """
    if not text:
        return repository.list_shown(connection, kind, limit, offset)
    wanted = text.casefold()
    found = [
        record
        for record in repository.list_shown(connection, kind, None, 0)
        if wanted in _searchable(record).casefold()
    ]
    return found[offset:][:limit]


def list_stored(connection: Connection, kind: Kind | None = None) -> list[ExperimentRecord]:
    """All that the store has, deleted experiments too."""
    return repository.list_all(connection, kind)


def create_experiment(
    connection: Connection,
    slug: str,
    title: str,
    kind: Kind,
    subtitle: str = "",
    source: Mapping[str, Any] | None = None,
) -> ExperimentRecord:
    """Add an experiment. Errors: 422 for a bad slug or kind, 409 if the slug is taken.

    A deleted experiment keeps its slug.
    """
    check_slug(slug)
    check_kind(kind)
    check_not_deleted(connection, slug)
    if repository.get(connection, slug) is not None:
        raise conflict(
            "experiment_exists",
            f"There is an experiment {slug!r} already.",
            where={"slug": slug},
            advice="Upload into it, or choose another slug.",
        )
    now = utc_now()
    repository.insert(
        connection,
        {
            "slug": slug,
            "title": title or slug,
            "subtitle": subtitle,
            "kind": kind,
            "source": dict(source or {}),
            "created_at": now,
            "updated_at": now,
        },
    )
    return get_experiment(connection, slug)


def ensure_experiment(
    connection: Connection,
    slug: str,
    title: str | None,
    kind: Kind | None,
    default_kind: Kind = "measured",
    subtitle: str = "",
    source: Mapping[str, Any] | None = None,
) -> ExperimentRecord:
    """The experiment of that slug, created on first use.

    Errors: 409 if the kinds differ, or it was deleted.

    What does not say its kind is taken for the experiment's, but never for published.
    """
    check_slug(slug)
    record = repository.get(connection, slug)
    if record is None:
        return create_experiment(
            connection, slug, title or slug, kind or default_kind, subtitle, source
        )
    if record.deleted_at is not None:
        raise was_deleted(record, "its name", status=409)
    if kind is None and record.kind == "published":
        kind = default_kind
    check_same_kind(record, kind)
    return record


def check_same_kind(record: ExperimentRecord, kind: Kind | None) -> None:
    """Errors: 409 where data of this kind are not the experiment's; None says no kind."""
    if kind is not None and kind != record.kind:
        raise conflict(
            "kinds_never_mix",
            f"The experiment {record.slug!r} holds {record.kind} data; this file's are {kind}.",
            where={"experiment": record.slug, "kind": kind},
            advice="Kinds never mix inside one experiment: give the file another experiment.",
        )


def add_notes(connection: Connection, record: ExperimentRecord, notes: Sequence[str]) -> None:
    """Add to the notes of the experiment's source what is not among them."""
    own = record.source.get("notes", [])
    new = [note for note in notes if note not in own]
    if new:
        source = {**record.source, "notes": [*own, *new]}
        repository.update(connection, record.id, {"source": source})


def describe_columns(
    connection: Connection, record: ExperimentRecord, about: Mapping[str, Any]
) -> None:
    """Keep what a table says of its factors and of measures of its own.

    Errors: 409 for a measure that has another unit here.
    """
    record = get_experiment(connection, record.slug)
    changed: dict[str, Any] = {}
    for name in ("factors", "measures"):
        own = record.source.get(name, {})
        told = about.get(name, {})
        merged = {**own, **{of: {**own.get(of, {}), **said} for of, said in told.items()}}
        if merged != own:
            changed[name] = _at_most(record, name, merged)
    for name, said in about.get("measures", {}).items():
        before = record.source.get("measures", {}).get(name, said)
        if before.get("unit", "") != said.get("unit", ""):
            raise conflict(
                "unit_differs",
                f"{name} is in {said.get('unit') or 'plain numbers'} in the table, and in "
                f"{before.get('unit') or 'plain numbers'} in {record.slug!r}.",
                where={"experiment": record.slug, "measure": name},
                advice="Convert it, or give the measure another name.",
            )
    if changed:
        repository.update(connection, record.id, {"source": {**record.source, **changed}})


def _at_most(record: ExperimentRecord, what: str, described: dict[str, Any]) -> dict[str, Any]:
    if len(described) > COLUMNS:
        raise conflict(
            "too_many_columns",
            f"{record.slug!r} would describe {len(described):,} {what}; it can {COLUMNS:,}.",
            where={"experiment": record.slug},
            advice="Give the table an experiment of its own.",
        )
    return described


def touch(connection: Connection, experiment_id: int, times: int = 1) -> None:
    """Count changes of the experiment's data: what is cached under its version is stale."""
    repository.bump(connection, experiment_id, utc_now(), times)


def dataset_sha256(connection: Connection, slug: str) -> str | None:
    """Digest of the data set files the experiment was loaded from; None if from none."""
    return repository.dataset_sha256(connection, slug)


def update_from_dataset(
    connection: Connection,
    record: ExperimentRecord,
    title: str,
    subtitle: str,
    source: Mapping[str, Any],
    sha256: str,
) -> None:
    """Describe an experiment as its data set does."""
    values = {
        "title": title,
        "subtitle": subtitle,
        "source": dict(source),
        "dataset_sha256": sha256,
    }
    repository.update(connection, record.id, values)


def check_slug(slug: str) -> None:
    """Errors: 422 unless `slug` is lower-case words of letters and digits joined by hyphens."""
    if len(slug) > MAX_SLUG or not SLUG.fullmatch(slug):
        raise CoalescopeError(
            "bad_slug",
            f"{slug!r} cannot name an experiment.",
            where={"slug": slug},
            advice="Use lower-case letters, digits and single hyphens, at most 80 characters.",
        )


def check_kind(kind: str) -> None:
    """Errors: 422 unless `kind` is one of the four."""
    if kind not in KINDS:
        raise CoalescopeError(
            "bad_kind",
            f"{kind!r} is not a kind of data.",
            where={"kind": kind},
            advice=f"Kinds are {', '.join(KINDS)}.",
        )


def list_cells(
    connection: Connection, experiment: ExperimentRecord, where: Factors | None = None
) -> list[CellRecord]:
    """The experiment's cells in the fixed order of their factors; `where` selects by level."""
    found = repository.list_cells(connection, experiment.id)
    return [cell for cell in in_order(found) if matches(cell.factors, where or {})]


def _searchable(record: ExperimentRecord) -> str:
    citation = record.source.get("citation") or ""
    return "\n".join([record.slug, record.title, record.subtitle, citation])
