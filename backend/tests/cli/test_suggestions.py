# SPDX-License-Identifier: Apache-2.0
"""Who misspells what is there is told what was probably meant: in every option that names such."""

from argparse import Action
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from coalescope.cli.parser import parse

from .conftest import parsers

Run = Callable[..., Any]

FIT = "fit geist-2005-nfs cpu-overhead"
NONLINEAR = "fit geist-2005-points link-bound --output throughput_mbps --free link_rate_mbps"
GOAL = "system_cpu_jiffies_per_gb"
RECOMMEND = "recommend geist-2005-points --maximise throughput_mbps --where workload=udp"
PREDICTED = "recommend --model link-bound --maximise throughput_mbps --choose mtu_bytes=1500,9000"
COMPARE = "compare geist-2005-points --measure throughput_mbps"
#: Command and option → what is typed, and what was meant.
MISSPELT = {
    "quantities words": ("quantities throughput_mpbs", "throughput_mbps"),
    "predict model": ("predict link-bond", "link-bound"),
    "predict model_option": ("predict --model link-bond", "link-bound"),
    "predict values": ("predict link-bound --set mtu_byte=1500", "mtu_bytes"),
    "predict over": ("predict link-bound --over mtu_byte=1:2:3", "mtu_bytes"),
    "surface experiment": ("surface geist-2005-nsf rx_bytes", "geist-2005-nfs"),
    "surface measure": ("surface geist-2005-nfs rx_byte", "rx_bytes"),
    "export where": ("export geist-2005-nfs --format csv --where mtu_byte=1500", "mtu_bytes"),
    "surface where": ("surface geist-2005-nfs rx_bytes --where mtu_byte=1500", "mtu_bytes"),
    "surface x": ("surface geist-2005-nfs rx_bytes --x mtu_byte", "mtu_bytes"),
    "surface y": ("surface geist-2005-nfs rx_bytes --y mtu_byte", "mtu_bytes"),
    "fit experiment": ("fit geist-2005-nsf cpu-overhead", "geist-2005-nfs"),
    "fit model": ("fit geist-2005-nfs cpu-overhaed", "cpu-overhead"),
    "fit model_option": ("fit geist-2005-nfs --model cpu-overhaed", "cpu-overhead"),
    "fit output": (NONLINEAR.replace("throughput_mbps", "throughput_mpbs"), "throughput_mbps"),
    "fit free": (NONLINEAR.replace("link_rate_mbps", "link_rate_mpbs"), "link_rate_mbps"),
    "fit hold": (f"{NONLINEAR} --hold mtu_byte=1500", "mtu_bytes"),
    "fit response": (f"{FIT} --response system_cpu_jiffie", "system_cpu_jiffies"),
    "fit where": (f"{FIT} --where mtu_byte=1500", "mtu_bytes"),
    "fit pool": (f"{FIT} --pool mtu_byte", "mtu_bytes"),
    "variance experiment": ("variance x --measure rx_bytes --factors a,b", None),
    "variance measure": (
        "variance geist-2005-nfs --measure rx_byte --factors mtu_bytes,delay_ticks",
        "rx_bytes",
    ),
    "variance factors": (
        "variance geist-2005-nfs --measure rx_bytes --factors mtu_bytes,delay_tick",
        "delay_ticks",
    ),
    "variance where": (
        "variance geist-2005-points --measure throughput_mbps --factors mtu_bytes,delay_ticks "
        "--where workload=udpp",
        "udp",
    ),
    "compare experiment": ("compare geist-2005-nsf geist-2005-nfs --measure rx_bytes",
                           "geist-2005-nfs"),
    "compare other": ("compare geist-2005-nfs geist-2005-nsf --measure rx_bytes", "geist-2005-nfs"),
    "compare measure": ("compare geist-2005-nfs geist-2005-points --measure rx_byte", "rx_bytes"),
    "compare where": (f"{COMPARE} --split workload=tcp:udp --where mtu_byte=1500", "mtu_bytes"),
    "compare split": (f"{COMPARE} --split workload=tcp:udpp", "udp"),
    "compare allow": (
        f"{COMPARE} --split workload=tcp:udp --fail-if-worse --allow throughput_mpbs=2",
        "throughput_mbps",
    ),
    "plan experiment": ("plan geist-2005-nsf --measure rx_bytes --width 5", "geist-2005-nfs"),
    "plan measure": ("plan geist-2005-nfs --measure rx_byte --width 5", "rx_bytes"),
    "plan where": ("plan geist-2005-nfs --measure rx_bytes --width 5 --where mtu_byte=1500",
                   "mtu_bytes"),
    "recommend experiment": ("recommend geist-2005-nsf --maximise rx_bytes", "geist-2005-nfs"),
    "recommend model": ("recommend --model link-bond --maximise throughput_mbps", "link-bound"),
    "recommend maximise": (f"recommend geist-2005-nfs --maximise {GOAL[:-1]}", GOAL),
    "recommend minimise": (f"recommend geist-2005-nfs --minimise {GOAL[:-1]}", GOAL),
    "recommend weight": (f"{RECOMMEND} --weight throughput_mpbs=2", "throughput_mbps"),
    "recommend at_most": (f"{RECOMMEND} --at-most latency_u=2", "latency_us"),
    "recommend at_least": (f"{RECOMMEND} --at-least latency_u=2", "latency_us"),
    "recommend within": (f"{RECOMMEND} --within throughput_mpbs=2", "throughput_mbps"),
    "recommend within_current": (f"{RECOMMEND} --within-current latency_u=2", "latency_us"),
    "recommend current": (f"{RECOMMEND} --current mtu_byte=1500", "mtu_bytes"),
    "recommend where": (f"{RECOMMEND} --where mtu_byte=1500", "mtu_bytes"),
    "recommend values": (
        f"{PREDICTED} --set link_rate_mpbs=1000",
        "link_rate_mbps",
    ),
    "recommend choose": (
        "recommend --model link-bound --maximise throughput_mbps --choose mtu_byte=1500,9000",
        "mtu_bytes",
    ),
    "recommend driver": (f"{PREDICTED} --interface eth0 --driver ixgb_e", "ixgbe"),
    "policy policy": ("policy dimm --clients 3", "dim"),
    "policy experiment": ("policy dim geist-2005-nsf", "geist-2005-nfs"),
    "policy where": ("policy dim geist-2005-nfs --where mtu_byte=1500", "mtu_bytes"),
    "trace function": ("trace own.py --function latncy", "latency"),
    "trace sources": ("trace own.py --function latency --source delay_u=delay_us", "delay_us"),
    "import map": ("import table.csv --map Rat=throughput_mbps", "Rate"),
    "import choice": ("import tidy.csv --choice mtu_byte", "mtu_bytes"),
    "import no_choice": ("import tidy.csv --no-choice mtu_byte", "mtu_bytes"),
    "import set": ("import iperf3.json --set mtu_byte=1500", "mtu_bytes"),
    "export experiment": ("export geist-2005-nsf --format csv", "geist-2005-nfs"),
    "datasets fetch name": ("datasets fetch nic-tuning-202", "nic-tuning-2022"),
    "jobs list experiment": ("jobs list --experiment geist-2005-nsf", "geist-2005-nfs"),
    "runs list experiment": ("runs list geist-2005-nsf", "geist-2005-nfs"),
    "experiments rename experiment": ("experiments rename geist-2005-nsf x", "geist-2005-nfs"),
    "experiments describe experiment": (
        "experiments describe geist-2005-nsf --subtitle x", "geist-2005-nfs",
    ),
    "experiments delete experiments": ("experiments delete geist-2005-nsf", "geist-2005-nfs"),
    "experiments restore experiments": ("experiments restore my-lba", "my-lab"),
    "runs correct set": ("runs correct x --set mtu_byte=1500 --reason x", "mtu_bytes"),
    "runs list where": ("runs list geist-2005-nfs --where mtu_byte=1500", "mtu_bytes"),
    "token revoke name": ("token revoke bnech", "bench"),
}  # fmt: skip
MISSPELT["variance experiment"] = (
    MISSPELT["variance measure"][0].replace("nfs", "nsf"),
    "geist-2005-nfs",
)
#: What is no name of anything, or of what need not be there, or is copied and not typed.
FREE = {
    "help", "data", "json", "files", "file", "directory", "output", "write", "copy", "token_file",
    "job",
    "server", "host", "port", "at", "workers", "parallel", "limit", "days", "seed", "resamples",
    "width", "tolerance", "title", "citation", "reason", "interface", "kernel", "phases", "clients",
    "round_trip", "frame_bytes", "duration", "interrupt_cost", "packet_cost", "wait_weight",
    "intervals", "without", "runs", "replicate",
    "subtitle", "url", "licence", "how_made", "note",
    "import experiment", "upload experiment", "token create name",  # may be new
    "upload map", "upload choice", "upload no_choice", "upload set",  # as of import, by the server
}  # fmt: skip


