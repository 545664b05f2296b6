# SPDX-License-Identifier: Apache-2.0
"""Where experiments come from: shipped, a store's folder, files; nothing is written or left."""

import gc
import hashlib
import os
import shutil
from pathlib import Path

import coalescope as cs
import pytest
from coalescope.client.local import LocalStore
from sqlalchemy.pool import QueuePool

from .conftest import PUBLISHED

pytestmark = pytest.mark.folder_stack

CORPUS = Path(__file__).parents[1] / "foreign" / "corpus" / "iperf3"
TABLE = "mtu_bytes,delay_us,replicate,throughput_mbps\n1500,10,1,939.5\n1500,10,2,940.5\n"


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders are made."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "lab.csv"
    path.write_text(TABLE)
    return path


def contents(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def test_what_is_shipped_is_listed_and_loaded(temporary: Path) -> None:
    listed = {each["slug"]: each for each in cs.list_datasets()}
    assert set(PUBLISHED) <= set(listed)
    assert listed["geist-2005-nfs"]["kind"] == "published"
    assert listed["geist-2005-nfs"]["citation"].startswith("R. Geist")
    with cs.load("geist-2005-nfs") as x:
        assert (x.runs.num_rows, x.about["kind"]) == (27, "published")
        assert list(temporary.iterdir())
    assert not list(temporary.iterdir())


def test_what_is_not_shipped_is_named_with_what_is() -> None:
    with pytest.raises(cs.CoalescopeError, match="no data set 'geist-2005-nsf'") as refused:
        cs.load("geist-2005-nsf")
    assert "Did you mean geist-2005-nfs" in refused.value.__notes__[0]


def test_the_folder_goes_when_the_experiment_is_used_no_more(table: Path, temporary: Path) -> None:
    fewer = cs.open(table).where(mtu_bytes=1500)
    assert fewer.runs.num_rows == 2
    del fewer
    gc.collect()
    assert not list(temporary.iterdir())


def test_nothing_is_asked_after_the_end(table: Path, published: Path) -> None:
    for place, slug in ((table, None), (published, "geist-2005-nfs")):
        with cs.open(place, slug) as x:
            fewer = x.where(mtu_bytes=1500)
        for each in (x, fewer):
            with pytest.raises(cs.CoalescopeError, match="was closed"):
                _ = each.runs
        x.close()
        assert isinstance(x.source, LocalStore)
        pool = x.source._store.database.engine.pool
        assert isinstance(pool, QueuePool)
        assert pool.checkedin() == 0


def test_nothing_outlives_an_error(table: Path, tmp_path: Path, temporary: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text(TABLE.replace("1500", "9000"))
    with pytest.raises(cs.CoalescopeError, match="There are 2 experiments") as refused:
        cs.open([table, other])
    assert refused.tb is not None  # which holds all that was opened
    assert not list(temporary.iterdir())


def test_what_came_of_a_fork_removes_nothing(table: Path, temporary: Path) -> None:
    with cs.open(table) as x:
        child = os.fork()
        if child == 0:
            x.close()
            os._exit(0)
        assert os.waitpid(child, 0) == (child, 0)
        assert list(temporary.iterdir())
        assert x.runs.num_rows == 2
    assert not list(temporary.iterdir())


def test_a_folder_that_is_gone_is_no_error(table: Path, temporary: Path) -> None:
    with cs.open(table):
        for folder in temporary.iterdir():
            shutil.rmtree(folder)


def test_a_store_is_only_read(published: Path, tmp_path: Path, temporary: Path) -> None:
    # without what another server's readers share beside the database
    beside = shutil.ignore_patterns("*-wal", "*-shm")
    store = Path(shutil.copytree(published, tmp_path / "store", ignore=beside))
    before = contents(store)
    assert len(cs.list_experiments(store)) == len(PUBLISHED)
    assert contents(store) == before
    with cs.open(store, "geist-2005-nfs") as x:
        assert x.cells["runs"].sum() == 27
        assert x.fit("cpu-overhead", resamples=0).identifiable
        shared = {f"coalescope.sqlite-{name}" for name in ("wal", "shm")}
        during = {name: sha for name, sha in contents(store).items() if name not in shared}
        assert during == before
    assert contents(store) == before
    assert not list(temporary.iterdir())


def test_the_environment_of_a_server_changes_nothing(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COALESCOPE_DATABASE_URL", "postgresql://nobody@127.0.0.1:9/none")
    monkeypatch.setenv("COALESCOPE_OBJECT_STORE_URL", "s3://none")
    monkeypatch.setenv("COALESCOPE_READ_ONLY", "1")
    monkeypatch.setenv("COALESCOPE_DATA_DIR", str(tmp_path / "server"))
    assert cs.open(table).runs.num_rows == 2
    assert not (tmp_path / "server").exists()


def test_one_of_several_is_to_be_named(published: Path) -> None:
    with pytest.raises(cs.CoalescopeError, match="There are 2 experiments") as refused:
        cs.open(published)
    assert refused.value.__notes__ == ["Name one of geist-2005-nfs, geist-2005-points."]
    with pytest.raises(cs.CoalescopeError, match="no experiment 'lab'"):
        cs.open(published, "lab")


def test_files_go_into_one_experiment_if_it_is_named(table: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text(TABLE.replace("1500", "9000"))
    with pytest.raises(cs.CoalescopeError, match="There are 2 experiments"):
        cs.open([table, other])
    x = cs.open([table, other], "both")
    assert (x.slug, x.factors["mtu_bytes"], x.runs.num_rows) == ("both", [1500, 9000], 4)


def test_a_folder_of_files(table: Path, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    table.rename(folder / "lab.csv")
    assert cs.open(folder).runs.num_rows == 2


def test_files_of_other_tools_are_joined_and_told_their_levels() -> None:
    files = [CORPUS / "joined-client.json", CORPUS / "joined-server.json"]
    with pytest.raises(cs.CoalescopeError, match="mtu_bytes"):
        cs.open(files, "lab")
    x = cs.open(files, "lab", levels={"mtu_bytes": 1500, "delay_us": 0})
    assert x.runs.select(["mtu_bytes", "workload"]).to_pylist() == [
        {"mtu_bytes": 1500.0, "workload": "tcp"}
    ]


def test_all_files_are_read_or_none(table: Path, tmp_path: Path, temporary: Path) -> None:
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("mtu_bytes,replicate,throughput_mbps\n1500,1,fast\n")
    with pytest.raises(cs.CoalescopeError, match=r"wrong\.csv: .*fast") as refused:
        cs.open([table, wrong], "lab")
    assert refused.value.where["file"] == str(wrong)
    with pytest.raises(cs.CoalescopeError, match="No such file"):
        cs.open(tmp_path / "absent.csv")
    assert not list(temporary.iterdir())


def test_what_is_doubtful_in_a_file_is_a_warning(tmp_path: Path) -> None:
    table = tmp_path / "lab.csv"
    table.write_text(TABLE.replace("throughput_mbps", "throughput_mbps,receiver_cpu_percent"))
    rows = TABLE.splitlines()
    table.write_text(
        "\n".join([f"{rows[0]},receiver_cpu_percent", f"{rows[1]},5", f"{rows[2]},6", ""])
    )
    with pytest.warns(UserWarning, match=r"lab\.csv: .*receiver_cpu_percent"):
        cs.open(table)
    for number in range(3):
        (tmp_path / f"more-{number}.csv").write_text(table.read_text().replace("1500", "9000"))
    with pytest.warns(UserWarning, match="receiver_cpu_percent") as said:
        cs.open(sorted(tmp_path.glob("more-*.csv")), "lab")
    assert [str(each.message).partition(": ")[0] for each in said] == [
        f"{tmp_path}/more-0.csv and 2 more"
    ]


@pytest.mark.parametrize(
    "options", [{"token": "secret"}, {"token_file": "token.txt"}], ids=["token", "token_file"]
)
def test_options_that_do_nothing_are_refused(table: Path, options: dict[str, str]) -> None:
    with pytest.raises(cs.CoalescopeError, match="no effect"):
        cs.open(table, **options)
    with pytest.raises(cs.CoalescopeError, match="no effect"):
        cs.list_experiments(table.parent, **options)


def test_options_of_files_are_refused_for_a_store(published: Path) -> None:
    with pytest.raises(cs.CoalescopeError, match="levels has no effect"):
        cs.open(published, "geist-2005-nfs", levels={"mtu_bytes": 1500})
