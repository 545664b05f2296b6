# SPDX-License-Identifier: Apache-2.0
"""Manual pages and completion hold what the programs take, no less and no more."""

import re
import shlex
import shutil
import subprocess
import sys
from argparse import SUPPRESS, ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest
from coalescope.cli.parser import build_parser
from coalescope_host.command_line import parsers
from coalescope_host.plan.factors import FACTORS, FAMILIES
from coalescope_host.plan.plan import OF_THE_PLAN, DriverSpec, LoggerSpec, PeerSpec, UploadSpec
from coalescope_host.plan.workload_options import KINDS

ROOT = Path(__file__).parents[3]
PROGRAMS = {"coalescope": build_parser(), "coalescope-host": parsers()[0]}

pytestmark = pytest.mark.fault("C9")
each_program = pytest.mark.parametrize("program", PROGRAMS)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("manual")
    subprocess.run([sys.executable, ROOT / "docs" / "manual_pages.py", folder], check=True)
    return folder


def taken(
    parser: ArgumentParser, path: str = "", *, hidden: bool = True
) -> Iterator[tuple[str, set[str]]]:
    """Each command with its options, asked of the parser itself."""
    options = {
        name
        for action in parser._actions
        if hidden or action.help != SUPPRESS
        for name in action.option_strings
    }
    yield path, options
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            for name, below in action.choices.items():
                yield from taken(below, f"{path} {name}".lstrip(), hidden=hidden)


@each_program
def test_each_command_has_a_manual_page_with_its_options(program: str, written: Path) -> None:
    rooms = dict(taken(PROGRAMS[program], hidden=False))
    names = {path: f"{program} {path}".strip().replace(" ", "-") for path in rooms}
    for path, options in rooms.items():
        page = (written / f"man1/{names[path]}.1").read_text().replace("\\-", "-")
        listed = re.findall(r"^\.It (-.*)$", page, re.MULTILINE)
        found = {word for line in listed for word in re.findall(r"(?:^|, )(-[\w-]+)", line)}
        assert found == (options - {"-h", "--help"} if path else set()), path


@each_program
def test_each_manual_page_tells_what_the_command_ends_with(program: str, written: Path) -> None:
    def told(parser: ArgumentParser, path: str) -> None:
        name = f"{program} {path}".strip().replace(" ", "-")
        page = (written / f"man1/{name}.1").read_text().replace("\\-", "-")
        section = page.partition(".Sh EXIT STATUS\n")[2].partition("\n.Sh")[0]
        assert f"Exit status: {section}" == parser.epilog, name
        for action in parser._actions:
            if isinstance(action, _SubParsersAction):
                for word, below in action.choices.items():
                    told(below, f"{path} {word}".lstrip())

    told(PROGRAMS[program], "")


def test_there_is_no_other_manual_page(written: Path) -> None:
    known = {
        f"{program} {path}".strip().replace(" ", "-")
        for program, parser in PROGRAMS.items()
        for path, _ in taken(parser)
    }
    assert {page.stem for page in (written / "man1").iterdir()} == known


def test_manual_pages_are_well_formed(written: Path) -> None:
    if shutil.which("mandoc") is None:
        pytest.fail("needs mandoc, the Debian package of that name")
    done = subprocess.run(
        ["mandoc", "-T", "lint", "-W", "error", *map(str, written.glob("man?/*"))],
        capture_output=True,
        text=True,
        check=False,
    )
    assert [line for line in done.stdout.splitlines() if "referenced manual" not in line] == []