def naming() -> Iterator[tuple[str, Action]]:
    """Every option that takes something, of every command."""
    for command, parser in parsers().items():
        for action in parser._actions:
            if action.nargs != 0 and action.dest != "action":
                yield f"{command} {action.dest}", action


def chosen() -> dict[str, Action]:
    """Those with a list of choices."""
    return {place: action for place, action in naming() if action.choices is not None}


def test_every_option_that_names_something_is_here() -> None:
    known = {*MISSPELT, *FREE, *chosen()}
    assert [place for place, _ in naming() if not known & {place, place.rpartition(" ")[2]}] == []
    assert {*MISSPELT} <= {place for place, _ in naming()}


@pytest.fixture
def files(tmp_path: Path) -> None:
    own = "def latency(delay_us, *, xp):\n    return {'latency_us': 2.0 * delay_us}\n"
    (tmp_path / "own.py").write_text(f"{own}\n\n{own.replace('latency(', 'other(')}")
    (tmp_path / "table.csv").write_text("MTU;Rate\n1500;900\n9000;950\n")
    (tmp_path / "tidy.csv").write_text("mtu_bytes,replicate,drops\n1500,1,3\n")
    corpus = Path(__file__).parents[1] / "foreign" / "corpus"
    (found,) = list(corpus.rglob("*client*.json"))[:1]
    (tmp_path / "iperf3.json").write_bytes(found.read_bytes())


