# SPDX-License-Identifier: Apache-2.0
"""Every fault of a plan is found at once, and says file, key, value and what to do."""

from pathlib import Path

import pytest
from coalescope_host.plan.cells import cells_of
from coalescope_host.plan.plan import DriverParameter, Plan, PlanError, differences
from coalescope_host.plan.plan_file import load_plan
from coalescope_host.plan.schedule import schedule
from coalescope_host.terminal import lines_of
from manuals import fences

HEAD = """
experiment = "lab-2026"
interface = "eth1"
duration_s = 10.0
"""
WORKLOADS = """
[workloads.udp]
kind = "udp-fan-in"
streams = 10
[workloads.own]
kind = "command"
command = ["my-tool", "--mtu", "{mtu_bytes}"]
"""
FACTORS = """
[factors]
mtu_bytes = [1500, 9000]
delay_us = [0, 10, 50]
workload = ["udp", "own"]
"""
WHOLE = HEAD + FACTORS + WORKLOADS


def peer(address: str) -> str:
    return f"[[peers]]\nssh = 'root@{address}'\naddress = '{address}'\n"


def load(tmp_path: Path, text: str) -> Plan:
    path = tmp_path / "plan.toml"
    path.write_text(text, encoding="utf-8")
    return load_plan(path)


def test_the_plans_of_the_manual_are_plans(tmp_path: Path) -> None:
    whole, driver = fences("docs/sweep.md", "toml")
    plan = load(tmp_path, whole)
    assert len(list(schedule(plan, 1))) == 160, "as it says of its dry run"
    named = whole.replace("delay_us", "delay_ticks")
    of_driver = load(tmp_path, named + driver).driver
    assert of_driver is not None
    assert of_driver.parameters["delay_ticks"] == DriverParameter("RxAbsIntDelay")
    other = "\n".join(line.removeprefix("# ") for line in driver.splitlines())
    other = other.replace('delay_ticks = "RxAbsIntDelay"', "#")
    scaled = load(tmp_path, named + other).driver
    assert scaled is not None
    assert scaled.parameters["delay_ticks"].multiply == 12.5


def faults(tmp_path: Path, text: str) -> list[str]:
    with pytest.raises(PlanError) as caught:
        load(tmp_path, text)
    lines = lines_of(caught.value)
    assert all(line.startswith(f"{tmp_path / 'plan.toml'}: ") for line in lines)
    return [line.removeprefix(f"{tmp_path / 'plan.toml'}: ") for line in lines]


def test_a_whole_plan(tmp_path: Path) -> None:
    plan = load(
        tmp_path,
        """
experiment = "lab-2026"
title = "The lab"
kind = "emulated"
interface = "eth1"
replicates = 3
seed = 1
duration_s = 10
warmup_s = 1.0
interval_ms = 100
source = "module"
pilot_s = 0
[factors]
delay_ticks = [0, 10]
offload.gro = [true, false]
"driver.FlowControl" = [0, 3]
workload = ["udp"]
factor.phase = ["a", "b"]
[driver]
module = "e1000e"
fixed = { InterruptThrottleRate = 0 }
[driver.parameters]
delay_ticks = { name = "RxAbsIntDelay", multiply = 12.5 }
[workloads.udp]
kind = "udp-fan-in"
[[peers]]
ssh = "root@192.0.2.7"
ssh_options = ["-p", "2222"]
interface = "eth2"
address = "10.0.0.2"
[[exclude]]
delay_ticks = 10
offload.gro = false
[environment]
rack = 7
virtual_machine.qemu_version = "10.0.2"
[logger]
path = "/opt/coalescope-logger"
time_dilation = 12.5
[upload]
server = "http://127.0.0.1:8000"
token_file = "token"
""".replace("offload.gro = false\n[env", '"offload.gro" = false\n[env'),
    )
    assert list(plan.factors) == [
        "delay_ticks",
        "offload.gro",
        "driver.FlowControl",
        "workload",
        "factor.phase",
    ]
    assert plan.driver is not None
    assert plan.driver.parameters["delay_ticks"] == DriverParameter("RxAbsIntDelay", 12.5)
    assert plan.peers[0].ssh_options == ("-p", "2222")
    assert plan.environment == {"rack": "7", "virtual_machine.qemu_version": "10.0.2"}
    assert plan.upload is not None
    assert plan.upload.token_file == tmp_path / "token"
    cells = cells_of(plan.factors, plan.constants, list(plan.excluded))
    assert len(cells) == 2 * 2 * 2 * 2 - 4
    assert not any(cell["delay_ticks"] == 10 and not cell["offload.gro"] for cell in cells)


