# SPDX-License-Identifier: Apache-2.0
"""What a surface in a notebook is answered, and how its parameters and Python's are one."""

import builtins
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import coalescope as cs
import pytest
from coalescope import shipped
from manuals import fences

pytestmark = pytest.mark.folder_stack

SLUG = "geist-2005-nfs"
COSTS = {"alpha", "beta", "gamma"}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A page with a module that draws nothing: what draws is tested in a browser."""
    folder = tmp_path_factory.mktemp("page")
    (folder / "notebook.js").write_text("export default {}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shipped, "page", lambda: folder)
        sys.modules.pop("coalescope.client.surface_widget", None)
        yield folder
    sys.modules.pop("coalescope.client.surface_widget", None)


@pytest.fixture(scope="module")
def experiment(published: Path, page: Path) -> Iterator[cs.Experiment]:
    with cs.open(published, SLUG) as found:
        yield found


def answered(widget: Any, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    """As the surface asks: a message, and the one that comes back."""
    sent: list[Any] = []
    widget.send = sent.append
    question = {"id": "7", "method": method, "path": f"experiments/{SLUG}{path}", "body": body}
    widget._handle_custom_msg(question, [])
    (answer,) = sent
    assert answer["id"] == "7"
    return answer["status"], answer["body"]


def dragged(widget: Any, **values: float) -> None:
    """As the browser tells of sliders that are known by then."""
    domains = {name: [0, None] for name in {*widget.parameters, *values}}
    widget.set_state({"_domains": domains, "parameters": {**widget.parameters, **values}})


def test_it_starts_at_the_fit_and_is_answered_with_it(experiment: cs.Experiment) -> None:
    fit = experiment.fit("cpu-overhead")
    widget = fit.explore()
    assert widget.parameters == fit.parameters
    asked = {"model": "cpu-overhead", "method": "paper-tls", "response": "system_cpu_jiffies"}
    assert answered(widget, "POST", "/fits", asked) == (200, fit.document)
    status, other = answered(widget, "POST", "/fits", {**asked, "method": "ols"})
    assert (status, other["method"]) == (200, "ols")


def test_what_is_dragged_is_told_and_what_is_set_is_sent(experiment: cs.Experiment) -> None:
    widget = experiment.fit("cpu-overhead").explore()
    told: list[Any] = []
    widget.observe(lambda change: told.append(change.new), "parameters")
    dragged(widget, gamma=2.5)
    assert told == [widget.parameters]
    assert widget.parameters["gamma"] == 2.5
    widget.parameters = {"beta": 1}
    assert set(widget.parameters) == COSTS
    state = widget.get_state(["parameters"])["parameters"]
    assert (state["beta"], state["gamma"]) == (1.0, 2.5)


def test_what_the_manual_types_into_a_notebook_works(
    experiment: cs.Experiment, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn, moved = fences("docs/client.md", "python")
    notebook = {"f": experiment.fit("cpu-overhead")}
    exec(drawn, notebook)
    exec(moved, notebook)
    widget: Any = notebook["w"]
    assert widget.parameters["gamma"] == 1.4
    capsys.readouterr()
    dragged(widget, gamma=2.5)
    assert "'gamma': 2.5" in capsys.readouterr().out


def test_an_experiment_has_the_parameters_of_what_is_drawn(experiment: cs.Experiment) -> None:
    widget = experiment.explore()
    assert widget.parameters == {}
    dragged(widget, alpha=1.0)
    assert widget.parameters == {"alpha": 1.0}
    assert repr(widget) == "Surface of geist-2005-nfs: alpha = 1"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"gama": 1.0}, "no parameter gama"),
        ({"gamma": True}, "no number"),
        ({"gamma": "2"}, "no number"),
        ({"gamma": float("nan")}, "no number"),
        ({"gamma": -1.0}, "cannot be -1"),
    ],
)
def test_what_a_parameter_cannot_be_is_refused(
    experiment: cs.Experiment, given: dict[str, Any], words: str
) -> None:
    widget = experiment.fit("cpu-overhead").explore()
    dragged(widget)
    before = dict(widget.parameters)
    with pytest.raises(cs.CoalescopeError, match=words):
        widget.parameters = given
    assert widget.parameters == before


def test_it_shows_the_runs_that_were_chosen(experiment: cs.Experiment) -> None:
    chosen = experiment.where(mtu_bytes=[1500, 3000])
    widget = chosen.explore("rx_interrupts")
    _, about = answered(widget, "GET", "")
    assert about["factors"][0]["levels"] == [1500, 3000]
    _, cells = answered(widget, "GET", "/cells")
    assert {cell["factors"]["mtu_bytes"] for cell in cells["cells"]} == {1500, 3000}
    asked = {"model": "cpu-overhead", "method": "ols", "response": "system_cpu_jiffies"}
    _, fit = answered(widget, "POST", "/fits", {**asked, "where": {"workload": "nfs"}})
    assert fit["n"] == len(cells["cells"]) == 18


def test_what_goes_wrong_is_answered_as_a_server_would(experiment: cs.Experiment) -> None:
    widget = experiment.explore()
    status, body = answered(widget, "POST", "/fits", {"model": "no-model"})
    assert (status, body["error"]["code"]) == (422, "unknown_model")
    status, body = answered(widget, "POST", "/recommendations", {})
    assert (status, body["error"]["code"]) == (405, "needs_server")


def test_an_unknown_measure_is_refused(experiment: cs.Experiment) -> None:
    with pytest.raises(cs.CoalescopeError, match="no measure rx_byte"):
        experiment.explore("rx_byte")


def test_without_anywidget_it_says_what_to_type(
    experiment: cs.Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    fit = experiment.fit("cpu-overhead")
    real = builtins.__import__

    def absent(name: str, *rest: Any, **more: Any) -> Any:
        if name.partition(".")[0] == "anywidget":
            raise ModuleNotFoundError(f"No module named {name!r}", name="anywidget")
        return real(name, *rest, **more)

    for name in [name for name in sys.modules if name.partition(".")[0] == "anywidget"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(cs.CoalescopeError, match="needs anywidget") as refused:
        fit.explore()
    assert refused.value.advice == "pip install 'coalescope[notebook]'"


def test_without_the_built_page_it_says_so(
    experiment: cs.Experiment, page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipped, "page", lambda: None)
    monkeypatch.delitem(sys.modules, "coalescope.client.surface_widget", raising=False)
    with pytest.raises(cs.CoalescopeError, match="not built"):
        experiment.explore()
