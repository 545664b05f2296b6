# SPDX-License-Identifier: Apache-2.0
"""Commands that take and give files: check, import, export."""

import gzip
import io
import json
import os
import sqlite3
import subprocess
import tarfile
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from coalescope.untrusted.bounds import TABLE_BYTES
from timeouts import TIMEOUT_S

Run = Callable[..., Any]

TABLE = "mtu_bytes,delay_us,replicate,throughput_mbps\n1500,0,1,900.0\n1500,0,2,910\n9000,0,1,980\n"
WRONG = "mtu_bytes,delay_ms,replicate,throughput_mbps\n1500,0,1,900\n"


@pytest.fixture
def files(tmp_path: Path, make_log: Callable[..., bytes]) -> dict[str, Path]:
    log = make_log()
    flipped = bytearray(log)
    flipped[len(log) // 2] ^= 0x10
    contents = {
        "good.runlog": log,
        "cut.runlog": log[: len(log) * 2 // 3],
        "flipped.runlog": bytes(flipped),
        "good.csv": TABLE.encode(),
        "wrong.csv": WRONG.encode(),
        "empty.csv": b"",
        "table.runlog": TABLE.encode(),
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    return {name: tmp_path / name for name in contents} | {"folder": tmp_path}


@pytest.mark.fault("B10")
def test_check_s_json_is_a_list_of_all_files(run: Run, files: dict[str, Path]) -> None:
    done = run("check", "nosuch", files["good.csv"], "--json")
    assert done.returncode == 1
    unread, good = json.loads(done.stdout)
    assert (unread["ok"], unread["problems"][0]["code"], good["ok"]) == (False, "unreadable", True)


def test_check_a_sound_log_and_table(run: Run, files: dict[str, Path]) -> None:
    done = run("check", files["good.runlog"], files["good.csv"])
    assert (done.returncode, done.stderr) == (0, "")
    assert "A table of 3 rows, one per run." in done.stdout
    assert "rx_bytes" in done.stdout
    (found,) = json.loads(run("check", files["good.runlog"], "--json").stdout)
    assert found["ok"] is True
    assert found["header"]["run"]["experiment"] == "lab"
    both = json.loads(run("check", files["good.runlog"], files["good.csv"], "--json").stdout)
    assert [report["ok"] for report in both] == [True, True]


def test_a_remark_is_no_fault(run: Run, make_log: Callable[..., bytes], tmp_path: Path) -> None:
    (tmp_path / "unmarked.runlog").write_bytes(make_log(window=(None, None)))
    done = run("check", "unmarked.runlog")
    assert (done.returncode, done.stderr) == (0, "")
    assert "No measurement window is marked" in done.stdout


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("cut.runlog", "cut.runlog: "),
        ("flipped.runlog", "damaged"),
        ("wrong.csv", "delay_ms"),
        ("empty.csv", "empty"),
        ("table.runlog", "not a run log: it begins with 6d 74 75"),
        ("missing.runlog", "No such file"),
    ],
)
def test_check_what_is_wrong(run: Run, files: dict[str, Path], name: str, reason: str) -> None:
    path = files.get(name, Path(name))
    done = run("check", path)
    assert done.returncode == 1
    assert reason in done.stderr
    one_good = run("check", files["good.csv"], path)
    assert one_good.returncode == 1
    assert "A table of 3 rows" in one_good.stdout, "the others are still shown"


def test_import_says_what_became_of_each_file(
    run: Run, process: Run, files: dict[str, Path]
) -> None:
    names = ("good.runlog", "flipped.runlog", "table.runlog", "good.csv", "wrong.csv")
    typed = [files[name] for name in names]
    done = process("import", *typed)
    assert done.returncode == 1
    assert f"stored  {files['good.runlog']}: lab, 1 run\n" in done.stdout
    assert f"stored  {files['good.csv']}: good, 3 runs\n" in done.stdout
    assert f"refused {files['flipped.runlog']}: " in done.stderr
    assert f"refused {files['table.runlog']}: The file is not a run log: it begins" in done.stderr
    assert f"refused {files['wrong.csv']}: " in done.stderr
    assert "row 1, column delay_ms" in done.stderr
    assert "Multiply by 1000" in done.stderr
    again = run("import", files["good.runlog"], files["good.csv"], "--experiment", "lab")
    assert again.returncode == 0
    assert again.stdout.count("known   ") == 1  # the log, which is where it is to be
    assert f"stored  {files['good.csv']}: lab, 3 runs" in again.stdout
    assert "The same file is in good as well; its rows count in each." in again.stdout
    found = json.loads(run("experiments", "--json").stdout)
    assert {e["slug"]: e["runs"] for e in found if e["kind"] == "measured"} == {
        "lab": 4,
        "good": 3,
    }


def bundle_of(path: Path, logs: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:xz") as archive:
        for name, content in logs.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


def test_import_the_logs_of_a_bundle(
    run: Run, tmp_path: Path, make_log: Callable[..., bytes]
) -> None:
    logs = {
        "logs/1.runlog": make_log(replicate=1),
        "logs/README": b"two logs",
        "logs/2.runlog": make_log(replicate=2)[:-1] + b"x",
        "logs/3.runlog": make_log(replicate=3),
    }
    done = run("import", bundle_of(tmp_path / "all.tar.xz", logs))
    assert done.returncode == 1
    assert done.stdout.count("lab, 1 run\n") == 2
    assert f"refused {tmp_path}/all.tar.xz/logs/2.runlog" in done.stderr
    assert "README" not in done.stdout + done.stderr


PACKED = ("folder", "tar", "tar.gz", "tar.xz", "zip", "gz")


def packed(base: Path, form: str, contents: dict[str, bytes]) -> tuple[Path, str]:
    """The files in one of the forms; how the file in its folder is called then."""
    if form == "gz":
        (base / "good.csv.gz").write_bytes(gzip.compress(contents["deep/good.csv"]))
        return base / "good.csv.gz", f"{base}/good.csv"
    folder = base / "all"
    for name, content in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    if form == "folder":
        return folder, f"{folder}/deep/good.csv"
    path = base / f"all.{form}"
    if form == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in contents.items():
                archive.writestr(name, content)
    else:
        with tarfile.open(path, f"w:{form.removeprefix('tar').removeprefix('.')}") as archive:
            for name in contents:
                archive.add(folder / name, name)
    return path, f"{path}/deep/good.csv"


@pytest.mark.fault("B2")
@pytest.mark.parametrize("form", PACKED)
def test_folders_and_archives_stand_for_what_is_in_them(
    run: Run, tmp_path: Path, make_log: Callable[..., bytes], form: str
) -> None:
    contents = {
        "1.runlog": make_log(replicate=1),
        "README": b"no table",
        ".hidden/x.csv": WRONG.encode(),
        "deep/good.csv": TABLE.encode(),
    }
    if form != "folder":
        del contents[".hidden/x.csv"]
    path, named = packed(tmp_path, form, contents)
    checked = json.loads(run("check", path, "--json").stdout)
    logs = 0 if form == "gz" else 1
    assert [report["ok"] for report in checked] == [True] * (1 + logs)
    assert named in [report["file"] for report in checked]
    done = run("import", path, "--data", tmp_path / "data")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("stored") == 1 + logs
    assert f"stored  {named}: good, 3 runs" in done.stdout


@pytest.mark.fault("B2")
def test_stdin_is_a_file(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TABLE.encode())))
    done = run("check", "-", "--json")
    (report,) = json.loads(done.stdout)
    assert (report["file"], report["ok"], report["rows"]) == ("stdin", True, 3)


