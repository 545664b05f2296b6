# SPDX-License-Identifier: Apache-2.0
"""What the manuals tell of PostgreSQL and a bucket, typed as it stands there, on real servers.

Theirs have other addresses; `make test-servers` starts them.
"""

import json
import os
from pathlib import Path

import pytest
from manuals import fence

from .. import stack as stacks
from .conftest import ROOT, Reader

pytestmark = pytest.mark.skipif(
    stacks.CHOSEN == "folder", reason="needs PostgreSQL and an S3 server: make test-servers"
)
TABLE = "mtu_bytes,delay_us,replicate,throughput_mbps\n1500,0,1,941.2\n9000,0,2,989.5\n"
POSTGRESQL = "postgresql://coalescope@db.lab.example/coalescope"
BUCKET, GATEWAY = "s3://coalescope/lab", "http://s3.lab.example:7070"


class OnServers:
    """A reader, and a database and a bucket of their own."""

    def __init__(self, reader: Reader, stack: stacks.Folder, folder: Path) -> None:
        self.reader = reader
        settings = stack.settings(folder / "there")
        self.stands_for = {
            POSTGRESQL: settings["database_url"],
            BUCKET: settings["object_store_url"],
            GATEWAY: os.environ["AWS_ENDPOINT_URL"],
        }

    def meant(self, text: str) -> str:
        """A text with the test's own servers in the place of those of its example."""
        for shown, own in self.stands_for.items():
            text = text.replace(shown, f"'{own}'")
        return text.replace("=…", "=tests")

    def experiments(self, exports: str) -> list[str]:
        listed = self.reader.type(f"{self.meant(exports)}coalescope experiments --json")
        return [str(one["slug"]) for one in json.loads(listed)]


@pytest.fixture
def on_servers(reader: Reader, stack: stacks.Folder, tmp_path: Path) -> OnServers:
    (tmp_path / "lab.csv").write_text(TABLE)
    reader.run("coalescope", "import", "lab.csv", "--experiment", "lab")
    return OnServers(reader, stack, tmp_path)


def test_a_store_moves_to_postgresql_and_a_bucket(on_servers: OnServers) -> None:
    reader = on_servers.reader
    move = fence("docs/store.md", "# stop the server first").replace("/mnt/", "")
    lines, _, serve = move.rpartition("coalescope serve")
    assert serve == "\n"
    reader.type(on_servers.meant(lines))
    (exports,) = (line for line in lines.splitlines() if line.startswith("export "))
    assert "lab" in on_servers.experiments(f"{exports}\n")
    for pair in on_servers.meant(exports).split()[1:]:
        name, _, value = pair.partition("=")
        reader.environment[name] = value.strip("'")
    reader.serve("coalescope serve")
    shown = reader.run("coalescope", "experiments", "--json", "--server", reader.address)
    assert "lab" in [one["slug"] for one in json.loads(shown)]


def test_a_store_is_made_there_and_its_measures_are_divided(on_servers: OnServers) -> None:
    reader = on_servers.reader
    (reader.folder / "docs").mkdir()
    (reader.folder / "docs/partitions.sql").symlink_to(ROOT / "docs/partitions.sql")
    exports = fence("docs/scaling.md", "export COALESCOPE_DATABASE_URL")
    exports += fence("docs/scaling.md", "export COALESCOPE_OBJECT_STORE_URL")
    reader.type(on_servers.meant(exports) + "coalescope import lab.csv --experiment there")
    divide = fence("docs/scaling.md", "PGOPTIONS=")
    reader.type(on_servers.meant(exports) + divide)
    assert "there" in on_servers.experiments(exports)
    said = reader.type(on_servers.meant(exports) + "coalescope verify")
    assert "all is well" in said
