# SPDX-License-Identifier: Apache-2.0
"""The logger on the loopback interface, read with the Python codec."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from coalescope_host.run_log import RunLogError, check, layout, read
from coalescope_models.vocabulary.quantity import QUANTITIES
from timeouts import TIMEOUT_S, retried_if_disturbed, wait_until

SEND = """
import socket, time
inbox = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); inbox.bind(("127.0.0.1", 0))
for _ in range(100):
    inbox.sendto(b"x" * 972, inbox.getsockname()); inbox.recv(2000); time.sleep(0.001)
print('{"sent": 100}')
"""


def run(logger, *arguments, seconds=TIMEOUT_S, **more):
    return subprocess.run(
        [logger, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
        **more,
    )


def record(logger, path, *arguments, **more):
    proc = () if "--counters" in arguments else ("--source", "proc")
    done = run(logger, "-i", "lo", "-o", path, "-t", "10ms", *proc, *arguments, **more)
    assert done.returncode == 0, done.stderr
    return read(path)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.runlog"


def test_a_command_is_recorded_with_its_result(logger, path):
    log = record(
        logger,
        path,
        *(
            "-e",
            "loopback",
            "--title",
            "Loop “back”",
            "-f",
            "mtu_bytes=65536",
            "-f",
            "delay_us=10.24",
        ),
        *("--read-back", "delay_us=8", "--workload", "udp", "-r", 3, "--order", 5, "--seed", 9),
        *("--plan", "a plan", "--", sys.executable, "-c", SEND),
    )
    assert log.complete
    assert not log.problems
    assert log.header["run"] | {"id": None} == {
        "id": None,
        "experiment": "loopback",
        "experiment_title": "Loop “back”",
        "kind": "measured",
        "replicate": 3,
        "order": 5,
        "seed": 9,
        "plan": "a plan",
    }
    assert log.header["factors"] == {
        "mtu_bytes": {"requested": 65536, "read_back": 65536},
        "delay_us": {"requested": 10.24, "read_back": 8},
        "workload": {"requested": "udp", "read_back": None},
    }
    assert log.header["environment"]["command"][0] == sys.executable
    assert log.header["environment"]["kernel_version"] == os.uname().release
    assert log.result.json() == {"sent": 100}
    assert log.result.metadata["exit_status"] == 0
    assert [mark.name for mark in log.marks] == [
        "command_start",
        "window_start",
        "window_end",
        "command_end",
    ]
    assert log.footer["ended"] == "command"
    octets, packets = log.streams[0].column("rx_bytes"), log.streams[0].column("rx_packets")
    assert packets[-1] - packets[0] >= 100
    assert octets[-1] - octets[0] >= 100_000  # 972 + 8 + 20: no link header on lo
    assert log.field("rx_bytes").bytes_include == ()
    assert not log.field("rx_bytes").atomic
    assert check(path).ok


def test_an_interface_without_interrupt_lines_has_no_interrupt_counter(logger, path):
    log = record(logger, path, "-d", "30ms")
    assert log.field("rx_interrupts") is None
    assert log.field("rx_line_interrupts") is None
    assert log.field("cpu_system_ns").attributes["scope"] == "machine"
    assert "rx_interrupts" in check(path).absent


@pytest.mark.parametrize("counters", ["auto", "netlink", "sysfs"])
def test_both_sources_of_counters_give_the_same_fields(logger, path, counters):
    log = record(logger, path, "-d", "30ms", "--counters", counters)
    source = log.field("rx_packets").source
    assert source == ("netlink" if counters == "auto" else counters)
    assert log.field("rx_dropped").source == source
    last = log.streams[0].column("rx_bytes")[-1]
    assert last <= int(Path("/sys/class/net/lo/statistics/rx_bytes").read_text())


@retried_if_disturbed
def test_samples_keep_to_the_schedule(logger, path):
    log = record(logger, path, "--force", "-d", "1s")
    report = check(path)
    start, end = log.window
    assert 1e9 <= end - start < 1.2e9
    times = log.streams[0].column("t_monotonic_ns")
    missed = log.footer["missed_ticks"]
    # absolute schedule: the number of ticks does not drift, whatever single ticks do
    assert len(times) + missed == pytest.approx((times[-1] - times[0]) / 1e7, abs=4)
    assert report.sampling.asked_interval_ns == 10_000_000


@retried_if_disturbed
def test_at_a_millisecond_nothing_drifts(logger, path):
    """2,000 samples: a schedule that waited after each sample would be late by 100 ms or more."""
    log = record(logger, path, "--force", "-t", "1ms", "-d", "2s")
    times = log.streams[0].column("t_monotonic_ns")
    ticks = len(times) - 1 + log.footer["missed_ticks"]
    assert ticks >= 1990
    # the duration's two ends, which a busy machine makes late, and 500 ppm of a slewed clock
    assert ticks == pytest.approx((times[-1] - times[0]) / 1e6, abs=20)
    wall = log.streams[0].column("t_realtime_ns")
    assert wall[0] <= time.time_ns()
    assert (wall[-1] - wall[0]) / 1e9 == pytest.approx((times[-1] - times[0]) / 1e9, abs=0.01)


def test_warmup_comes_before_the_window(logger, path):
    log = record(logger, path, "-w", "200ms", "-d", "100ms")
    start, end = log.window
    first = log.streams[0].column("t_monotonic_ns")[0]
    assert start - first >= 200e6
    assert end - start >= 100e6


@pytest.fixture
def undisturbed(logger, tmp_path):
    """The logger on a loopback interface of its own: what others send is not heard."""
    inside = 'ip link set lo up && exec "$0" "$@"'
    script = tmp_path / "undisturbed"
    script.write_text(
        f"#!/bin/sh\nexec unshare --map-root-user --net sh -c '{inside}' {logger} \"$@\""
    )
    script.chmod(0o755)
    return script


@retried_if_disturbed
def test_the_window_can_wait_for_traffic(undisturbed, path):
    slow = "import time; time.sleep(0.3)\n" + SEND + "\ntime.sleep(0.2)"
    log = record(
        *(undisturbed, path, "--force", "--start-on-traffic", 20, "-d", "100ms"),
        *("--", sys.executable, "-c", slow),
    )
    start, end = log.window
    times = log.streams[0].column("t_monotonic_ns")
    packets = log.streams[0].column("rx_packets")
    assert packets[times.index(start)] - packets[0] >= 20
    assert start - times[0] >= 250e6
    assert times[-1] > end


def test_interrupted_by_a_signal_the_log_is_whole(logger, path, recording):
    for number in (signal.SIGINT, signal.SIGTERM):
        command = [logger, "-i", "lo", "-o", path, "-t", "10ms", "-d", "600s"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            recording(path)
            process.send_signal(number)
            _, said = process.communicate(timeout=TIMEOUT_S)
        assert process.returncode == 1
        assert "the log is whole" in said
        log = read(path)
        assert log.complete
        assert log.footer["ended"] == "signal"
        assert log.window[1] is not None
        path.unlink()


def test_without_duration_or_command_a_signal_is_the_usual_end(logger, path, recording):
    command = [logger, "-i", "lo", "-o", path, "-t", "10ms"]
    with subprocess.Popen(command) as process:
        recording(path)
        process.send_signal(signal.SIGINT)
        assert process.wait(TIMEOUT_S) == 0
    assert read(path).complete


def test_a_signal_ends_the_command_too(logger, path, tmp_path):
    note = tmp_path / "begun"
    begins = f"echo started; touch {note}; exec sleep 600"
    command = [logger, "-i", "lo", "-o", path, "--", "sh", "-c", begins]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        wait_until(note.exists, "it does not begin")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=TIMEOUT_S)
    log = read(path)
    assert process.returncode == 1
    assert log.complete
    assert bytes(log.result.body) == b"started\n"
    assert log.result.metadata["signal"] == signal.SIGTERM


def test_a_command_that_ignores_the_signal_is_killed(logger, path, tmp_path):
    note = tmp_path / "begun"
    stubborn = f"trap '' TERM; echo here; touch {note}; while :; do sleep 0.1; done"
    command = [logger, "-i", "lo", "-o", path, "--", "sh", "-c", stubborn]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        wait_until(note.exists, "it does not begin")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=TIMEOUT_S)
    assert read(path).result.metadata["signal"] == signal.SIGKILL


def cut_off(logger, path):
    command = [logger, "-i", "lo", "-o", path, "-t", "1ms", "-d", "60s", "--force"]
    with subprocess.Popen(command) as process:
        time.sleep(2.5)
        process.kill()
    return read(path)


def test_killed_at_any_time_the_log_reads_to_its_last_block(logger, path):
    log = cut_off(logger, path)
    assert not log.complete
    assert [problem.code for problem in log.problems] == ["cut_off"]
    assert log.window[0] is not None


@retried_if_disturbed
def test_killed_what_was_older_than_a_second_is_there(logger, path):
    assert cut_off(logger, path).records > 500


def test_the_command_does_not_outlive_a_killed_logger(logger, path, tmp_path):
    note = tmp_path / "pid"
    command = [
        logger,
        "-i",
        "lo",
        "-o",
        path,
        "--",
        "sh",
        "-c",
        f"echo $$ > {note}; exec sleep 600",
    ]
    with subprocess.Popen(command) as process:
        wait_until(lambda: note.exists() and note.read_text().strip(), "it does not begin")
        process.kill()
    pid = int(note.read_text())

    def is_gone():
        try:
            return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
        except FileNotFoundError:
            return True

    wait_until(is_gone, "the command is still running")


def test_output_is_bounded_and_says_so(logger, path):
    log = record(logger, path, "--result-limit", 1000, "--", "sh", "-c", "yes | head -c 5000000")
    assert len(log.result.body) == 1000
    assert log.result.metadata["output_bytes"] == 5_000_000
    assert log.result.metadata["truncated"] is True
    assert log.result.media_type == "text/plain"


def test_output_can_be_left_out(logger, path):
    assert record(logger, path, "--no-result", "--", "echo", "secret").result is None
    assert b"secret" not in path.read_bytes().split(b"CBLK", 1)[1]


def test_output_that_is_not_text_is_kept_byte_by_byte(logger, path):
    log = record(logger, path, "--", "printf", r"\377\000\001x")
    assert bytes(log.result.body) == b"\xff\x00\x01x"


def test_redaction(logger, path):
    host = os.uname().nodename
    log = record(logger, path, "--redact", "host,command", "--", "true", "hidden-word")
    assert log.header["redacted"] == ["host", "command"]
    assert log.header["environment"]["host"] is None
    assert log.header["environment"]["command"] is None
    assert b"hidden-word" not in path.read_bytes()
    plain = record(logger, path, "--force", "--", "true", "hidden-word")  # the good twin
    assert plain.header["environment"]["host"] == host
    assert plain.header["environment"]["command"] == ["true", "hidden-word"]


def test_preview_prints_the_header_and_writes_nothing(logger, path):
    arguments = ["-i", "lo", "-o", path, "--preview", "-f", 'factor.note=a:"b",{}[]', "--", "true"]
    done = run(logger, "-t", "10ms", "--source", "proc", *arguments)
    assert done.returncode == 0
    shown = json.loads(done.stdout)
    assert len(done.stdout.splitlines()) > 50
    assert not path.exists()
    log = record(logger, path, *arguments[5:])
    for volatile in (shown, dict(log.header)):
        volatile["run"]["id"] = None
    assert shown == log.header


def test_texts_that_are_not_utf8_are_made_so(logger, path):
    title = os.fsdecode(b'caf\xe9 \xf0\x9f\x93\x88 \xc3\xa9\x01"\\')
    log = record(logger, path, "--title", title, "-d", "20ms")
    assert log.header["run"]["experiment_title"] == 'caf\N{REPLACEMENT CHARACTER} 📈 é\x01"\\'


def test_numbers_stay_numbers_and_texts_texts(logger, path):
    given = {
        "mtu_bytes": ("1500", 1500),
        "factor.b": ("-0.5", -0.5),
        "factor.c": ("007", "007"),
        "factor.d": ("1e5", "1e5"),
        "factor.e": ("", ""),
        "factor.f": ("1.", "1."),
        "factor.g": ("12345678901234567890", "12345678901234567890"),
        "factor.h": ("rx-usecs", "rx-usecs"),
    }
    factors = [part for name, (text, _) in given.items() for part in ("-f", f"{name}={text}")]
    log = record(logger, path, *factors, "-d", "20ms")
    read_factors = {name: value["requested"] for name, value in log.header["factors"].items()}
    assert read_factors == {name: value for name, (_, value) in given.items()}


FACTORS = {name: quantity for name, quantity in QUANTITIES.items() if quantity.role == "factor"}


def preview(logger, *arguments):
    return run(logger, "-i", "lo", "--preview", *arguments)


@pytest.mark.parametrize("option", ["-f", "--factor"])
def test_the_factors_are_those_of_the_glossary(logger, option):
    done = preview(logger, option, "mtu_byte=1500")
    assert (done.returncode, done.stdout) == (2, "")
    known = done.stderr.partition("Known are ")[2].partition(";")[0]
    assert known.split(", ") == list(FACTORS)
    assert "factor.NAME" in done.stderr
    assert preview(logger, option, "factor.mtu_byte=1500").returncode == 0


@pytest.mark.parametrize("name", FACTORS)
def test_levels_are_numbers_where_the_glossary_says_so(logger, name):
    for level in ("fast", "nan", "inf", "-1", "1e3", "0x10", "", " 1", "1 "):
        done = preview(logger, "-f", f"{name}={level}")
        assert done.returncode == (0 if FACTORS[name].text else 2), level
        assert ("not a number" in done.stderr) is not FACTORS[name].text
    for level in ("0", "64", "10.24"):
        assert preview(logger, "-f", f"{name}={level}").returncode == 0


def test_a_level_read_back_is_checked_too(logger):
    asked = ("-f", "delay_us=50", "--read-back")
    assert preview(logger, *asked, "delay_us=soon").returncode == 2
    assert preview(logger, *asked, "delay_us=64").returncode == 0


WRONG = [
    (["-o", "x"], 2, "--interface is missing"),
    (["-i", "lo"], 2, "--output is missing"),
    (["-i", "lo", "-o", "x", "--bogus"], 2, "bogus"),
    (["-i", "lo", "-o", "x", "-t", "5x"], 2, "not a time"),
    (["-i", "lo", "-o", "x", "-t", "1us"], 2, "1ms to 60s"),
    (["-i", "lo", "-o", "x", "-t", "-5ms"], 2, "not a time"),
    (["-i", "lo", "-o", "x", "-t", "nan"], 2, "not a time"),
    (["-i", "lo", "-o", "x", "-d", "1e30s"], 2, "not a time"),
    (["-i", "lo", "-o", "x", "-e", "Not A Slug"], 2, "slug"),
    (["-i", "lo", "-o", "-", "-d", "1s"], 2, "needs a file"),
    (["-i", "lo", "-o", "x", "-f", "MTU=1"], 2, "NAME=VALUE"),
    (["-i", "lo", "-o", "x", "-f", "mtu_bytes"], 2, "NAME=VALUE"),
    (["-i", "lo", "-o", "x", "-f", "host=1", "-f", "host=2"], 2, "given twice"),
    (["-i", "lo", "-o", "x", "-f", "factor.a=" + "9" * 2000], 2, "longer"),
    (["-i", "lo", "-o", "x", "--read-back", "host=1"], 2, "no --factor"),
    (["-i", "lo", "-o", "x", "-r", "three"], 2, "whole number"),
    (["-i", "lo", "-o", "x", "-r", "-3"], 2, "whole number"),
    (["-i", "lo", "-o", "x", "-r", "0"], 2, "--replicate must be 1 or more"),
    (["-i", "lo", "-o", "x", "--experimnet", "a"], 2, "Did you mean --experiment?"),
    (["-i", "lo", "-o", "x", "--facotr=mtu_bytes=1"], 2, "Did you mean --factor?"),
    (["-i", "lo", "-o", "x", "-f", "dealy_us=1"], 2, "Did you mean delay_us?"),
    (["-i", "lo", "-o", "x", "-f", "mtu=1500"], 2, "Did you mean mtu_bytes?"),
    (["-i", "lo", "-o", "x", "-f", "rx_frame=1"], 2, "Did you mean factor.rx_frames?"),
    (["-i", "lo", "-o", "x", "--run-id", "7"], 2, "UUID"),
    (["-i", "lo", "-o", "x", "--kind", "guessed"], 2, "kind"),
    (["-i", "lo", "-o", "x", "--redact", "everything"], 2, "redacted"),
    (["-i", "lo", "-o", "x", "--counters", "magic"], 2, "netlink"),
    (["-i", "lo", "-o", "x", "--source", "magic"], 2, "module, ebpf or proc"),
    (["-i", "lo", "-o", "x", "--time-dilation", "2"], 2, "emulated or simulated"),
    (["-i", "lo", "-o", "x", "--kind", "emulated", "--time-dilation", "0.5"], 2, "from 1 to"),
    (["-i", "lo", "-o", "x", "--kind", "emulated", "--time-dilation", "1e3"], 2, "from 1 to"),
    (["-i", "lo", "-o", "x", "--kind", "emulated", "--time-dilation", "1000001"], 2, "from 1 to"),
    (["-i", "lo", "-o", "x", "--command-timeout", "1s"], 2, "without a command"),
    (["-i", "lo", "-o", "x", "--command-timeout", "0s", "--", "true"], 2, "must be above 0"),
    (["-i", "lo", "-o", "x", "--environment", "a.b=1"], 2, "NAME=VALUE"),
    (["-i", "a-name-that-is-too-long", "-o", "x"], 2, "so long a name"),
    (["-i", "nosuch0", "-o", "x", "-d", "1s"], 1, "no interface nosuch0"),
    (["-i", "lo", "-o", "missing/x", "-d", "1s"], 1, "No such file"),
    (["-i", "lo", "-o", ".", "-d", "1s"], 1, "exist"),
    (["-i", "lo", "-o", "x", "--", "no-such-command"], 1, "no-such-command: No such file"),
    (["-i", "lo", "-o", "x", "--", "/etc/passwd"], 1, "Permission denied"),
    (["-i", "lo", "-o", "x", "--user", "nobody-at-all", "--", "true"], 1, "nobody-at-all"),
]


@pytest.mark.parametrize(("arguments", "status", "message"), WRONG)
def test_what_is_wrong_is_said(logger, tmp_path, arguments, status, message):
    done = run(logger, *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (status, "")
    assert message in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [["--qqqqq"], ["-f", "zzzzzz=1"]])
def test_nothing_is_suggested_for_what_is_like_nothing(logger, arguments):
    done = run(logger, "-i", "lo", "-o", "x", *arguments)
    assert done.returncode == 2
    assert "Did you mean" not in done.stderr


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"mtu_bytes": 9000}', 'the logger records "mtu_bytes" itself: leave it out'),
        ('{"peers": [], "command" : null}', 'the logger records "command" itself'),
        ('{"site": {"a": 1}, "site": 2}', '"site" is there twice'),
    ],
)
def test_no_name_is_in_the_environment_twice(logger, path, content, said):
    file = path.with_name("told.json")
    file.write_text(content)
    told = ("--environment-file", file)
    done = run(logger, "-i", "lo", "-o", path, "-d", "20ms", *told)
    assert done.returncode == 1
    assert f"--environment-file: {said}" in done.stderr
    assert not path.exists()
    assert run(logger, "-i", "lo", "-o", path, "--preview", *told).returncode == 1


WRONG_JSON = {
    "control characters in a name": (b'{"a\x1b[2J": 1}', "byte 3 is a control character"),
    "control characters in a value": (b'{"a": ["\x07"]}', "byte 8 is a control character"),
    "an end of a line in a value": (b'{"a": "b\nc"}', "byte 8 is a control character"),
    "a NUL": (b'{"a": 1}\0', "byte 8 is something behind its end"),
    "an escaped NUL": (b'{"a": "\\u0000"}', "is the character U+0000"),
    "half of a pair": (b'{"a": "\\ud800."}', "is half of a surrogate pair"),
    "the other half": (b'{"a": "\\udc00"}', "is half of a surrogate pair"),
    "no escape": (b'{"a": "\\x41"}', "is an escape that is none"),
    "half of an escape": (b'{"a": "\\u00"}', "is an escape that is none"),
    "no UTF-8": (b'{"a": "\xff"}', "byte 7 is a byte that is not UTF-8"),
    "C1 as one byte": (b'{"a": "\x9b"}', "byte 7 is a byte that is not UTF-8"),
    "no end": (b'{"a": 1', "is neither a comma nor an end"),
    "no end of a text": (b'{"a": "b', "is a text without an end"),
    "something behind it": (b'{"a": 1} {}', "byte 9 is something behind its end"),
    "a comma at the end": (b'{"a": 1,}', "is no text where one belongs"),
    "no colon": (b'{"a" 1}', "is no colon"),
    "no value": (b'{"a": }', "is no value"),
    "a word": (b'{"a": truth}', "is no value"),
    "not a number": (b'{"a": NaN}', "is no value"),
    "a zero before it": (b'{"a": 01}', "is no value"),
    "no digits": (b'{"a": 1.}', "is no value"),
    "a sign": (b'{"a": +1}', "is no value"),
    "an endless number": (b'{"a": 1e999}', "is a number that is not finite"),
    "a large number": (b'{"a": 18446744073709551616}', "is a whole number of more than 64 bits"),
    "a low number": (b'{"a": -9223372036854775809}', "is a whole number of more than 64 bits"),
    "depth": (b'{"a": ' + 15 * b"[" + 15 * b"]" + b"}", "is values that lie too deep"),
    "a list": (b"[1]", "holds no JSON object"),
    "nothing": (b"", "holds no JSON object"),
}


@pytest.mark.parametrize(("content", "said"), WRONG_JSON.values(), ids=WRONG_JSON)
def test_a_file_of_the_environment_that_no_reader_would_take_is_refused(
    logger, path, content, said
):
    """A log with it in its header could not be read."""
    file = path.with_name("told.json")
    file.write_bytes(content)
    done = run(logger, "-i", "lo", "-o", path, "-d", "20ms", "--environment-file", file)
    assert done.returncode == 2
    assert "--environment-file" in done.stderr or str(file) in done.stderr
    assert said in done.stderr
    assert not path.exists()


SOUND_JSON = {
    "numbers": [0, -0.0, 1.5e-3, 2**64 - 1, -(2**63), 1e300, -12, 10],
    "words": [True, False, None],
    "texts": [
        "",
        "µ é 漢 📈",
        'a"b\\c/\b\f\n\r\t\x1b\x7f',
        "\x9b31m\u061c\u200e\u2028\u202e\u2066",
    ],
    "names\x9b\x7f\u202e": {"": {"a": {}}, "b": []},
    "depth": json.loads(14 * "[" + 14 * "]"),
}


@pytest.mark.parametrize(
    ("indent", "ascii_only"), [(None, True), (None, False), (2, False)], ids=str
)
def test_a_file_of_the_environment_is_the_same_in_the_header(logger, path, indent, ascii_only):
    """And nothing in the header steers a terminal that it is shown on."""
    file = path.with_name("told.json")
    text = json.dumps(SOUND_JSON, indent=indent, ensure_ascii=ascii_only)
    file.write_text(f" {text}\r\n".replace("\n", "\r\n") if indent else text)
    given = (
        "--environment-file",
        file,
        "--title",
        "a\x7f\x9b\u202e",
        "--environment",
        "n=\x9b\x1b",
    )
    log = record(logger, path, "-d", "20ms", *given)
    assert {name: log.header["environment"][name] for name in SOUND_JSON} == SOUND_JSON
    assert log.header["run"]["experiment_title"] == "a\x7f\x9b\u202e"
    assert log.header["environment"]["notes"]["n"] == "\x9b\x1b"
    size = layout.PREAMBLE.size
    header = path.read_bytes()[size : size + layout.PREAMBLE.unpack(path.read_bytes()[:size])[3]]
    assert not re.search(
        "[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u2028\u202e\u2066]", header.decode()
    )


def test_members_below_may_have_names_of_the_environment(logger, path):
    file = path.with_name("told.json")
    file.write_text(' {"peers": [{"mtu_bytes": 9000}], "site": "mtu_bytes"} ')
    log = record(logger, path, "-d", "20ms", "--environment-file", file)
    assert log.header["environment"]["site"] == "mtu_bytes"


def test_a_log_is_not_overwritten_unless_asked(logger, path):
    record(logger, path, "-d", "20ms")
    before = path.read_bytes()
    done = run(logger, "-i", "lo", "-o", path, "-d", "20ms")
    assert done.returncode == 1
    assert "--force" in done.stderr
    assert path.read_bytes() == before
    record(logger, path, "-d", "20ms", "--force")
    assert path.read_bytes() != before


def test_a_command_that_fails_is_reported_and_its_log_kept(logger, path):
    done = run(logger, "-i", "lo", "-o", path, "--", "sh", "-c", "echo no; exit 3")
    assert done.returncode == 1
    assert "status 3" in done.stderr
    assert read(path).result.metadata["exit_status"] == 3


def test_a_command_that_hangs_is_ended_with_all_that_it_started(logger, path, tmp_path):
    note = tmp_path / "pid"
    hangs = f"echo started; sleep 600 & echo $! > {note}; sleep 600"
    begun = time.monotonic()
    done = run(
        logger,
        "-i",
        "lo",
        "-o",
        path,
        "--command-timeout",
        "2s",
        "--",
        "sh",
        "-c",
        hangs,
        stdin=subprocess.DEVNULL,
    )
    assert time.monotonic() - begun < 60
    assert done.returncode == 1
    assert "sh was still running after 2 s and was ended; the log is kept" in done.stderr
    log = read(path)
    assert log.complete
    assert log.footer["ended"] == "command timeout"
    assert log.result.metadata["timed_out"] is True
    assert bytes(log.result.body) == b"started\n"
    state = Path(f"/proc/{int(note.read_text())}/stat")
    assert not state.exists() or state.read_text().rsplit(")", 1)[1].split()[0] == "Z"


def test_a_command_that_ends_in_time_is_not_marked(logger, path):
    log = record(logger, path, "--command-timeout", "60s", "--", "true")
    assert "timed_out" not in log.result.metadata
    assert log.footer["ended"] == "command"


def test_time_dilation_stands_in_the_header(logger, path):
    log = record(logger, path, "--kind", "emulated", "--time-dilation", "12.5", "-d", "20ms")
    assert log.header["time_dilation"] == 12.5
    assert log.time_dilation == 12.5
    plain = record(logger, path, "--force", "-d", "20ms")
    assert "time_dilation" not in plain.header


def test_what_only_the_outside_knows_goes_into_the_environment(logger, path):
    facts = ["virtual_machine.qemu_version=10.0", "virtual_machine.icount_shift=1", "note=1.50"]
    facts += ["name=0", "host_name=7", "rename=8"]
    given = [part for fact in facts for part in ("--environment", fact)]
    environment = record(logger, path, *given, "-d", "20ms").header["environment"]
    assert environment["virtual_machine"]["qemu_version"] == "10.0"  # a version is no number
    assert environment["virtual_machine"]["icount_shift"] == 1
    texts = {"name": "0", "host_name": "7"}  # a name is no number either
    assert environment["notes"] == {"note": 1.5, "rename": 8, **texts}
    plain = record(logger, path, "--force", "-d", "20ms").header["environment"]
    assert "notes" not in plain
    virtual = "hypervisor" in Path("/proc/cpuinfo").read_text()
    assert bool(plain.get("virtual_machine", {}).get("hypervisor")) is virtual


def test_a_device_as_output_is_not_removed(logger):
    """Full from its first byte: said, and the device stays."""
    done = run(logger, "-i", "lo", "-o", "/dev/full", "--force", "-d", "20ms")
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert Path("/dev/full").is_char_device()


def test_a_command_shorter_than_the_window_is_reported(logger, path):
    done = run(logger, "-i", "lo", "-o", path, "-d", "10s", "--", "true")
    assert done.returncode == 1
    assert "before the measurement window did" in done.stderr
    assert read(path).complete


def test_a_window_that_never_began_is_reported(logger, path):
    done = run(logger, "-i", "lo", "-o", path, "-w", "10s", "--", "true")
    assert done.returncode == 1
    assert "never began" in done.stderr
    assert read(path).window == (None, None)


def test_a_full_disk_is_reported_and_what_fitted_is_readable(logger, path):
    import resource

    def little_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))

    done = run(logger, "-i", "lo", "-o", path, "-t", "1ms", "-d", "20s", preexec_fn=little_room)
    assert done.returncode == 1
    assert "too large" in done.stderr
    assert path.stat().st_size == 8192
    assert not read(path).complete


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_the_command_runs_as_the_named_or_the_calling_user(logger, tmp_path):
    path = tmp_path / "a.runlog"
    named = record(logger, path, "--user", "nobody", "--", "id", "-un")
    assert bytes(named.result.body) == b"nobody\n"
    sudo = os.environ | {"SUDO_USER": "nobody"}
    called = record(logger, path, "--force", "--", "id", "-un", env=sudo)
    assert bytes(called.result.body) == b"nobody\n"
    root = record(logger, path, "--force", "--", "id", "-un")
    assert bytes(root.result.body) == b"root\n"


def test_no_duration_is_refused_and_not_endless(logger, path):
    done = run(logger, "-i", "lo", "-o", path, "-d", "0s")
    assert done.returncode == 2
    assert "--duration" in done.stderr
    assert not path.exists()
    assert record(logger, path, "-d", "1ms").complete


def test_a_folder_cannot_be_forced(logger, path, tmp_path):
    assert "--force" not in run(logger, "-i", "lo", "-o", tmp_path, "-d", "1ms").stderr
    path.write_text("something else")
    assert "--force" in run(logger, "-i", "lo", "-o", path, "-d", "1ms").stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_an_unknown_user_is_named_as_one(logger, path):
    done = run(logger, "-i", "lo", "-o", path, "--user", "nobody-of-that-name", "--", "true")
    assert done.returncode == 1
    assert "no user nobody-of-that-name" in done.stderr


@pytest.mark.fault("C8")
@pytest.mark.parametrize(
    ("given", "seconds"), [("10", 10), ("1m", 60), ("2min", 120), ("1h", 3600), ("1.5s", 1.5)]
)
def test_times_as_others_write_them(logger, given, seconds):
    done = preview(logger, "-d", given)
    assert json.loads(done.stdout)["window"]["duration_ns"] == seconds * 1e9


@pytest.mark.fault("B14")
@pytest.mark.parametrize(("named", "said"), [((), 1), (("-e", "loopback"), 0)])
def test_that_no_experiment_is_named_is_said_before_the_measurement(logger, path, named, said):
    done = run(logger, "-i", "lo", "-o", path, "--source", "proc", "-d", "20ms", *named)
    assert done.returncode == 0
    assert done.stderr.count("the log names no experiment (--experiment)") == said


@pytest.mark.fault("C8")
def test_help_and_version(logger):
    assert run(logger, "-h").stdout == run(logger, "--help").stdout
    assert run(logger, "-V").stdout == run(logger, "--version").stdout
    assert "Usage" in run(logger, "--help").stdout
    assert "format 1.0" in run(logger, "--version").stdout


@pytest.mark.fault("C8")
@pytest.mark.parametrize("option", ["-q", "--quiet"])
def test_quiet_leaves_out_what_changes_nothing(logger, path, option):
    loud = run(logger, "-i", "lo", "-o", path, "-d", "20ms")
    assert "counters come from" in loud.stderr
    quiet = run(logger, option, "-i", "lo", "-o", path, "-d", "20ms", "--force", "--json")
    assert (quiet.returncode, quiet.stderr) == (0, "")
    assert json.loads(quiet.stdout)["fine"]


@pytest.mark.fault("C8")
def test_quiet_says_what_went_wrong(logger, path):
    done = run(logger, "-q", "-i", "lo", "-o", path, "--", "false")
    assert done.returncode == 1
    assert "false ended with status 1" in done.stderr
    assert "counters come from" not in done.stderr


@pytest.mark.fault("C8")
def test_interfaces_are_listed(logger):
    names = {name for _, name in socket.if_nameindex()}
    listed = run(logger, "-D")
    assert {line.split()[0] for line in listed.stdout.splitlines()} == names
    found = json.loads(run(logger, "--interfaces", "--json").stdout)
    assert {each["interface"] for each in found} == names
    (loopback,) = (each for each in found if each["interface"] == "lo")
    assert (loopback["state"], "driver" in loopback) == ("up", False)
    assert loopback["mtu_bytes"] == int(Path("/sys/class/net/lo/mtu").read_text())


def test_a_static_program_is_whole(tmp_path):
    """For guests that have no libraries."""
    folder = Path(__file__).resolve().parents[1]
    subprocess.run(
        ["make", "-s", "-C", str(folder), f"BUILD={tmp_path}", "LDFLAGS=-static"],
        check=True,
        capture_output=True,
    )
    program = tmp_path / "coalescope-logger"
    headers = subprocess.run(
        ["readelf", "-l", str(program)], capture_output=True, text=True, check=True
    )
    assert "INTERP" not in headers.stdout
    assert record(str(program), tmp_path / "a.runlog", "-d", "20ms").complete


def test_the_log_of_a_damaged_copy_is_refused(logger, path):
    record(logger, path, "-d", "50ms")
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    with pytest.raises(RunLogError):
        read(bytes(damaged))


@pytest.mark.parametrize("there", [True, False])
def test_a_log_is_not_written_where_a_link_leads(logger, path, tmp_path, there):
    victim = tmp_path / "victim"
    if there:
        victim.write_text("kept")
    path.symlink_to(victim)
    for force in ((), ("--force",)):
        done = run(logger, "-i", "lo", "-o", path, *force, "-d", "1ms", "--source", "proc")
        assert done.returncode == 1
        assert str(path) in done.stderr
    assert "Is a symbolic link" in done.stderr
    assert victim.exists() == there
    assert not there or victim.read_text() == "kept"
    path.unlink()
    assert record(logger, path, "--force", "-d", "1ms").complete