def test_the_only_workload_need_not_be_a_factor(tmp_path: Path) -> None:
    plan = load(
        tmp_path,
        HEAD + "[factors]\nmtu_bytes = [1500]\n[workloads.udp]\nkind = 'udp-fan-in'\n",
    )
    assert plan.constants == {"workload": "udp"}
    assert cells_of(plan.factors, plan.constants, []) == [{"mtu_bytes": 1500, "workload": "udp"}]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("experiment = ", "is not TOML"),
        (WHOLE.replace("lab-2026", "Lab 2026"), 'experiment = "Lab 2026": must be lower-case'),
        (WHOLE.replace('interface = "eth1"\n', ""), "interface: is missing"),
        (WHOLE.replace("eth1", "an interface"), 'interface = "an interface": must be an interf'),
        (WHOLE.replace("10.0", "0.0"), "duration_s = 0.0: must be a number from 0.01"),
        (WHOLE.replace("10.0", "inf"), "duration_s = Infinity: must be a number"),
        (WHOLE.replace("10.0", '"10 s"'), 'duration_s = "10 s": must be a number'),
        ("replicates = 0\n" + WHOLE, "replicates = 0: must be a whole number from 1"),
        ("replicates = true\n" + WHOLE, "replicates = true: must be a whole number"),
        ("replicate = 3\n" + WHOLE, "replicate: there is no such key. Did you mean replicates?"),
        ("seed = -1\n" + WHOLE, "seed = -1: must be a whole number from 0"),
        ('kind = "published"\n' + WHOLE, 'kind = "published": must be one of measured, emulated'),
        ('source = "modul"\n' + WHOLE, "Did you mean module?"),
        ("interval_ms = 0\n" + WHOLE, "interval_ms = 0: must be a whole number from 1 to 60000"),
        (
            WHOLE.replace("mtu_bytes =", "mtu_byte ="),
            "factors.mtu_byte: there is no such factor. Did you mean mtu_bytes",
        ),
        (WHOLE.replace("[1500, 9000]", "[]"), "factors.mtu_bytes = []: has no level"),
        (WHOLE.replace("[1500, 9000]", "1500"), "factors.mtu_bytes = 1500: must be a list"),
        (
            WHOLE.replace("9000", '"9000"'),
            'factors.mtu_bytes[2] = "9000": must be a whole number from 68 to 65536, in bytes',
        ),
        (WHOLE.replace("9000", "67"), "= 67: must be a whole number from 68"),
        (WHOLE.replace("9000", "1500"), "= 1500: is given twice"),
        (WHOLE.replace("50]", "nan]"), "must be a number of microseconds"),
        (WHOLE.replace('"own"]', '"onw"]'), "there is no [workloads.onw]. Did you mean own?"),
        (WHOLE.replace(', "own"]', "]"), "workloads.own: is never used"),
        (HEAD + WORKLOADS + "[factors]\nmtu_bytes = [1500]\n", "factors.workload: is missing"),
        (HEAD + FACTORS, "workloads: no workload is defined"),
        (HEAD + WORKLOADS, "factors: no factor is varied"),
        (WHOLE.replace("streams", "stream"), "Did you mean streams?"),
        (WHOLE.replace("udp-fan-in", "udp"), 'workloads.udp.kind = "udp": must be one of'),
        (WHOLE.replace('["my-tool", "--mtu", "{mtu_bytes}"]', "[]"), "must name a program"),
        (
            WHOLE.replace("{mtu_bytes}", "{mtu_byte}"),
            "workloads.own.command: {mtu_byte} is not known. Did you mean mtu_bytes?",
        ),
        (
            WHOLE.replace("{mtu_bytes}", "-t{duration}"),
            "mtu_bytes, delay_us, workload, seed, replicate, interface, warmup_s, duration_s. If",
        ),
        (WHOLE.replace("{mtu_bytes}", "{peer}"), "workloads.own.command: {peer} is not known."),
        (
            WHOLE + 'server = ["iperf3", "-B", "{adress}"]\n',
            "workloads.own.server: {adress} is not known.",
        ),
        (WHOLE.replace('command = ["my-tool', 'commnd = ["my-tool'), "command: is missing"),
        (
            WHOLE + "[[exclude]]\nmtu_bytes = 3000\n",
            "exclude[1].mtu_bytes = 3000: matches no cell: the levels are 1500, 9000.",
        ),
        (WHOLE + "[[exclude]]\nmtus = 1500\n", "exclude[1].mtus = 1500: is no factor of this plan"),
        (WHOLE + "[[exclude]]\n", "exclude[1]: excludes every cell"),
        (
            WHOLE + "[[exclude]]\nmtu_bytes = 1500\n[[exclude]]\nmtu_bytes = 9000\n",
            "exclude: together they exclude every cell",
        ),
        (WHOLE + peer("nas"), 'peers[1].address = "nas": must be the IPv4 or IPv6 address'),
        (WHOLE + peer("fe80::2"), "give both ends others, such as fd00::1/64"),
        (WHOLE + peer("fe80::2%eth1"), "is an address of one link"),
        (WHOLE + peer("ff02::1"), "is the address of no single host"),
        (WHOLE + peer("192.0.2.1") + peer("fd00::1"), "peers: have addresses of IPv4 and of IPv6"),
        (WHOLE.replace("1500", "1000") + peer("fd00::1"), "loses its IPv6 addresses"),
        (WHOLE + "[[peers]]\nssh = 'a'\n", "peers[1].address: is missing"),
        (
            WHOLE + "[[peers]]\nssh = '-oProxyCommand=x'\naddress = '10.0.0.2'\n",
            'peers[1].ssh = "-oProxyCommand=x": must be a destination',
        ),
        (WHOLE + "[peers]\nssh = 'a'\n", "must be tables, each headed [[peers]]"),
        (
            WHOLE.replace("delay_us", "delay_ticks"),
            "factors.delay_ticks: is set by a driver parameter",
        ),
        (
            WHOLE.replace("delay_us", '"driver.Foo"'),
            'factors."driver.Foo": is a parameter of a driver',
        ),
        (WHOLE + "[driver]\n", "driver.module: is missing"),
        (
            WHOLE + "[driver]\nmodule = 'a'\nparameters = { delay_u = 'B' }\n",
            "driver.parameters.delay_u: is no factor of this plan. Did you mean delay_us?",
        ),
        (WHOLE + "[logger]\ntime_dilation = 12.5\n", "logger.time_dilation = 12.5: is for kind"),
        (WHOLE + "[upload]\nserver = 'localhost'\n", "must be a URL such as"),
        (WHOLE + "[upload]\nserver = 'http://a:b'\n", "must be a URL such as"),
        (WHOLE + "[upload]\nserver = 'http://me:secret@a'\n", "without user and password"),
        (
            WHOLE + "[upload]\nserver = 'http://a'\ntoken = 'secret'\n",
            "upload.token: a token does not belong in a plan",
        ),
        (WHOLE + "[environment]\nRack = 1\n", "a note's name is lower-case letters"),
        (WHOLE.replace("delay_us = [0", "kernel_version = ['a', 'b']\ndelay_us = [0"), "one level"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, text: str, expected: str) -> None:
    assert any(expected in line for line in faults(tmp_path, text)), faults(tmp_path, text)


