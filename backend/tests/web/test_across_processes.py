# SPDX-License-Identifier: Apache-2.0
"""Every error comes out of another process as it went in: what is raised there is told here."""

import importlib
import inspect
import pickle
import pkgutil
from collections.abc import Iterator
from types import ModuleType

import coalescope
import coalescope_models
import pytest
from coalescope.errors import CoalescopeError, Problem

RUN_BY_THEMSELVES = (".__main__", ".migrations.")


def errors_of(package: ModuleType) -> Iterator[type[Exception]]:
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not any(part in found.name for part in RUN_BY_THEMSELVES):
            module = importlib.import_module(found.name)
            for value in vars(module).values():
                its_own = inspect.isclass(value) and value.__module__ == found.name
                if its_own and issubclass(value, Exception):
                    yield value


ERRORS = [*errors_of(coalescope), *errors_of(coalescope_models)]


def made(kind: type[Exception]) -> Exception:
    """One with a text for each thing that has to be given, another for each."""
    _, *parameters = inspect.signature(kind.__init__).parameters.values()
    given = [
        f"its {parameter.name}"
        for parameter in parameters
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        and parameter.default is parameter.empty
    ]
    return kind(*given)


def come_across(error: Exception) -> Exception:
    came: Exception = pickle.loads(pickle.dumps(error))
    return came


def test_the_errors_are_found() -> None:
    """Negative control of the walk."""
    assert len(ERRORS) > 15
    assert CoalescopeError in ERRORS


@pytest.mark.parametrize("kind", ERRORS, ids=lambda kind: kind.__name__)
def test_an_error_stays_what_it_is(kind: type[Exception]) -> None:
    error = made(kind)
    came = come_across(error)
    assert type(came) is kind
    assert (str(came), vars(came)) == (str(error), vars(error))


def test_an_answer_with_all_its_parts_stays_what_it_is() -> None:
    problem = Problem("code", "Wrong.", {"row": 1}, "Mend it.")
    error = CoalescopeError(
        "code", "Wrong.", where={"row": 1}, advice="Mend it.", status=409, problems=[problem] * 2
    )
    came = come_across(error)
    assert isinstance(came, CoalescopeError)
    assert (came.status, came.as_json(), str(came)) == (409, error.as_json(), "Wrong.")