@pytest.mark.parametrize("name", ["good.csv", "good.runlog"])
def test_a_pipe_is_checked_from_its_first_byte(
    run: Run, files: dict[str, Path], tmp_path: Path, name: str
) -> None:
    pipe = tmp_path / f"pipe-{name}"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as other:
        sent = other.submit(pipe.write_bytes, files[name].read_bytes())
        done = run("check", pipe, "--json")
        sent.result(TIMEOUT_S)
    whole = run("check", files[name], "--json")
    (found,), (expected,) = json.loads(done.stdout), json.loads(whole.stdout)
    assert done.returncode == whole.returncode == 0, done.stderr
    assert found | {"file": ""} == expected | {"file": ""}


@pytest.mark.parametrize("command", ["check", "import"])
def test_links_in_a_folder_are_not_followed(run: Run, tmp_path: Path, command: str) -> None:
    """Who made it may have named what only its reader may read; a link that is typed is meant."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "secret.csv").write_text(TABLE.replace("1500", "7777"))
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "good.csv").write_text(TABLE)
    (tmp_path / "theirs" / "a.csv").symlink_to(tmp_path / "mine" / "secret.csv")
    (tmp_path / "theirs" / "deep").symlink_to(tmp_path / "mine")
    done = run(command, "theirs")
    assert done.returncode == 1
    assert "theirs/a.csv: It is a symbolic link" in done.stdout + done.stderr
    assert "7777" not in done.stdout + done.stderr
    assert "good.csv" in done.stdout
    assert "secret" not in done.stdout + done.stderr
    assert run(command, "theirs/a.csv").returncode == 0


def test_a_folder_and_an_archive_without_any_are_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()
    with zipfile.ZipFile(tmp_path / "notes.zip", "w") as archive:
        archive.writestr("notes.txt", "text")
    (tmp_path / "cut.zip").write_bytes((tmp_path / "notes.zip").read_bytes()[:60])
    done = run("check", "nothing", "notes.zip", "cut.zip")
    assert done.returncode == 1
    assert "nothing: The folder holds no file that ends in .runlog or .csv, and" in done.stderr
    assert "notes.zip: The archive holds no file that ends in" in done.stderr
    assert "cut.zip: The archive cannot be read" in done.stderr


def test_advice_that_many_faults_share_stands_once(run: Run, tmp_path: Path) -> None:
    (tmp_path / "once.csv").write_text(TABLE)
    (tmp_path / "more.csv").write_text(f"{TABLE}9000,5,1,990\n")
    assert run("import", "once.csv", "--experiment", "lab").returncode == 0
    done = run("import", "more.csv", "--experiment", "lab")
    first, *lines = done.stderr.splitlines()
    assert first == "refused more.csv: 3 faults"
    assert [line.startswith("        Replicate ") for line in lines] == [True, True, True, False]
    assert lines[-1].startswith("          Leave the row out")


def test_import_what_is_no_bundle(run: Run, tmp_path: Path) -> None:
    (tmp_path / "not.tar.gz").write_bytes(b"text")
    done = run("import", "not.tar.gz", "missing.tgz")
    assert done.returncode == 1
    assert "refused not.tar.gz: The archive cannot be read" in done.stderr
    assert "failed  missing.tgz: No such file" in done.stderr


@pytest.mark.folder_stack
def test_a_bundle_is_loaded_by_what_brings_the_store_up_to_date(
    run: Run, tmp_path: Path, make_log: Callable[..., bytes]
) -> None:
    folder = tmp_path / "datasets" / "testbed" / "raw"
    folder.mkdir(parents=True)
    source = 'title = "Testbed"\nkind = "emulated"\n'
    (folder.parent / "source.toml").write_text(source)
    bundle_of(folder / "run-logs.tar.xz", {"1.runlog": make_log(kind="emulated")})
    (tmp_path / "mine.runlog").write_bytes(make_log(experiment="mine"))

    def experiments() -> list[str]:
        with sqlite3.connect(tmp_path / "data" / "coalescope.sqlite") as database:
            return [slug for (slug,) in database.execute("SELECT slug FROM experiments")]

    env = {"COALESCOPE_DATASETS_DIR": str(tmp_path / "datasets")}
    assert run("import", "mine.runlog", **env).returncode == 0
    assert run("export", "mine", "--format", "csv", **env).returncode == 0
    assert experiments() == ["mine"]
    assert run("migrate", **env).returncode == 0
    assert experiments() == ["mine", "testbed"]
    assert run("export", "testbed", "--format", "csv", **env).returncode == 0


def test_import_where_it_is_told(run: Run, files: dict[str, Path]) -> None:
    done = run(
        "import", files["good.csv"], "--experiment", "bench", "--kind", "emulated",
        "--title", "On the bench", "--citation", "Notebook 7", "--json",
    )  # fmt: skip
    (found,) = json.loads(done.stdout)
    assert found["outcome"] == "stored"
    assert found["receipt"]["experiment"] == {"slug": "bench", "title": "On the bench"}
    listed = json.loads(run("experiments", "--json").stdout)
    bench = next(e for e in listed if e["slug"] == "bench")
    assert (bench["kind"], bench["citation"]) == ("emulated", "Notebook 7")
    wrong = run("import", files["good.runlog"], "--experiment", "Not A Slug")
    assert wrong.returncode == 1
    assert "Not A Slug" in wrong.stderr


def test_import_as_json_gives_reasons_too(run: Run, files: dict[str, Path]) -> None:
    done = run("import", files["wrong.csv"], "missing.csv", "--json")
    assert done.returncode == 1
    wrong, missing = json.loads(done.stdout)
    assert (wrong["outcome"], wrong["error"]["code"]) == ("refused", "wrong_unit")
    assert (missing["outcome"], missing["error"]["code"]) == ("failed", "unreadable")
    assert "refused" in done.stderr


def test_export_comes_back_the_same(run: Run, files: dict[str, Path]) -> None:
    run("import", files["good.csv"], "--experiment", "lab")
    first = run("export", "lab", "--format", "csv", "--what", "runs", "--output", "runs.csv")
    assert (first.returncode, first.stdout, first.stderr) == (0, "", "")
    exported = files["folder"] / "runs.csv"
    run("import", exported, "--experiment", "copy")
    again = run("export", "copy", "--format", "csv", "--what", "runs")
    assert again.stdout == exported.read_text()
    cells = json.loads(run("export", "lab", "--format", "json").stdout)
    assert cells["experiment"]["kind"] == "measured"
    assert cells["cells"][0]["measures"]["throughput_mbps"]["mean"] == 905


def test_export_spoils_nothing(read: Run, files: dict[str, Path]) -> None:
    kept = files["good.csv"]
    done = read("export", "nowhere", "--format", "csv", "--output", kept)
    assert done.returncode == 1
    assert kept.read_text() == TABLE
    done = read("export", "geist-2005-nfs", "--format", "csv", "--output", "no/such/folder.csv")
    assert done.returncode == 1
    assert "No such file or directory" in done.stderr
    assert not list(files["folder"].glob(".*.partial"))
    for folder in (files["folder"], ""):
        done = read("export", "geist-2005-nfs", "--format", "csv", "--output", folder)
        assert done.returncode == 1
        assert "Is a directory" in done.stderr


def test_export_into_a_pipe_leaves_it_a_pipe(read: Run, tmp_path: Path) -> None:
    pipe, file = tmp_path / "pipe", tmp_path / "file.csv"
    assert read("export", "geist-2005-nfs", "--format", "csv", "--output", file).returncode == 0
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True) as reader:
        try:
            done = read("export", "geist-2005-nfs", "--format", "csv", "--output", pipe)
            assert done.returncode == 0, done.stderr
            assert reader.communicate(timeout=TIMEOUT_S)[0] == file.read_text()
        finally:
            reader.kill()
    assert pipe.is_fifo()


def test_a_log_beyond_the_limit_is_refused_unread(run: Run, tmp_path: Path) -> None:
    huge = tmp_path / "huge.runlog"
    with huge.open("wb") as file:
        file.truncate(5 << 30)
    done = run("check", "--json", huge)
    assert done.returncode == 1
    assert "larger than" in done.stderr
    assert json.loads(done.stdout)[0]["problems"][0]["code"] == "too_large"


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom"])
@pytest.mark.parametrize("command", ["import", "check"])
def test_a_device_without_end_is_refused_from_its_start(
    run: Run, files: dict[str, Path], device: str, command: str
) -> None:
    done = run(command, device, files["good.csv"])
    assert done.returncode == 1
    assert "not a run log" in done.stderr or "neither a run log nor text" in done.stderr
    assert "good" in done.stdout, "the other file is judged all the same"


def test_text_without_end_is_refused_at_the_limit_of_tables(run: Run, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)

    def feed() -> int:
        sent = 0
        try:
            with pipe.open("wb", buffering=0) as file:
                while sent < 4 * TABLE_BYTES:
                    sent += file.write(b"1500,0,1,900\n" * 1000)
        except BrokenPipeError:
            pass
        return sent

    with ThreadPoolExecutor() as other:
        sent = other.submit(feed)
        done = run("import", pipe)
        assert done.returncode == 1
        assert "read at once" in done.stderr
        assert sent.result(TIMEOUT_S) < 2 * TABLE_BYTES


def test_what_does_not_say_so_is_not_published(run: Run, files: dict[str, Path]) -> None:
    assert run("migrate").returncode == 0
    before = run("export", "geist-2005-nfs", "--format", "csv", "--what", "runs").stdout
    assert before
    for kind in ((), ("--kind", "measured")):
        done = run("import", files["good.csv"], "--experiment", "geist-2005-nfs", *kind)
        assert done.returncode == 1
        assert "holds published data" in done.stderr
    assert run("export", "geist-2005-nfs", "--format", "csv", "--what", "runs").stdout == before
    assert run("import", files["good.csv"], "--experiment", "my-own").returncode == 0


def test_no_file_steers_the_terminal(run: Run, tmp_path: Path) -> None:
    evil = "\x1b]0;owned\x07\u202e"
    (tmp_path / "evil.csv").write_text(f"{evil},replicate,drops\n1,1,1\n")
    (tmp_path / "good.csv").write_text(TABLE)
    for done in (
        run("import", "evil.csv"),
        run("check", "evil.csv"),
        run("import", "good.csv", "--title", f"Lab {evil}"),
        run("experiments"),
        run("surface", "good", "throughput_mbps"),
    ):
        printed = done.stdout + done.stderr
        assert printed
        assert not set(evil) & set(printed) - set("owned]0;")
