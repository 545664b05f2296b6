# SPDX-License-Identifier: Apache-2.0
"""What is said of others that used the processors beside runs on one machine."""

import io
import json

import pytest
from coalescope_host.run.quietness import busy_before, quietness
from coalescope_host.run_log import RunLog, Writer, doubts, make_header, read, standard_field

SECOND_NS = 10**9
TIMES = ("cpu_user_ns", "cpu_system_ns")


def log_of(
    tasks_percent: int | None,
    sender_percent: float | None = 0.0,
    before_percent: float | None = None,
) -> RunLog:
    """Of a second in which the host's tasks took so much, half of it in system mode."""
    file = io.BytesIO()
    names = ("t_monotonic_ns", "rx_packets", *(TIMES if tasks_percent is not None else ()))
    fields = [standard_field(name) for name in names]
    fields.append({**standard_field("cpu_user_ns"), "name": "workload_cpu_ns"})
    header = make_header(
        run_id="3b7a0c14-b370-5099-8c24-22342d0fcf75",
        experiment="demo",
        factors={},
        fields=fields,
        sources=[{"name": "sysfs", "atomic": False, "description": ""}],
    )
    environment: dict[str, object] = {"peers": [{"same_machine": True}]}
    if before_percent is not None:
        environment["idle_baseline"] = {"other_cpu_percent": before_percent}
    header["environment"] = environment
    with Writer(file, header) as log:
        for second in (0, 1):
            half = [] if tasks_percent is None else [second * tasks_percent * SECOND_NS // 200] * 2
            log.sample((1 + second) * SECOND_NS, 9 * second, *half, 0)
        told = {} if sender_percent is None else {"remote_total": sender_percent}
        used = {"end": {"cpu_utilization_percent": told}}
        log.result(json.dumps(used).encode(), exit_status=0)
    return read(file.getvalue())


@pytest.mark.parametrize(
    ("logs", "said"),
    [
        ([log_of(100), log_of(120)], "NOT QUIET: other tasks took 100 to 120 % of a CPU beside"),
        (
            [log_of(60, sender_percent=55)] * 2,
            "Quiet: other tasks took 5 % of a CPU beside the runs; the sender, on this machine, "
            "took 55 %.",
        ),
        (
            [log_of(60, sender_percent=None, before_percent=2.0)],
            "Whether it was quiet is not known: other tasks and the sender, on this machine, too, "
            "took 60 % of a CPU beside the runs, 2 % before them.",
        ),
        ([log_of(60, sender_percent=None, before_percent=50.0)], "NOT QUIET: other tasks and the"),
        ([log_of(5, before_percent=95.0)], "NOT QUIET: other tasks took 0 % of a CPU beside the"),
        (
            [log_of(5, before_percent=2.0)],
            "Quiet: other tasks took 0 % of a CPU beside the runs, 2",
        ),
        ([log_of(None)], "Whether others used the processors is not known"),
        ([], "Whether others used the processors is not known"),
    ],
)
def test_the_verdict_comes_first(logs: list[RunLog], said: str) -> None:
    assert quietness(logs)[0].startswith(said)


@pytest.mark.parametrize(
    ("sender_percent", "said"),
    [
        (55.0, []),
        (30.0, ["Others took at least 30 % of a CPU while this was measured, beside 30 % of"]),
        (None, ["Others and the other end of the traffic, on the same machine, took at least 60"]),
    ],
)
def test_the_logs_say_the_same_of_the_sender(sender_percent: float | None, said: list[str]) -> None:
    busy = [d for d in doubts(log_of(60, sender_percent)) if d.code == "others_were_busy"]
    assert [d.message[: len(text)] for d, text in zip(busy, said, strict=True)] == said


def test_others_that_were_busy_before_a_block_are_said_at_once() -> None:
    """A host that is as busy during the runs shows no difference in any of them."""
    said = busy_before({"idle_baseline": {"other_cpu_percent": 197.2}})
    assert said is not None
    assert said.startswith("other tasks took 197 % of a CPU. They share caches")
    assert busy_before({"idle_baseline": {"other_cpu_percent": 4.0}}) is None
    assert busy_before({}) is None
