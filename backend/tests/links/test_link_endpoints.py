# SPDX-License-Identifier: Apache-2.0
"""Links over HTTP, on a real database."""

from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
from coalescope.db.engine import Database, open_database
from coalescope.db.migrations import migrate
from coalescope.links import service
from coalescope.links.paths import tokens

PATH = "/explorer/geist-2005-nfs?measure=throughput_mbps&x=delay_us"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = open_database(None, tmp_path)
    migrate(database)
    yield database
    database.close()


def test_the_same_view_has_one_link(database: Database) -> None:
    with database.write() as connection:
        first = service.create(connection, PATH)
    with database.write() as connection:
        again = service.create(connection, "/x/.." + PATH)
        other = service.create(connection, PATH + "&z=1")
        assert service.get(connection, first[0]) == PATH
    assert first == again == (next(tokens(PATH)), PATH)
    assert other[0] != first[0]


def test_the_token_is_the_same_in_another_store(database: Database, tmp_path: Path) -> None:
    elsewhere = open_database(None, tmp_path / "elsewhere")
    migrate(elsewhere)
    with database.write() as here, elsewhere.write() as there:
        assert service.create(here, PATH) == service.create(there, PATH)
    elsewhere.close()


def test_colliding_tokens_grow_until_they_differ(database: Database) -> None:
    def colliding(path: str) -> Iterator[str]:
        yield "same"
        yield "same-too"
        yield from tokens(path)

    with mock.patch.object(service, "tokens", colliding), database.write() as connection:
        made = [service.create(connection, path)[0] for path in ("/a", "/b", "/c", "/a")]
        assert made == ["same", "same-too", next(tokens("/c")), "same"]
        assert [service.get(connection, token) for token in made] == ["/a", "/b", "/c", "/a"]
