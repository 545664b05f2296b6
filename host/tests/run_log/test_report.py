# SPDX-License-Identifier: Apache-2.0
import io
import json
import subprocess
import sys

import pytest
from coalescope_host.command_line import main
from coalescope_host.run_log import Writer, check, report_text


@pytest.fixture
def files(tools, tmp_path):
    log = tools.log()
    damaged = bytearray(log)
    damaged[-300] ^= 1
    contents = {"good": log, "cut": log[:-20], "bad": bytes(damaged), "text": b"not a log"}
    for name, content in contents.items():
        (tmp_path / f"{name}.runlog").write_bytes(content)
    return {name: tmp_path / f"{name}.runlog" for name in contents}


def test_a_good_log_is_described(files):
    report = check(files["good"])
    text = report_text(report)
    assert report.ok
    for part in (
        "OK: valid",
        "an-experiment",
        "1500 requested, 1500 read back",
        "not atomic",
        "7,500 bytes (sysfs)",
        "rx_interrupts",
        "exit status 0",
        "Ended by",
    ):
        assert part in text
    assert "rx_interrupts" in report.absent
    assert "rx_bytes" not in report.absent
    assert max(map(len, text.splitlines())) <= 100
    assert report.sampling is not None
    assert report.sampling.samples == 6
    assert report.window_ns == 50


def test_a_cut_off_log_says_so(files):
    report = check(files["cut"])
    assert not report.ok
    assert not report.complete
    assert report.readable
    text = report_text(report)
    assert "TRUNCATED" in text
    assert "last whole block" in text


def test_a_damaged_log_shows_offset_and_both_checksums(files):
    report = check(files["bad"])
    problem = report.problems[0]
    text = report_text(report)
    assert "REFUSED" in text
    assert f"{problem.offset:,} ({problem.offset:#x})" in text
    assert f"stored {problem.details['stored']}, computed {problem.details['computed']}" in text


def test_what_is_no_log_is_refused(files):
    report = check(files["text"])
    assert not report.readable
    assert report.header is None
    assert "not a run log" in report_text(report)


def test_json_is_json(files):
    for path in files.values():
        document = json.loads(json.dumps(check(path).to_json(), allow_nan=False))
        assert document["file"] == str(path)
        assert document["ok"] is (path == files["good"])


def test_remarks_on_clock_jumps_backward_counters_and_missing_windows(tools):
    file = io.BytesIO()
    with Writer(file, tools.header()) as log:
        log.sample(10**9, 10**18, 100, 10, 0)
        log.sample(2 * 10**9, 10**18 + 5 * 10**9, 50, 11, 0)
    report = check(file.getvalue())
    codes = {problem.code for problem in report.problems}
    assert codes == {"no_window", "wall_clock_jump", "backward_counter"}
    assert report.complete
    assert "OK, with warnings" in report_text(report)


def test_results_are_summarised(tools):
    file = io.BytesIO()
    with Writer(file, tools.header()) as log:
        log.result(b'{"end":{"sum_received":{"bytes":15000000,"seconds":3.0}}}')
        log.result(b"{", name="broken")
        log.result(b'{"end":[]}', name="other")
    text = report_text(check(file.getvalue()), 200)
    assert "iperf3 received 15,000,000 bytes in 3.000 s, 40.000 Mb/s" in text
    assert "“broken” is said to be JSON but cannot be read" in text


def test_a_log_without_records_is_described(tools):
    file = io.BytesIO()
    with Writer(file, tools.header()):
        pass
    report = check(file.getvalue())
    assert [problem.code for problem in report.problems] == ["no_samples"]
    assert report_text(report)


def test_control_characters_do_not_reach_the_terminal(tools):
    log = tools.with_header(lambda header: header["run"].update(plan="\x1b[31mred\x07"))
    assert "\x1b" not in report_text(check(log))


def test_command_line(files, capsys):
    assert main(["check", str(files["good"])]) == 0
    assert "OK" in capsys.readouterr().out
    assert main(["check", str(files["good"]), str(files["cut"])]) == 1
    assert main(["check", str(files["bad"])]) == 1
    assert main(["check", str(files["good"].parent / "missing")]) == 1
    assert "No such file" in capsys.readouterr().err
    assert main(["check", "--json", str(files["good"])]) == 0
    (only,) = json.loads(capsys.readouterr().out)
    assert only["ok"]
    assert main(["check", "--json", str(files["good"].parent / "missing")]) == 1
    (unread,) = json.loads(capsys.readouterr().out)
    assert (unread["ok"], unread["problems"][0]["code"]) == (False, "unreadable")
    assert main(["check", "--json", str(files["good"]), str(files["bad"])]) == 1
    assert len(json.loads(capsys.readouterr().out)) == 2
    with pytest.raises(SystemExit) as caught:
        main(["check"])
    assert caught.value.code == 2


def test_module_runs_alone(files):
    command = [sys.executable, "-m", "coalescope_host", "check", str(files["good"])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_dilated_log_says_whose_times_it_holds(tools):
    header = tools.header(kind="emulated", time_dilation=12.5)
    text = " ".join(report_text(check(tools.log(header=header))).split())
    assert "Time dilation 12.5: every time below is that of the log" in text
    assert "dilation" not in report_text(check(tools.log()))


# --- a whole file of a doubtful run


def doubtful(tools, rows, body=None, **environment):
    """A whole log with these counters of bytes, packets and interrupts; its codes and text."""
    header = tools.header()
    header["environment"].update(environment)
    file = io.BytesIO()
    with Writer(file, header) as log:
        for second, row in enumerate(rows, start=1):
            log.sample(second * 10**9, 10**18 + second * 10**9, *row)
            if second in (1, len(rows)):
                log.mark("window_start" if second == 1 else "window_end", second * 10**9)
        if body is not None:
            log.result(body, exit_status=0)
    report = check(file.getvalue())
    assert report.ok
    return {doubt.code for doubt in report.doubts}, report_text(report)


BUSY = [(0, 0, 0), (1500, 1, 1), (3000, 2, 2)]
IDLE = [(0, 0, 0)] * 3


@pytest.mark.fault("A4")
def test_a_workload_that_lost_half_is_not_sound(tools):
    body = b'{"end":{"sum":{"lost_packets":52,"packets":100,"lost_percent":52.0}}}'
    codes, text = doubtful(tools, BUSY, body)
    assert codes == {"datagrams_lost"}
    assert "VALID, BUT THE RUN IS DOUBTFUL: 1 finding" in text
    assert "OK: valid" not in text
    sound = body.replace(b"52.0", b"0.0")
    assert doubtful(tools, BUSY, sound)[0] == set()


def test_what_a_log_says_against_its_run(tools):
    refused = {"counter_source": "proc", "counter_sources_refused": {"ebpf": "no clang"}}
    assert doubtful(tools, BUSY, **refused)[0] == {"coarse_source"}
    assert "no clang" in doubtful(tools, BUSY, **refused)[1]
    assert doubtful(tools, BUSY, **(refused | {"counter_source": "ebpf"}))[0] == set()
    lossy = b'{"tool":"coalescope-traffic","lost":5,"operations":95}'
    assert doubtful(tools, BUSY, lossy)[0] == {"datagrams_lost"}


def test_a_log_without_a_packet_is_not_sound(tools):
    assert doubtful(tools, IDLE)[0] == {"no_packets"}
    assert doubtful(tools, BUSY)[0] == set()
