# SPDX-License-Identifier: Apache-2.0
"""A comparison as the API shows it. A copy without a server says it with this too."""

from dataclasses import asdict
from typing import Any

from coalescope.comparisons.compared import Compared, ComparedCell, Side, why_no_interval


def describe_comparison(compared: Compared) -> dict[str, Any]:
    """The comparison as the API shows it (ComparisonOut), where no limit was given."""
    overall = compared.result.overall_ratio
    return {
        "a": _described_side(compared.a),
        "b": _described_side(compared.b),
        "measure": compared.measure.to_json(),
        "better": compared.better,
        "differing": [
            {"factor": name, "a": a, "b": b} for name, (a, b) in compared.differing.items()
        ],
        "cells": [_described_cell(compared, cell) for cell in compared.cells],
        "overall_ratio": overall,
        "overall_ci95": compared.result.overall_ci95,
        "p_value": compared.p_value,
        "overall_verdict": compared.verdict(overall, resolved=compared.overall_resolved),
        "only_a": [dict(factors) for factors in compared.only_a],
        "only_b": [dict(factors) for factors in compared.only_b],
        "regression": None,
        "message": _message(compared),
    }


def _message(compared: Compared) -> str | None:
    if compared.dependence is not None or compared.result.overall_ci95 is not None:
        return compared.dependence
    hidden = "" if compared.hidden is None else f" {compared.hidden}"
    return f"No interval of the overall ratio. {why_no_interval(compared)}{hidden}"


def _described_side(side: Side) -> dict[str, Any]:
    return {
        "experiment": side.experiment.slug,
        "title": side.experiment.title,
        "kind": side.experiment.kind,
        "data_version": side.experiment.data_version,
        "where": dict(side.where),
    }


def _described_cell(compared: Compared, cell: ComparedCell) -> dict[str, Any]:
    return {
        "factors": dict(cell.factors),
        "a": asdict(cell.a),
        "b": asdict(cell.b),
        **asdict(cell.difference),
        "resolved": compared.resolved(cell),
        "verdict": compared.verdict(cell.difference.ratio, resolved=compared.resolved(cell)),
    }