@pytest.mark.parametrize(
    "word", ["{delay_us}:{seed}", "{workload}", "${HOME}", "x{3}", "{}", "{ print }", "{peer}"]
)
def test_braces_that_are_known_or_no_placeholders(tmp_path: Path, word: str) -> None:
    peer = '[[peers]]\nssh = "a"\naddress = "10.0.0.2"\n'
    plan = load(tmp_path, WHOLE.replace("{mtu_bytes}", word) + peer)
    assert plan.workloads["own"].options["command"][-1] == word


def test_all_faults_are_said_at_once(tmp_path: Path) -> None:
    text = WHOLE.replace("10.0", "-1").replace("9000", "1").replace("udp-fan-in", "tcp")
    assert len(faults(tmp_path, text)) == 3


def test_no_token_is_repeated(tmp_path: Path) -> None:
    text = WHOLE + "[upload]\nserver = 'http://a'\ntoken = 'secret-token'\n"
    assert "secret-token" not in "\n".join(faults(tmp_path, text))


def test_a_plan_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"nowhere\.toml: cannot be read: No such file"):
        load_plan(tmp_path / "nowhere.toml")


def test_a_plan_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(PlanError, match="is not UTF-8 text"):
        load_plan(path)


def test_what_may_change_while_a_sweep_goes_on(tmp_path: Path) -> None:
    before = load(tmp_path, "replicates = 3\n" + WHOLE)
    harmless = load(tmp_path, "replicates = 10\ntitle = 'x'\n" + WHOLE + "[logger]\npath = '/l'\n")
    assert differences(before.document, harmless.document) == []
    assert before.plan_hash == harmless.plan_hash
    changed = load(tmp_path, "seed = 2\nreplicates = 3\n" + WHOLE.replace("9000", "9001"))
    assert differences(before.document, changed.document) == [
        "factors.mtu_bytes was [1500, 9000], now it is [1500, 9001]",
        "seed was not there, now it is 2",
    ]
    assert before.plan_hash != changed.plan_hash