@pytest.mark.parametrize("place", MISSPELT)
def test_what_was_meant_is_said(place: str, read: Run, run: Run, files: None) -> None:
    typed, meant = MISSPELT[place]
    if place == "token revoke name":
        run("token", "create", meant, "--scope", "read")
        read = run
    if place == "experiments restore experiments":
        run("import", "tidy.csv", "--experiment", meant)
        run("experiments", "delete", meant)
        read = run
    done = read(*typed.split())
    said = done.stdout + done.stderr
    assert "Did you mean " in said, said
    suggested = said.partition("Did you mean ")[2].partition("?")[0].split(" or ")
    assert meant in suggested
    assert len(set(suggested)) == len(suggested)


@pytest.mark.parametrize("place", chosen())
def test_what_was_meant_of_choices_is_said(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    action = chosen()[place]
    command = place.split()[:-1]
    choice = max(map(str, action.choices or ()), key=len)
    with pytest.raises(SystemExit) as ended:
        parse([*command, action.option_strings[0], f"{choice[:-1]}"])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert f"invalid choice: {choice[:-1]!r}. Did you mean " in said
    assert choice in said.partition("Did you mean ")[2].partition("?")[0].split(" or ")


@pytest.mark.parametrize(
    ("typed", "meant"), [("datasets lst", "list"), ("token creat", "create"), ("modles", "models")]
)
def test_what_command_was_meant_is_said(
    typed: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        parse(typed.split())
    assert f"Did you mean {meant}" in capsys.readouterr().err
