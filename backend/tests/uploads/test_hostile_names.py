# SPDX-License-Identifier: Apache-2.0
"""Names made to hurt a database, a store of objects or a path: kept as they are, or refused.

`make test-servers` runs this on PostgreSQL and an S3 server.
"""

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import sqlalchemy as sa
from coalescope.db.tables import METADATA
from coalescope.uploads.reading import Reading
from coalescope.verification.service import verify

TABLE = b"mtu_bytes,replicate,drops\n1500,1,3\n"
HOSTILE = {
    "SQL": "x'; DROP TABLE runs; --",
    "SQL in quotation marks": 'x"; DELETE FROM uploads; /*',
    "a place for a value": "%s %(name)s :name ? {0}",
    "a pattern": "%_%",
    "a path": "../../../../etc/passwd",
    "a path of another system": "..\\..\\evil",
    "an address": "s3://other/bucket?x=1#y",
    "a query": "a&experiment=other#%00%2f",
    "NUL": "a\0b",
    "control": "a\x1b[31m\r\nb",
    "a mark of direction": "a\u202eb",
    "a lone half of a pair": "a\udcffb",
    "10 kB": "x" * 10_000,
}
FIELDS = ("filename", "experiment", "title", "citation", "factor", "level")


def sent(client: Any, field: str, name: str, number: int) -> Any:
    """In an experiment of its own."""
    asked = {"filename": "table.csv", "experiment": f"lab-{number}"}
    content = TABLE
    if field in ("factor", "level"):
        quoted = name.replace('"', '""').encode("utf-8", "surrogateescape")
        factor, level = (quoted, b"1") if field == "factor" else (b"own", quoted)
        content = b'mtu_bytes,"factor.%b",replicate,drops\n1500,"%b",1,3\n' % (factor, level)
    else:
        asked[field] = name
    query = urlencode(asked, encoding="utf-8", errors="surrogateescape")
    return client.post(f"/api/uploads?{query}", content=content)


def rows(client: Any) -> dict[str, int]:
    with client.app.state.database.read() as connection:
        return {
            table.name: connection.execute(sa.select(sa.func.count()).select_from(table)).scalar()
            for table in METADATA.sorted_tables
        }


@pytest.mark.parametrize("field", FIELDS)
def test_a_hostile_name_is_kept_as_it_is_or_refused(
    client: Any, tmp_path: Path, field: str
) -> None:
    assert client.upload(b"mtu_bytes,drops\n9000,1\n", "before.csv").status_code == 201
    stored_some = False
    for number, name in enumerate(HOSTILE.values()):
        before, files = rows(client), {*tmp_path.rglob("*")}
        answer = sent(client, field, name, number)
        assert answer.status_code in (201, 422), (name[:50], answer.text[:300])
        if answer.status_code == 422:
            assert rows(client) == before, name[:50]
            assert {*tmp_path.rglob("*")} == files, name[:50]
            continue
        receipt = answer.json()
        experiment = receipt["experiment"]["slug"]
        stored = client.get(f"/api/experiments/{experiment}").json()
        (run,) = receipt["runs"]
        told = {
            "filename": receipt["filename"],
            "experiment": experiment,
            "title": stored["title"],
            "citation": stored["source"].get("citation", ""),
            "factor": "".join(run["factors"].keys() - {"mtu_bytes"}),
            "level": run["factors"].get("factor.own"),
        }
        kept = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        if field == "filename":
            kept = kept.replace("\\", "/").rpartition("/")[2][-255:]
        assert told[field] == kept, name[:50]
        stored_some = True
    state = client.app.state
    assert verify(state.database, state.object_store, Reading()).sound
    outside = [path for path in tmp_path.rglob("*") if "data" not in path.parts]
    assert not outside
    assert stored_some is (field not in ("experiment", "factor")), "their names are narrower"


def test_a_hostile_name_in_an_address_is_not_found(client: Any) -> None:
    assert client.upload(TABLE, "before.csv").status_code == 201
    before = rows(client)
    for name in HOSTILE.values():
        for place in ("/api/experiments/", "/api/runs/", "/api/uploads/", "/api/links/"):
            quoted = "".join(f"%{byte:02x}" for byte in name.encode("utf-8", "surrogateescape"))
            end = "/cells" if place == "/api/uploads/" else ""
            answer = client.get(f"{place}{quoted}{end}")
            assert answer.status_code in (404, 422), (place, name[:50], answer.text[:300])
    assert rows(client) == before
