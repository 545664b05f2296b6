# SPDX-License-Identifier: Apache-2.0
"""The page imports the models in Pyodide, from a zip, where there is only the standard library."""

import subprocess
import sys
import zipfile
from pathlib import Path

import coalescope_models

PACKAGE = Path(coalescope_models.__file__).parent

_PROGRAM = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in (*sys.stdlib_module_names, "coalescope_models"):
            raise ImportError(f"{name} is not in the browser")

sys.meta_path.insert(0, Refuse())
sys.path.insert(0, sys.argv[1])
import coalescope_models
assert coalescope_models.__file__.startswith(sys.argv[1]), coalescope_models.__file__
"""


def run(tmp_path, body):
    """Run a program with the package in a zip and nothing else but the standard library."""
    archive = tmp_path / "models.zip"
    with zipfile.ZipFile(archive, "w") as target:
        for file in sorted(f for f in PACKAGE.rglob("*") if f.suffix in (".py", ".toml")):
            target.write(file, file.relative_to(PACKAGE.parent))
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", _PROGRAM + body, str(archive)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_browser_part_needs_the_standard_library_only(tmp_path):
    done = run(
        tmp_path,
        """
from coalescope_models import catalogue, expr, link_bound
from coalescope_models.pages import bundle, catalogue_sources
from coalescope_models.user_models import source
from coalescope_models.vocabulary import glossary, quantity
model = catalogue.MODELS["link-bound"]
assert round(catalogue.evaluate(model, {"mtu_bytes": 1500})["throughput_mbps"], 1) == 987.0
assert len(bundle.bundle()["models"]) == len(catalogue.MODELS)
assert "numpy" not in sys.modules
""",
    )
    assert done.returncode == 0, done.stderr


def test_that_check_can_fail(tmp_path):
    done = run(tmp_path, "import coalescope_models.inference.fitting")
    assert "numpy is not in the browser" in done.stderr
