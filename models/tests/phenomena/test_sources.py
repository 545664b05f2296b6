# SPDX-License-Identifier: Apache-2.0
"""Each formula says whence it is: source, place in it, DOI. Found from the code, and both ways."""

import importlib
import inspect
import pkgutil
import re

import pytest
from coalescope_models import phenomena
from coalescope_models.catalogue import MODELS
from coalescope_models.phenomena import policies
from coalescope_models.phenomena.policies import dim
from coalescope_models.phenomena.policies import dynamic_throttle as throttle
from coalescope_models.vocabulary.rows import rows
from coalescope_models.vocabulary.sources import SOURCES

KNOWN = rows("sources.toml")
#: Where in a source: by number, by title, by name; of what is derived here, its equations stand in
#: the text.
PLACE = re.compile(
    r"equations? \(\d|sections? \d|figures? \d|theorem|“|struct |registers|tables of|messages of|"
    r"the full model|frames per interrupt at|this project's own"
)


def public(package, of_kind):
    """What the modules of a package define in public, by name."""
    found = {}
    for module in pkgutil.iter_modules(package.__path__):
        own = importlib.import_module(f"{package.__name__}.{module.name}")
        for name, thing in inspect.getmembers(own, of_kind):
            if thing.__module__ == own.__name__ and not name.startswith("_"):
                found[name] = thing
    return found


def formulas():
    """Public functions of the modules in phenomena, and the rules among the policies, by name.

    What runs the rules (loops, arrivals, verdicts) takes nothing from elsewhere.
    """
    return public(phenomena, inspect.isfunction) | {
        name: rule for name, rule in public(policies, is_rule).items() if name not in OWN_RULES
    }


def is_rule(thing):
    """Policies, and what a module of a policy decides by."""
    if inspect.isclass(thing):
        return hasattr(thing, "after") and not getattr(thing, "_is_protocol", False)
    return inspect.isfunction(thing) and thing.__module__ in (dim.__name__, throttle.__name__)


#: One interval for ever.
OWN_RULES = {"Fixed"}


FORMULAS = formulas()


def source(function):
    """What its docstring says under Source."""
    text = inspect.getdoc(function) or ""
    block = re.search(r"^Source:\n((?: +.*(?:\n|$))+)", text, re.MULTILINE)
    return " ".join(block[1].split()) if block else ""


def keys(said):
    return re.findall(r"\[([a-z0-9_]+)\]", said)


def faults(said):
    """What is wrong with a source; nothing if it can be followed."""
    cited = keys(said)
    found = [f"{key} is not in sources.toml" for key in cited if key not in KNOWN]
    if not cited:
        found.append("no source")
    if not PLACE.search(said):
        found.append("no place in it")
    dois = set(re.findall(r"doi:(10\.\S+[a-z0-9])", said))
    known = {KNOWN[key]["doi"] for key in cited if "doi" in KNOWN.get(key, {})}
    found += [f"the DOI is missing: {doi}" for doi in known - dois]
    found += [f"a DOI of nothing that is cited: {doi}" for doi in dois - known]
    return found


@pytest.mark.parametrize("name", FORMULAS)
def test_each_formula_can_be_followed_to_its_source(name):
    assert not faults(source(FORMULAS[name]))


def test_all_formulas_are_looked_at():
    assert {model.function.__name__ for model in MODELS.values()} <= FORMULAS.keys()
    assert {"Dim", "compare", "DynamicThrottle", "next_class"} < FORMULAS.keys()
    assert len(FORMULAS) > 30


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_a_model_cites_what_its_formula_does(model):
    of_model = {key for key, citation in SOURCES.items() if citation in model.citation}
    assert set(keys(source(model.function))) == of_model


def test_each_source_has_a_doi_or_an_address_or_says_why_not():
    for key, row in KNOWN.items():
        assert len({"doi", "url", "no_address"} & row.keys()) == 1, key
        assert row.get("no_address", "said").strip(), key


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ("", "no source"),
        ("Somebody 2005, section 4.", "no source"),
        ("Geist et al. 2005 [geist_2005].", "no place in it"),
        ("Nobody 1900, section 1 [nobody_1900].", "nobody_1900 is not in sources.toml"),
        ("Padhye et al. 2000, the full model [padhye_2000].", "the DOI is missing"),
        ("Geist et al. 2005, section 4 [geist_2005] doi:10.1/x.", "a DOI of nothing"),
    ],
)
def test_what_cannot_be_followed_is_told(said, fault):
    """The control."""
    assert any(fault in told for told in faults(said))
