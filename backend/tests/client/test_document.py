# SPDX-License-Identifier: Apache-2.0
"""Every example of docs/client.md, as it stands there, with what it prints."""

import doctest
import shutil
from pathlib import Path

import pytest

from .conftest import TOKEN

pytestmark = pytest.mark.folder_stack

DOCUMENT = Path(__file__).parents[3] / "docs" / "client.md"
CORPUS = Path(__file__).parents[1] / "foreign" / "corpus" / "iperf3"
TABLE = """mtu_bytes,delay_us,replicate,throughput_mbps
1500,10,1,939.5
1500,10,2,940.5
9000,10,1,985
9000,10,2,986
"""


def test_the_examples_print_what_they_say(
    server: str, published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "token.txt").write_text(TOKEN)
    (tmp_path / "lab.csv").write_text(TABLE)
    (tmp_path / "data").symlink_to(published)
    for name in ("client", "server"):
        shutil.copy(CORPUS / f"joined-{name}.json", tmp_path / f"{name}.json")
    text = DOCUMENT.read_text(encoding="utf-8").replace("http://127.0.0.1:8000", server)
    examples = doctest.DocTestParser().get_doctest(text, {}, "client.md", str(DOCUMENT), 0)
    assert len(examples.examples) > 20
    said: list[str] = []
    doctest.DocTestRunner().run(examples, out=said.append)
    assert not said, "".join(said)
