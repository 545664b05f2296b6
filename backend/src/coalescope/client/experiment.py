# SPDX-License-Identifier: Apache-2.0
"""An experiment as a program on a person's machine has it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal

from coalescope_models.vocabulary.quantity import Better

from coalescope.client.choosing import rows_with
from coalescope.client.comparison import WIDTH, Comparison, pairs_of_sides
from coalescope.client.exploring import explored
from coalescope.client.fit import Fit
from coalescope.client.grids import cells_dataset, surface_dataset
from coalescope.client.recommendation import Recommendation, refuse_without_aim
from coalescope.client.source import Document, ModelGiven, Source
from coalescope.client.tables import runs_table
from coalescope.errors import CoalescopeError, did_you_mean
from coalescope.experiments.levels import listed
from coalescope.experiments.records import Choice, FactorValue
from coalescope.runs.chosen import identity
from coalescope.runs.selection import where_pairs

if TYPE_CHECKING:
    import pyarrow
    import xarray

    from coalescope.client.surface_widget import SurfaceWidget

Chosen = FactorValue | Sequence[FactorValue]
Bounds = Mapping[str, float]


@dataclass(frozen=True)
class Experiment:
    """An experiment of a store, a server or files.

    Nothing is kept: each property and method asks anew, so that runs that came in meanwhile count.
    `where` and `without` make another of it, of some of its runs.

    Attributes:
        source: what answers.
        slug: its name there.
        chosen: levels that its runs are chosen by.
        left_out: identities of runs that do not count.
    """

    source: Source = field(repr=False)
    slug: str
    chosen: Choice = field(default_factory=dict)
    left_out: tuple[str, ...] = ()

    @property
    def about(self) -> Document:
        """All that is known of it but its runs: `GET /api/experiments/{slug}`."""
        return self.source.experiment(self.slug)

    @property
    def factors(self) -> dict[str, list[FactorValue]]:
        """What was set, with its levels in rising order; of all runs."""
        return {each["name"]: each["levels"] for each in self.about["factors"]}

    @property
    def measures(self) -> dict[str, str]:
        """What was observed, with its unit; of all runs."""
        return {each["name"]: each["unit"] for each in self.about["measures"]}

    @property
    def runs(self) -> "pyarrow.Table":
        """A row per run that counts, with the columns of an export as Parquet.

        Each measure has its value, MEASURE_sd and MEASURE_n where a row is a mean of several; a
        field's metadata has its unit. Where the data are from, and which levels were chosen, is in
        the table's metadata, as JSON under `coalescope`.
        """
        document = self.source.runs(self.slug, where_pairs(self.chosen), self.left_out)
        return runs_table(document)

    @property
    def cells(self) -> "xarray.Dataset":
        """Means over the levels of the factors, in their units.

        Beside MEASURE stand MEASURE_sd, MEASURE_n and the ends of its 95 % interval,
        MEASURE_ci95_low and MEASURE_ci95_high. NaN: not measured, or not known. Where the data are
        from is in `attrs`.

        Errors: CoalescopeError where far more settings are spanned than were measured.
        """
        document = self.source.cells(self.slug, self.left_out)
        return cells_dataset(self.about, document, rows_with(document["cells"], self.chosen))

    def where(self, levels: Choice | None = None, /, **more: Chosen) -> "Experiment":
        """The same, of runs with these levels: `x.where(workload="tcp", mtu_bytes=[1500, 9000])`.

        What Python cannot write as a name is given as a dict: `x.where({"factor.cable": "long"})`.

        Errors: CoalescopeError for what is no level, and for a list of none.
        """
        given = {**(levels or {}), **more}
        chosen = {name: _chosen_levels(name, level) for name, level in given.items()}
        return replace(self, chosen={**self.chosen, **chosen})

    def without(self, *runs: str) -> "Experiment":
        """The same, with runs of these identities left out; nothing is deleted.

        Errors: CoalescopeError for what is no run's identity.
        """
        left_out = dict.fromkeys([*self.left_out, *map(identity, runs)])
        return replace(self, left_out=tuple(left_out))

    def surface(
        self, measure: str, *, x: str | None = None, y: str | None = None
    ) -> "xarray.Dataset":
        """A measure over two factors, as `coalescope surface` has it.

        Errors: CoalescopeError where another factor varies too, there is no such measure, or runs
        are left out: a surface is of all of them.
        """
        self._check_all_runs("A surface", "Take the measure from cells, which can.")
        where = where_pairs(self.chosen)
        document = self.source.surface(self.slug, measure, where, (x, y))
        return surface_dataset(self.about, document)

    def _check_all_runs(self, what: str, advice: str) -> None:
        """Refuse what takes no choice of runs, where some are left out."""
        if self.left_out:
            raise CoalescopeError(
                "option_without_effect",
                f"{what} is of all runs; none can be left out of it.",
                where={"field": "without"},
                advice=advice,
            )

    def compare(
        self,
        measure: str,
        split: Mapping[str, tuple[FactorValue, FactorValue]] | None = None,
        /,
        *,
        other: str | None = None,
        better: Better | None = None,
    ) -> Comparison:
        """A measure of side B against side A, setting by setting, as `coalescope compare` does it.

        `split` says which levels are compared: {"kernel_version": ("6.1", "6.12")} has 6.1 on side
        A and 6.12 on side B. `other` is another experiment of the same place, for side B. Each
        measure is judged alone: of several, the gate of `coalescope compare` is the one to ask.

        Errors: CoalescopeError where both sides are the same, have no setting in common, or runs
        are left out: a comparison is of all of them.
        """
        self._check_all_runs(
            "A comparison", "Compare the experiment itself, or cells without these runs."
        )
        levels = pairs_of_sides(self.chosen, split or {})
        b = other or self.slug
        found = self.source.comparison(self.slug, b, measure, levels, better)
        return Comparison(found, self.about["factors"])

    def fit(
        self,
        model: str,
        method: str | None = None,
        *,
        response: str | None = None,
        base: bool = False,
        pooled: Sequence[str] = (),
        resamples: int = 10_000,
        seed: int = 1,
    ) -> Fit:
        """A linear fit, as `coalescope fit` makes it.

        `method` is by default that of the data set's paper, else ols; `response` the measure that
        most runs have. `base` fits also what passes without traffic; such a fit predicts nothing,
        as the models are of traffic alone. Cells that differ in `pooled`
        factors only are taken for one.

        Errors: CoalescopeError for an unknown model, method, factor or measure. Data that cannot
        determine the parameters are no error: the fit says so.
        """
        asked = {
            "model": model,
            "method": method,
            "response": response,
            "base": base,
            "resamples": resamples,
            "seed": seed,
            "pooled": list(pooled),
            **self._chosen,
        }
        found = self.source.fit(self.slug, asked)
        return Fit(self, found, self.about["factors"], model, base)

    def fit_nonlinear(
        self,
        model: ModelGiven,
        output: str,
        free: Sequence[str],
        *,
        held: Mapping[str, float] | None = None,
        response: str | None = None,
        weighting: Literal["relative", "absolute"] = "relative",
        robust: bool = False,
        pooled: Sequence[str] = (),
        resamples: int = 1_000,
        seed: int = 1,
    ) -> Fit:
        """A fit of the parameters `free` of any model, as `coalescope fit --output` makes it.

        `model` is an id, or the document of a model of one's own as `coalescope trace` writes it.

        Errors: as of `fit`.
        """
        asked = {
            "model": model,
            "output": output,
            "free": list(free),
            "held": dict(held or {}),
            "response": response,
            "weighting": weighting,
            "robust": robust,
            "resamples": resamples,
            "seed": seed,
            "pooled": list(pooled),
            **self._chosen,
        }
        found = self.source.nonlinear_fit(self.slug, asked)
        return Fit(self, found, self.about["factors"], model)

    def recommend(
        self,
        *,
        maximise: str | Sequence[str] = (),
        minimise: str | Sequence[str] = (),
        at_most: Bounds | None = None,
        at_least: Bounds | None = None,
        within: Bounds | None = None,
        within_current: Bounds | None = None,
        weight: Bounds | None = None,
        balance: bool = False,
        guarded: bool = True,
        current: Mapping[str, FactorValue] | None = None,
        tolerance_percent: float | None = None,
        seed: int = 1,
        interface: str | None = None,
        driver: str | None = None,
        kernel: str | None = None,
    ) -> Recommendation:
        """The setting to choose, as `coalescope recommend` finds it; its options have these names.

        Errors: CoalescopeError where nothing is aimed at, or the data cannot carry an answer.
        """
        weights = dict(weight or {})
        aims = [("more", name) for name in _names(maximise)]
        aims += [("less", name) for name in _names(minimise)]
        limits = {
            "at most": at_most,
            "at least": at_least,
            "within": within,
            "within current": within_current,
        }
        asked: dict[str, Any] = {
            "aims": [
                {"measure": name, "sense": sense, "weight": weights.pop(name, 1.0)}
                for sense, name in aims
            ],
            "goal": "balance" if balance else "trade",
            "constraints": [
                {"measure": name, "limit": limit, "value": value}
                for limit, bounds in limits.items()
                for name, value in (bounds or {}).items()
            ],
            "guarded": guarded,
            "current": dict(current or {}),
            "tolerance_percent": tolerance_percent,
            "seed": seed,
            "interface": interface,
            "driver": driver,
            "kernel": kernel,
            **self._chosen,
        }
        refuse_without_aim(asked["aims"], weights)
        found = self.source.recommendation(self.slug, asked)
        return Recommendation(found, self.about["factors"])

    def explore(self, measure: str | None = None) -> "SurfaceWidget":
        """The page's surface of a measure in a notebook, with the sliders of its model.

        The measure is by default that of the data set's view. `parameters` of what is returned are
        those of the sliders: what is dragged changes them, and what they are set to moves the
        surface. They are empty until the surface is shown, and where no model is drawn.

        Errors: CoalescopeError for an unknown measure, and where anywidget is not installed.
        """
        if measure is not None and measure not in self.measures:
            raise CoalescopeError(
                "unknown_measure",
                f"{self.slug} has no measure {measure}.",
                where={"field": "measure"},
                advice=f"{did_you_mean(measure, self.measures)}It has {', '.join(self.measures)}.",
            )
        return explored(self, {} if measure is None else {"measure": measure})

    def close(self) -> None:
        """Let go of the store or server; of files, what they were read into is removed.

        Runs, cells and fits cannot be asked for any more then. A fit that was made keeps what it
        holds, and predicts with it where no server is needed for that.
        That happens of itself when the experiment, and what was made of it, are used no more.
        """
        self.source.close()

    def __enter__(self) -> "Experiment":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        about = self.about
        lines = [f"{about['title']} ({about['kind']}), {self.slug} of {self.source.place}"]
        lines.append(f"  {about['runs']} runs in {about['cells']} cells")
        for each in about["factors"]:
            unit = f" [{each['unit']}]" if each["unit"] else ""
            lines.append(f"  {each['name']}{unit}: {listed(each['levels'])}")
        lines.append(f"  measures: {', '.join(each['name'] for each in about['measures'])}")
        if self.chosen:
            where = (f"{name} {listed(_several(own))}" for name, own in self.chosen.items())
            lines.append(f"  only {'; '.join(where)}")
        if self.left_out:
            lines.append(f"  without {', '.join(self.left_out)}")
        return "\n".join(fill(line, WIDTH, subsequent_indent="    ") for line in lines)

    @property
    def _chosen(self) -> Document:
        return {"where": dict(self.chosen), "without": list(self.left_out)}


def _names(given: str | Sequence[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _several(level: Any) -> list[FactorValue]:
    return level if isinstance(level, list) else [level]


def _chosen_levels(name: str, given: Any) -> Any:
    """A level, or a list of some, without numpy's types. Errors: CoalescopeError for none."""
    plain = _plain(given)
    levels = _several(plain)
    if not levels or not all(isinstance(level, str | int | float) for level in levels):
        raise CoalescopeError(
            "wrong_level",
            f"{name} is neither a level nor a list of levels.",
            where={"field": name},
            advice=f"Give it as {name}=1500 or {name}=[1500, 9000]; without it, all levels count.",
        )
    return plain


def _plain(level: Any) -> Any:
    if hasattr(level, "tolist"):
        return level.tolist()
    if isinstance(level, str) or not isinstance(level, Iterable):
        return level
    return [_plain(each) for each in level]
