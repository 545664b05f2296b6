# SPDX-License-Identifier: Apache-2.0
"""What was typed or found neither steers the terminal nor begins a line on it: of both programs."""

import json
import re
import subprocess
from pathlib import Path

import pytest

DRIVER = Path(__file__).resolve().parents[2]
PROGRAMS = ("logger", "traffic")
STEERING = "\x1b]0;owned\x07\x7f\x9b31m\u061c\u200e\u2028\u202egnp\u2066\rover\nFORGED"
SHOWN = (
    r"\u001b]0;owned\u0007\u007f\u009b31m\u061c\u200e\u2028\u202egnp\u2066\u000dover\u000aFORGED"
)
#: Tab, other scripts and the last character stay; each byte that is no UTF-8 is replaced.
HOSTILE = f"a\té漢\U0010ffff{STEERING}".encode() + b"\xff\x9b\xe2\x80"
HARMLESS = f"a\té漢\U0010ffff{SHOWN}" + 4 * "\ufffd"
ROLES = (
    "request-response server",
    "request-response client",
    "sink udp",
    "sink tcp",
    "source udp",
    "source tcp",
    "read files",
)
#: What prints texts of our own alone; all others go through print_line and print_lines.
CONSTANT = re.compile(
    r'fputs\(HELP, stdout\)|puts\("coalescope-\w+ " [A-Z_]+(_VERSION)( "[^"]*")?\)'
)
PRINTS = re.compile(r"\b(?:v?f?printf|puts|fputs|f?putc|putchar|perror|fwrite|psignal)\(.*")


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("build")
    for name in PROGRAMS:
        make = ["make", "-s", "-C", str(DRIVER / name), f"BUILD={folder / name}", "EBPF=0"]
        done = subprocess.run(make, capture_output=True, text=True, check=True)
        assert done.stderr == ""
    return {name: str(folder / name / f"coalescope-{name}") for name in PROGRAMS}


def said(command, **options):
    """Status, standard output and standard error; none of both steers."""
    done = subprocess.run(command, capture_output=True, check=False, timeout=60, **options)
    texts = [stream.decode() for stream in (done.stdout, done.stderr)]  # UTF-8, all of it
    for text in texts:
        assert not re.search(
            r"[^\t\n -~\xa1-\u0600\u2010-\u2027\u2030-\u205e\u2e80-\U0010ffff]", text
        )
        assert not re.search(r"^FORGED", text, re.MULTILINE)
    return done.returncode, *texts


def options_of(program):
    """Long options by what `--help` says."""
    found = set(re.findall(r"--[a-z][a-z-]+", said([program, "--help"])[1]))
    assert len(found) > 20
    return sorted(found - {"--help", "--version"})


def typed(option):
    """Ways to type it with hostile words."""
    word = option.encode()
    name = b"mtu_bytes=" if option in {"--factor", "--read-back"} else b"a="
    return (
        [word + b"=" + HOSTILE],
        [word, HOSTILE],
        [word + b"=" + name + HOSTILE],
        [word + HOSTILE],
    )


def test_what_is_typed_for_the_logger(programs, tmp_path):
    base, told = [programs["logger"], "--preview", "-i", "lo"], set()
    options = options_of(programs["logger"])
    for option in options:
        for words in typed(option):
            _, printed, error = said([*base, *words], cwd=tmp_path)
            if HARMLESS in error or json.dumps(HARMLESS, ensure_ascii=False)[1:-1] in printed:
                told.add((option, words[0] == option.encode() + HOSTILE))
    unknown = {(option, True) for option in options}
    assert unknown <= told
    assert len(told - unknown) > 20  # their values; others are taken as they are, or are flags
    for words in ([b"-Z\x1b"], [b"-\x1b"], [b"-i", HOSTILE], [b"-i", b"e\x1b"], [b"-f", HOSTILE]):
        assert said([*base, *words])[0]


def test_what_is_typed_for_the_traffic_tool(programs, tmp_path):
    told = set()
    options = options_of(programs["traffic"])
    for role in ROLES:
        for option in options:
            for words in typed(option):
                command = [programs["traffic"], *role.split(), *words]
                status, _, error = said(command, cwd=tmp_path)
                assert status
                if HARMLESS in error:
                    told.add((option, words[0] == option.encode() + HOSTILE))
    assert told == {(option, unknown) for option in options for unknown in (False, True)}
    for words in ([HOSTILE], [HOSTILE, HOSTILE], [b"read", HOSTILE], [b"sink", b"udp", b"-\x1b"]):
        assert said([programs["traffic"], *words])[0] == 2
    status, _, error = said([HOSTILE, "sink", "udp", "--no"], executable=programs["traffic"])
    assert (status, error.count(HARMLESS)) == (2, 1)  # by the name that it was started by


@pytest.mark.parametrize("found", ["link", "empty folder"])
def test_files_that_are_found(programs, tmp_path, found):
    name = HOSTILE.replace(b"/", b"")
    path = bytes(tmp_path / "files")
    Path(path.decode()).mkdir()
    if found == "link":
        Path(path.decode(), "real").write_text("x")
        subprocess.run([b"ln", b"-s", b"/nonexistent", path + b"/" + name], check=True)
    else:
        path += b"/" + name
        subprocess.run([b"mkdir", path], check=True)
    command = [programs["traffic"], "read", "files", "--duration", "0.1", "--path", path]
    status, _, error = said(command)
    assert status == 1
    assert f"/{HARMLESS}: " in error


def test_a_run_of_a_hostile_command(programs, tmp_path):
    command = tmp_path / "w\x1b[2J\nFORGED"
    command.write_text("#!/bin/sh\nexit 3\n")
    command.chmod(0o755)
    log = tmp_path / "l\x7f\u202e\nFORGED.runlog"
    start = [programs["logger"], "-i", "lo", "--start", "now", "--json", "-o", str(log), "--"]
    status, printed, error = said([*start, str(command)])
    assert (status, error.count("\n")) == (1, len(error.splitlines()))
    assert r"/w\u001b[2J\u000aFORGED ended with status 3; the log is kept" in error
    assert json.loads(printed)["log"] == str(log)
    status, _, error = said([*start, str(command)])
    assert (status, r"\u007f\u202e\u000aFORGED.runlog: File exists" in error) == (1, True)


def test_json_is_the_same_text(programs):
    title = f"é漢\U0010ffff\t{STEERING}"
    base = [programs["logger"], "--preview", "-i", "lo", "--title", title, "--environment"]
    status, printed, _ = said([*base, f"a={title}", "--", f"./{title}"])
    document = json.loads(printed)
    assert status == 0
    assert document["run"]["experiment_title"] == title
    environment = document["environment"]
    assert environment["notes"] == {"a": title}
    assert environment["command"] == [f"./{title}"]


def test_names_in_a_file_of_the_environment(programs, tmp_path):
    facts = tmp_path / "facts.json"
    facts.write_bytes(b'{"n\\u001b[2J\xc2\x9b": 1, "n\\u001b[2J\xc2\x9b": 2}')
    base = [programs["logger"], "--preview", "-i", "lo", "--environment-file", str(facts)]
    assert r'"n\u001b[2J\u009b" is there twice' in said(base)[2]


def test_nothing_else_prints():
    for source in sorted([*DRIVER.glob("logger/*.c"), *DRIVER.glob("traffic/*.c")]):
        if source == DRIVER / "traffic" / "report.c":  # JSON of numbers and names of ours
            continue
        for call in PRINTS.findall(source.read_text()):
            assert CONSTANT.match(call), (source.name, call)
