# SPDX-License-Identifier: Apache-2.0
"""Where experiments are: answers as the API gives them, whoever gives them.

A store that is open here and a server answer with the same documents, which docs/openapi.json
describes: what is made of them cannot differ.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from coalescope_models.vocabulary.quantity import Better

from coalescope.errors import CoalescopeError

if TYPE_CHECKING:
    from coalescope.exports.service import Format, What

Document = Mapping[str, Any]
#: The id of a model, or the document of one's own as `coalescope trace` writes it.
ModelGiven = str | Document


class Judged(NamedTuple):
    """How a comparison is judged.

    Attributes:
        fail_if_worse_percent: how much worse B may be; None where nobody asks.
        same_session: whether both sides were recorded in one, where the runs do not say when.
        level: probability of calling anything better or worse by chance; None for that of a
            measure that is compared alone.
    """

    fail_if_worse_percent: float | None = None
    same_session: bool = False
    level: float | None = None


UNJUDGED = Judged()


class Source(Protocol):
    """What an experiment asks; `slug` names it, `without` the runs to leave out.

    Errors: CoalescopeError as the API has them.
    """

    @property
    def place(self) -> str:
        """The folder, the address, or what was read."""

    def experiments(self) -> Sequence[Document]:
        """GET /api/experiments."""

    def experiment(self, slug: str) -> Document:
        """GET /api/experiments/{slug}."""

    def cells(self, slug: str, without: Sequence[str]) -> Document:
        """GET /api/experiments/{slug}/cells."""

    def runs(self, slug: str, where: Sequence[tuple[str, str]], without: Sequence[str]) -> Document:
        """GET /api/experiments/{slug}/export, of runs as JSON."""

    def export(
        self,
        slug: str,
        file_format: "Format",
        what: "What",
        where: Sequence[tuple[str, str]],
        without: Sequence[str],
    ) -> Iterator[str]:
        """GET /api/experiments/{slug}/export, piece by piece: its size costs no memory."""

    def surface(
        self,
        slug: str,
        measure: str,
        where: Sequence[tuple[str, str]],
        axes: tuple[str | None, str | None],
    ) -> Document:
        """GET /api/experiments/{slug}/surfaces/{measure}."""

    def comparison(
        self,
        a: str,
        b: str,
        measure: str,
        levels: Sequence[tuple[str, str]],
        better: Better | None,
        judged: Judged = UNJUDGED,
    ) -> Document:
        """GET /api/comparisons; levels of one side are those of a.FACTOR or b.FACTOR."""

    def variance(
        self,
        slug: str,
        measure: str,
        factors: tuple[str, str],
        where: Sequence[tuple[str, str]],
        without: Sequence[str],
    ) -> Document:
        """GET /api/experiments/{slug}/variance."""

    def replication_plan(
        self,
        slug: str,
        measure: str,
        width_percent: float,
        where: Sequence[tuple[str, str]],
        without: Sequence[str],
    ) -> Document:
        """GET /api/experiments/{slug}/replication-plan."""

    def fit(self, slug: str, asked: Document) -> Document:
        """POST /api/experiments/{slug}/fits."""

    def nonlinear_fit(self, slug: str, asked: Document) -> Document:
        """POST /api/experiments/{slug}/nonlinear-fits."""

    def recommendation(self, slug: str, asked: Document) -> Document:
        """POST /api/experiments/{slug}/recommendations."""

    def model_recommendation(self, asked: Document) -> Document:
        """POST /api/recommendations, of a model's predictions."""

    def prediction(self, model: ModelGiven, asked: Document) -> Document:
        """POST /api/models/{model_id}/predictions, or /api/predictions of a model of one's own."""

    def policy_trial(self, asked: Document) -> Document:
        """POST /api/policies/trials."""

    def close(self) -> None:
        """End it; what is asked after that is an error (`closed`)."""


def closed(place: str) -> CoalescopeError:
    """What is asked of a source after its end."""
    return CoalescopeError(
        "closed",
        f"The experiment of {place} was closed; nothing can be asked of it any more.",
        advice="Open it again, or ask within the `with` that closes it.",
    )


def contradictory(what: str) -> CoalescopeError:
    """An answer of the right shape that cannot be."""
    return CoalescopeError(
        "wrong_answer",
        f"The answer contradicts itself: {what}.",
        advice="Check the address; if it is right, tell whoever runs the server.",
        status=502,
    )


def as_json(asked: Document) -> str:
    """A question as it is sent. Numbers of numpy are numbers."""
    return json.dumps(asked, default=_number, ensure_ascii=False)


def _number(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{value!r} cannot be asked about: it is no number, text or list")