def completed_by_bash(written: Path, program: str, *words: str) -> set[str]:
    """What bash offers for the last of the words."""
    script = (
        f'source "{written}/bash/{program}"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
        f'_{program.replace("-", "_")}; printf "%s\\n" "${{COMPREPLY[@]}}"'
    )
    done = subprocess.run(
        ["bash", "-c", script, "bash", program, *words], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return set(done.stdout.split())


@each_program
def test_bash_completes_each_command_with_its_options(program: str, written: Path) -> None:
    rooms = dict(taken(PROGRAMS[program]))
    for path, options in rooms.items():
        offered = completed_by_bash(written, program, *path.split(), "")
        below = {n.split()[-1] for n in rooms if n and n.split()[:-1] == path.split()}
        assert offered == options | below, path


def test_bash_completes_what_an_option_takes(written: Path) -> None:
    offered = completed_by_bash(written, "coalescope", "export", "lab", "--format", "")
    assert offered == {"csv", "json", "parquet"}
    assert completed_by_bash(written, "coalescope-host", "sweep", "--dry") == {"--dry-run"}


def test_bash_completes_the_options_of_the_logger(written: Path) -> None:
    """Those of its own table, and no others."""
    table = (ROOT / "driver" / "logger" / "options.c").read_text()
    rows = re.findall(r'{"([\w-]+)", \w+_argument, NULL, (?:\'(\w)\')?', table)
    options = {f"--{long}" for long, _ in rows} | {f"-{short}" for _, short in rows if short}
    assert len(rows) > 30
    assert completed_by_bash(written, "coalescope-logger", "") == options
    sources = completed_by_bash(written, "coalescope-logger", "-i", "eth0", "--source", "")
    assert sources == {"auto", "module", "ebpf", "proc"}
    assert completed_by_bash(written, "coalescope-logger", "--redact", "--int") == {
        *("--interval", "--interface", "--interfaces"),
    }
    for shell, name in (("zsh", "_coalescope-logger"), ("fish", "coalescope-logger.fish")):
        text = (written / shell / name).read_text()
        assert all(option.lstrip("-") in text for option in options)
        if shutil.which(shell):
            subprocess.run([shell, "-n", written / shell / name], check=True)


def test_completion_of_the_traffic_tool_offers_what_each_role_takes(written: Path) -> None:
    """As the tool itself says it: an option of another role it refuses."""
    source = (ROOT / "driver" / "traffic" / "options.c").read_text()
    table = source.partition("OPTIONS[] = {")[2].partition("};")[0]
    names = set(re.findall(r'{"([\w-]+)", [A-Z]', table))
    assert len(names) > 25
    program = "coalescope-traffic"
    offered = {}
    for role in (
        ("request-response", "server"), ("request-response", "client"), ("sink", "udp"),
        ("sink", "tcp"), ("source", "udp"), ("source", "tcp"), ("read", "files"),
    ):  # fmt: skip
        offered[role] = completed_by_bash(written, program, *role, "")
        assert role[1] in completed_by_bash(written, program, role[0], "")
        assert role[0] in completed_by_bash(written, program, "")
    assert set().union(*offered.values()) == {f"--{name}" for name in names}
    assert offered["read", "files"] == {
        *("--path", "--duration", "--warmup", "--cooldown", "--read-bytes", "--streams")
    }
    assert offered["sink", "tcp"] - offered["sink", "udp"] == {"--connections", "--receive-window"}
    client = ("request-response", "client", "--transport", "")
    assert completed_by_bash(written, program, *client) == {"udp", "tcp"}
    for shell, name in (("zsh", f"_{program}"), ("fish", f"{program}.fish")):
        text = (written / shell / name).read_text()
        assert all(name in text for name in names)
        if shutil.which(shell):
            subprocess.run([shell, "-n", written / shell / name], check=True)


def test_the_page_of_the_plan_has_all_that_a_plan_takes(written: Path) -> None:
    page = (written / "man5" / "coalescope-host-plan.5").read_text()
    items = [line.removeprefix(".It ") for line in page.splitlines() if line.startswith(".It ")]
    named = {word for item in items for word in re.findall(r"[a-z][\w.]*", item)}
    assert named >= OF_THE_PLAN
    listed = page.partition(".Sh FACTORS")[2].partition(".Sh [DRIVER]")[0]
    assert re.findall(r"^\.It ([\w.]+)", listed, re.MULTILINE) == [
        *FACTORS, *(f"{family}.NAME" for family in FAMILIES)
    ]  # fmt: skip
    workloads = page.partition(".Sh WORKLOADS")[2]
    for kind, options in KINDS.items():
        of_kind = workloads.partition(f".Ss {kind}\n")[2].partition(".Ss")[0]
        assert re.findall(r"^\.It (\w+)$", of_kind, re.MULTILINE) == list(options)
    for spec in (DriverSpec, PeerSpec, LoggerSpec, UploadSpec):
        for field in fields(spec):
            assert re.search(rf"\b{field.name}\b", page), (spec, field.name)
    assert "`" not in page
    assert "](" not in page


@each_program
@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_have_them_too(program: str, shell: str, written: Path) -> None:
    name = {"zsh": f"_{program}", "fish": f"{program}.fish"}[shell]
    text = (written / shell / name).read_text()
    for path, options in taken(PROGRAMS[program]):
        for option in options:
            if shell == "fish":
                flag = f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
                at = f"_at {path}".rstrip()
                assert re.search(rf"-n '\S+{at}'.* {flag}( |$)", text, re.MULTILINE), option
            else:
                room = text.partition(f"    {shlex.quote(path)})\n")[2]
                assert re.search(rf"[( ']{option}[:') ]", room.partition(";;")[0]), (path, option)
    if shutil.which(shell):
        subprocess.run([shell, "-n", written / shell / name], check=True)


@pytest.mark.skipif(shutil.which("fish") is None, reason="needs fish")
def test_fish_completes(written: Path) -> None:
    for typed, offered in (
        ("coalescope-host sw", {"sweep"}),
        ("coalescope-host upload x --ser", {"--server"}),
        ("coalescope token ", {"create", "list", "revoke"}),
        ("coalescope export x --format ", {"csv", "json", "parquet"}),
    ):
        program = typed.split()[0]
        script = f"source {written}/fish/{program}.fish; complete -C '{typed}'"
        done = subprocess.run(["fish", "-c", script], capture_output=True, text=True, check=True)
        assert done.stderr == ""
        found = {line.split("\t")[0] for line in done.stdout.splitlines()}
        assert {word for word in found if not word.endswith("/")} >= offered, typed


def test_everything_is_installed(tmp_path: Path) -> None:
    """As `make install` would: what each target is made by has tests of its own."""
    said = subprocess.run(
        ["make", "-n", "install", f"DESTDIR={tmp_path}"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    for place in (
        "bin/coalescope-host",
        "share/man/man1 build/manual/man1/*",
        "share/man/man5 build/manual/man5/*",
        "share/bash-completion/completions build/manual/bash/*",
        "share/zsh/site-functions build/manual/zsh/*",
        "share/fish/vendor_completions.d build/manual/fish/*",
    ):
        assert f"{tmp_path}/usr/local/{place}" in said