def test_addresses_of_both_versions_and_processors(tmp_path: Path) -> None:
    plan = load(tmp_path, WHOLE + 'cpus = "0-1,3"\n' + peer("2001:db8::2"))
    assert [one.address for one in plan.peers] == ["2001:db8::2"]
    assert [spec.cpus for spec in plan.workloads.values()] == [None, "0-1,3"]
    (fault,) = faults(tmp_path, WHOLE + 'cpus = "all"\n')
    assert 'cpus = "all": must be CPUs as the kernel lists them' in fault


@pytest.mark.fault("B6")
@pytest.mark.parametrize("word", ["mtu", "rx-usecs", "rx_usecs", "gro", "mtu_bytes"])
def test_a_factor_above_factors_is_said_to_belong_below(tmp_path: Path, word: str) -> None:
    assert f"{word}: is a factor: it belongs below [factors], as a list of levels." in faults(
        tmp_path, f"{word} = 1500\n{WHOLE}"
    )


@pytest.mark.fault("B6")
def test_factors_by_the_names_that_a_newcomer_types(tmp_path: Path) -> None:
    typed = '[factors]\nmtu = [1500]\nrx-usecs = [0, 25]\ngro = ["on", "off"]\n'
    plan = load(tmp_path, HEAD + typed + '[workloads.u]\nkind = "udp-fan-in"\n')
    assert plan.factors["offload.gro"] == (True, False)
    assert plan.factors["delay_us"] == (0, 25)
    assert plan.factors["mtu_bytes"] == (1500,)


@pytest.mark.fault("B6")
def test_a_key_after_factors_is_said_to_belong_above(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text('[factors]\nmtu_bytes = [1500]\nseed = 1\n[workloads.u]\nkind = "udp-fan-in"\n')
    with pytest.raises(PlanError) as refused:
        load_plan(plan)
    assert "seed is no factor but a key of the plan: it must stand above" in str(refused.value)
