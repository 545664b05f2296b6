# SPDX-License-Identifier: Apache-2.0
"""Restore files and journals that somebody changed: refused in a sentence, nothing set or sent."""

import ast
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import coalescope_host
import pytest
from coalescope_host.plain_files import write_plain
from coalescope_host.run.journal import NAME, Journal, JournalError, read_head
from coalescope_host.run.surroundings import surroundings
from coalescope_host.run.upload import send
from coalescope_host.settings import restore_file, watchdog
from coalescope_host.settings.errors import SettingError

STATE = {"interface": "eth9", "netns": None, "bus_address": None, "settings": {}}


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "state" / "eth9.json"
    restore_file.write(path, STATE)
    return path


def changed(**values: Any) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        path.write_text(json.dumps(json.loads(path.read_text()) | values))

    return change


def link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to(path.with_name("elsewhere"))


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


TAMPERED: dict[str, Callable[[Path], object]] = {
    "a link": link,
    "a pipe": pipe,
    "others may write it": lambda path: path.chmod(0o666),
    "brackets": lambda path: path.write_text("[" * 100_000),
    "a list": lambda path: path.write_text("[1]"),
    "no JSON": lambda path: path.write_bytes(b"\xff\0"),
    "too large": lambda path: path.write_bytes(b" " * (17 << 20)),
    "another format": changed(format=2),
    "a field more": changed(more=1),
    "no state": changed(state=None),
    "a state of nothing": changed(state={}),
    "an interface of numbers": changed(state={**STATE, "interface": 1}),
    "settings in a list": changed(state={**STATE, "settings": []}),
    "a netns of lists": changed(state={**STATE, "netns": [[]]}),
    "a bus address of numbers": changed(state={**STATE, "bus_address": 1}),
    "a time of texts": changed(written_at="now"),
    "ids of numbers": changed(machine_id=1),
}


@pytest.mark.parametrize("tamper", TAMPERED.values(), ids=TAMPERED)
def test_a_restore_file_that_was_changed_is_refused(
    saved: Path, tamper: Callable[[Path], object]
) -> None:
    assert restore_file.read(saved).state == STATE, "the good twin"
    tamper(saved)
    with pytest.raises(SettingError, match="eth9"):
        restore_file.read(saved)


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_a_lock_is_a_plain_file(saved: Path, kind: str) -> None:
    lock = saved.with_suffix(".lock")
    victim = saved.with_name("victim")
    victim.write_text("kept")
    match kind:
        case "link":
            lock.symlink_to(victim)
        case "pipe":
            os.mkfifo(lock)
        case "folder":
            lock.mkdir()
    with pytest.raises(SettingError, match=r"eth9\.lock"):
        restore_file.lock(saved)
    assert victim.read_text() == "kept"


HEAD = {"type": "sweep", "format": 1, "plan": {}, "seed": 1}
RUN = {"type": "run", "id": "a", "status": "done", "log": "logs/a.runlog", "replicate": 1}
LINES: dict[str, Any] = {
    "brackets": "[" * 100_000,
    "a run without its id": {**RUN, "id": None},
    "a run without its status": {"type": "run", "id": "a"},
    "a log elsewhere": {**RUN, "log": "../../etc/passwd"},
    "a log from the root": {**RUN, "log": "/etc/passwd"},
    "an upload of nothing": {"type": "upload", "outcome": "stored"},
    "a type of numbers": {"type": 1},
}


def write(folder: Path, *lines: Any) -> None:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    (folder / NAME).write_text("".join(f"{text}\n" for text in texts))


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_a_journal_that_was_changed_is_refused(tmp_path: Path, line: Any) -> None:
    write(tmp_path, HEAD, RUN)
    with Journal(tmp_path) as journal:
        assert len(journal.entries) == 2, "the good twin"
    write(tmp_path, HEAD, line)
    with pytest.raises(JournalError, match="line 2"):
        Journal(tmp_path)


def test_a_first_line_without_its_plan_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {"type": "sweep", "format": 1})
    for look in (Journal, read_head):
        with pytest.raises(JournalError, match="line 1"):
            look(tmp_path)


@pytest.mark.parametrize("make", [lambda path: path.symlink_to("/etc/passwd"), os.mkfifo])
def test_a_journal_is_a_plain_file(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / NAME)
    for look in (Journal, read_head):
        with pytest.raises(JournalError, match="cannot be used"):
            look(tmp_path)


