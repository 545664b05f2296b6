# SPDX-License-Identifier: Apache-2.0
"""Clients that three common generators make of docs/openapi.json, at work on a real server.

The generators are fetched as packages, so that this is no ordinary test: `make soak` runs it.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ...cli.conftest import serving_in

ROOT = Path(__file__).parents[4]
DOCUMENT = ROOT / "docs/openapi.json"
HERE = Path(__file__).parent / "generated_clients"
PYTHON_GENERATOR = "openapi-python-client==0.29.1"
GO_GENERATOR = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"
TS_CLIENT = "openapi-fetch@0.17.0"
HEADER = "mtu_bytes,delay_us,replicate,rx_bytes,rx_packets,rx_interrupts,system_cpu_s"

Language = Callable[[Path, str, Path], str]

pytestmark = pytest.mark.soak


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving_in(tmp_path_factory.mktemp("server"))() as (found, _):
        yield found


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = [
        f"{mtu},{delay},{number},5010000000,{5010000000 // mtu + 40 * number},"
        f"{(5010000000 // mtu) // (1 + delay // 10) + 30 * number},{60 + mtu / 900 + delay / 7}"
        for mtu in (1500, 3000, 6000)
        for delay in (0, 20, 80)
        for number in (1, 2, 3)
    ]
    path = tmp_path_factory.mktemp("table") / "lab.csv"
    path.write_text("\n".join([HEADER, *rows, ""]))
    return path


def done(folder: Path, *words: object, **environment: str) -> str:
    ran = subprocess.run(
        [str(word) for word in words],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, f"{ran.stdout}\n{ran.stderr}"
    return ran.stdout


def in_python(folder: Path, address: str, table: Path) -> str:
    done(folder, sys.executable, "-m", "venv", "own")
    done(folder, "own/bin/pip", "install", "--quiet", PYTHON_GENERATOR)
    made = ("--path", DOCUMENT, "--output-path", folder / "made")
    done(folder, "own/bin/openapi-python-client", "generate", *made)
    return done(folder, "own/bin/python", HERE / "use.py", address, table, PYTHONPATH="made")


def in_typescript(folder: Path, address: str, table: Path) -> str:
    tools = ROOT / "frontend/node_modules"
    (folder / "package.json").write_text('{"type": "module"}')
    done(folder, "npm", "install", "--silent", TS_CLIENT)
    (folder / "node_modules/@types").symlink_to(tools / "@types")
    schema = folder / "schema.ts"
    # what has a default need not be sent, as the page's own client has it
    given = ("--default-non-nullable=false", "--output", schema)
    done(folder, tools / ".bin/openapi-typescript", DOCUMENT, *given)
    shutil.copy(HERE / "use.ts", folder)
    strict = ("--strict", "--target", "es2022", "--module", "nodenext", "--skipLibCheck")
    done(folder, tools / ".bin/tsc", *strict, "--types", "node", "--outDir", "out", "use.ts")
    return done(folder, "node", "out/use.js", address, table)


def in_go(folder: Path, address: str, table: Path) -> str:
    shutil.copytree(HERE / "go", folder / "use")
    done(folder, "go", "mod", "init", "coalescope/client")
    made = ("-generate", "types,client", "-package", "coalescope", "-o", "client.go", DOCUMENT)
    done(folder, "go", "run", GO_GENERATOR, *made)
    done(folder, "go", "mod", "tidy")
    return done(folder, "go", "run", "./use", address, table)


@pytest.mark.parametrize("language", [in_python, in_typescript, in_go])
def test_a_generated_client_uploads_lists_and_fits(
    language: Language, address: str, table: Path, tmp_path: Path
) -> None:
    listed, alpha = language(tmp_path, address, table).split()
    assert listed.lower() == "true"
    # to the last digit: what reads numbers with seven digits is no working client
    assert alpha == "0.013547895812370056"
