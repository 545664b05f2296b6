# SPDX-License-Identifier: Apache-2.0
"""The models in the page's own Python give what they give here, for every model.

Pyodide runs in node as it does in the page: WebAssembly, its own mathematical library, the models
from a zip. `test_engines` compares the kernels with the same evaluation.
"""

import importlib.util
import io
import json
import math
import subprocess
import zipfile
from pathlib import Path

import numpy as np
import pytest
from coalescope_models.catalogue import MODELS, evaluate

ROOT = Path(__file__).parents[3]
PYODIDE = ROOT / "frontend/node_modules/pyodide"

_spec = importlib.util.spec_from_file_location(
    "conditioning", Path(__file__).with_name("conditioning.py")
)
conditioning = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(conditioning)

# a line of JSON in, a line of JSON out; JavaScript does not look into them
_RUNNER = r"""
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const [folder, zip] = process.argv.slice(1);
const { loadPyodide } = await import(`${folder}/pyodide.mjs`);
const python = await loadPyodide({ indexURL: `${folder}/` });
python.FS.writeFile('/models.zip', new Uint8Array(readFileSync(zip)));
const run = python.runPython(`
import json, sys
sys.path.insert(0, "/models.zip")
from coalescope_models.catalogue import MODELS, evaluate

def evaluate_all(text):
    asked = json.loads(text)
    model = MODELS[asked["model"]]
    return json.dumps([sys.platform, [evaluate(model, values) for values in asked["points"]]])

evaluate_all
`);
for await (const line of createInterface({ input: process.stdin })) console.log(run(line));
"""


@pytest.fixture(scope="module")
def pyodide(tmp_path_factory):
    """Evaluates points of a model in Pyodide."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        files = sorted((ROOT / "models/src").rglob("*"))
        for path in (file for file in files if file.suffix in (".py", ".toml")):
            archive.write(path, path.relative_to(ROOT / "models/src").as_posix())
    sources = tmp_path_factory.mktemp("pyodide") / "models.zip"
    sources.write_bytes(packed.getvalue())
    # a machine without node or Pyodide fails here: a skip would hide that nothing was compared
    with subprocess.Popen(
        ["node", "--input-type=module", "-e", _RUNNER, PYODIDE.as_posix(), sources.as_posix()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:

        def run(model, points):
            process.stdin.write(json.dumps({"model": model.id, "points": points}) + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
            assert answer, "Pyodide stopped"
            platform, outputs = json.loads(answer)
            assert platform == "emscripten"
            return outputs

        yield run
        process.kill()


def points(model, count):
    """From each quantity's own domain, every second from what is typical."""
    rng = np.random.default_rng(21)

    def value(quantity, typical):
        lo, hi = quantity.domain
        reach = 1e4 * max(1.0, *map(abs, quantity.typical))
        ends = quantity.typical if typical else (lo, hi)
        a, b = (
            default if end is None else end
            for end, default in zip(ends, (-reach, reach), strict=True)
        )
        return float(rng.uniform(a, b))

    return [
        {name: value(model.quantity(name), k % 2) for name in model.names} for k in range(count)
    ]


def agrees(got, expected, allowed):
    if math.isnan(expected) or math.isnan(got):
        return math.isnan(expected) and math.isnan(got)
    return got == expected or abs(got - expected) <= allowed


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_every_model_agrees_with_the_pages_python(pyodide, model):
    asked = points(model, 60)
    compared = caught = 0
    for values, got in zip(asked, pyodide(model, asked), strict=True):
        allowed = conditioning.tolerances(model.graph, values)
        for name, expected in evaluate(model, values).items():
            if math.isfinite(allowed[name]):
                assert agrees(got[name], expected, allowed[name]), (name, values)
                compared += 1
                # the control: what is wrong in the ninth digit would not pass
                caught += not agrees(got[name] * (1 + 1e-9), expected, allowed[name])
    assert compared > 30 * len(model.outputs)
    assert caught > 0.5 * compared