@pytest.mark.skipif(os.geteuid() != 0, reason="a file of another user is made by root")
def test_a_journal_is_its_users_or_roots(tmp_path: Path) -> None:
    write(tmp_path, {"type": "sweep", "format": 1, "plan": {}, "seed": 1})
    Journal(tmp_path).close()
    os.chown(tmp_path / NAME, 65534, 65534)
    for look in (Journal, read_head):
        with pytest.raises(JournalError, match="another user's"):
            look(tmp_path)


def test_the_watchdog_writes_into_no_link(tmp_path: Path) -> None:
    victim, log = tmp_path / "victim", tmp_path / "eth9.log"
    watchdog._log(log)("the good twin")
    assert log.read_text().endswith(" the good twin\n")
    log.unlink()
    for there in (False, True):
        if there:
            victim.write_text("kept")
        link_to(victim, log)
        watchdog._log(log)("more")
        assert victim.exists() == there
    assert victim.read_text() == "kept"


def link_to(victim: Path, path: Path) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to(victim)


@pytest.mark.skipif(os.geteuid() != 0, reason="a link of another user is made by root")
def test_a_state_folder_is_not_where_another_user_says(tmp_path: Path) -> None:
    elsewhere, folder = tmp_path / "elsewhere", tmp_path / "state"
    elsewhere.mkdir()
    folder.symlink_to(elsewhere)
    path = folder / "eth9.json"
    restore_file.write(path, STATE)  # an own link: another disk, perhaps
    path.unlink()
    os.lchown(folder, 65534, 65534)
    for use in (lambda: restore_file.write(path, STATE), lambda: restore_file.lock(path)):
        with pytest.raises(SettingError, match="link"):
            use()
    assert list(elsewhere.iterdir()) == []


def test_what_surrounds_a_run_is_written_into_no_link(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("kept")
    (tmp_path / "environment.json").symlink_to(victim)
    plan, bench = SimpleNamespace(idle_s=0), SimpleNamespace(peers=())
    with pytest.raises(OSError, match="symbolic link"):
        surroundings(plan, bench, tmp_path, 1, print)  # type: ignore[arg-type]
    assert victim.read_text() == "kept"
    (tmp_path / "environment.json").unlink()
    surroundings(plan, bench, tmp_path, 1, print)  # type: ignore[arg-type]
    assert (tmp_path / "environment.json").read_text() == "{}"


def test_a_file_is_written_and_sent_from_no_link(tmp_path: Path) -> None:
    victim, path = tmp_path / "victim", tmp_path / "out.json"
    victim.write_text("kept")
    for there, over in ((True, True), (True, False), (False, True), (False, False)):
        link_to(victim if there else tmp_path / "nothing", path)
        with pytest.raises(OSError, match=r"symbolic link|File exists"):
            write_plain(path, "ours", over=over)
    assert (victim.read_text(), (tmp_path / "nothing").exists()) == ("kept", False)
    path.rename(tmp_path / "secret.runlog")
    sent = send("http://127.0.0.1:9", tmp_path / "secret.runlog", None)
    assert (sent.outcome, "symbolic link" in sent.reason) == ("refused", True)


def test_what_is_there_is_written_over_only_where_that_is_meant(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    write_plain(path, "the first", over=False)
    with pytest.raises(FileExistsError):
        write_plain(path, "second", over=False)
    assert path.read_text() == "the first"
    write_plain(path, "second", over=True)
    assert path.read_text() == "second"


#: Where files are written that are not opened by `plain`, and why no link is followed there.
NOT_BY_PLAIN = {
    "settings/places.py": "sysfs and procfs",
    "settings/device.py": "sysfs",
    "remote/agent.py": "a folder of the agent's own",
}


def writes(node: ast.AST) -> bool:
    """Whether it is a call that opens or writes a file by its name, without an opener."""
    if not isinstance(node, ast.Call) or any(each.arg == "opener" for each in node.keywords):
        return False
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    given = [*node.args, *(each.value for each in node.keywords)]
    mode = any(
        isinstance(part, ast.Constant) and re.fullmatch("[wax]b?[+]?|[ar]b?[+]", str(part.value))
        for each in given
        for part in ast.walk(each)
    )
    return name in ("write_text", "write_bytes") or (name in ("open", "FileIO") and mode)


def test_every_file_is_written_by_plain() -> None:
    root = Path(coalescope_host.__file__).parent
    found = {
        str(path.relative_to(root))
        for path in root.rglob("*.py")
        if any(map(writes, ast.walk(ast.parse(path.read_text(encoding="utf-8")))))
    }
    assert found == NOT_BY_PLAIN.keys()
