# SPDX-License-Identifier: Apache-2.0
"""The files that containers are made of say what the program understands. Running them is apart."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from coalescope.settings import Settings

CHECKOUT = Path(__file__).parents[3]
COMPOSE = CHECKOUT / "docker-compose.yml"


@pytest.fixture
def compose() -> dict[str, Any]:
    given = re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", COMPOSE.read_text(encoding="utf-8"))
    found: dict[str, Any] = yaml.safe_load(given)
    return found


def test_one_service_comes_up_by_itself(compose: dict[str, Any]) -> None:
    alone = [name for name, one in compose["services"].items() if "profiles" not in one]
    assert alone == ["coalescope"]


def test_what_is_named_is_there(compose: dict[str, Any]) -> None:
    services = compose["services"]
    for one in services.values():
        assert set(one.get("depends_on", [])) <= set(services)
        assert one["image"]
        for volume in one.get("volumes", []):
            source = volume.split(":")[0]
            assert source in compose["volumes"] or (CHECKOUT / source).is_file()


def test_settings_are_settings(compose: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    for one in compose["services"].values():
        given = {k: v for k, v in one.get("environment", {}).items() if k.startswith("COALESCOPE_")}
        known = {f"COALESCOPE_{name.upper()}" for name in Settings.model_fields}
        assert set(given) <= known
        with monkeypatch.context() as patch:
            for name, value in given.items():
                if value is not None:  # else it is passed on as it is, or not at all
                    patch.setenv(name, str(value))
            Settings()


#: Folders of the image, and what its packages are not there for.
NOT_PASSED_ON = {"data_dir", "page_dir", "datasets_dir", "documents_dir"} | {
    "database_url",
    "object_store_url",
    "dask_scheduler",
    "trace_endpoint",
}


@pytest.mark.fault("C17")
def test_what_can_be_set_is_passed_on(compose: dict[str, Any]) -> None:
    passed = set(compose["services"]["coalescope"]["environment"])
    assert passed == {
        f"COALESCOPE_{n.upper()}" for n in Settings.model_fields.keys() - NOT_PASSED_ON
    }


def test_what_prepares_the_store_makes_one(compose: dict[str, Any], tmp_path: Path) -> None:
    """A command that only reads makes none, and the web servers would wait for it in vain."""
    program, *words = compose["services"]["prepare"]["command"]
    (tmp_path / "none").mkdir()
    done = subprocess.run(
        [Path(sys.executable).with_name(program), *words],
        env={
            "COALESCOPE_DATA_DIR": str(tmp_path / "data"),
            "COALESCOPE_DATASETS_DIR": str(tmp_path / "none"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert list((tmp_path / "data").iterdir())


def test_the_build_finds_its_packages(compose: dict[str, Any]) -> None:
    dockerfile = (CHECKOUT / "Dockerfile").read_text(encoding="utf-8")
    kept = (CHECKOUT / ".dockerignore").read_text(encoding="utf-8").split()
    default = re.search(r"^ARG PACKAGES=(\S+)$", dockerfile, re.MULTILINE)
    assert default
    chosen = {
        one["build"]["args"]["PACKAGES"]
        for one in compose["services"].values()
        if isinstance(one.get("build"), dict)
    }
    for lock in {default[1], *chosen}:
        assert (CHECKOUT / lock).is_file()
        assert f"!{lock}" in kept
    base, scale = packages("requirements.lock"), packages("requirements-scale.lock")
    assert base < scale
    added = {pin.partition("==")[0] for pin in scale - base}
    assert {"psycopg", "obstore", "distributed"} <= added


def test_what_is_installed_is_what_is_tested() -> None:
    tested = packages("requirements-dev.lock")
    for lock in ("requirements.lock", "requirements-scale.lock"):
        assert not packages(lock) - tested


def packages(lock: str) -> set[str]:
    """Each package with its version."""
    text = (CHECKOUT / lock).read_text(encoding="utf-8")
    return set(re.findall(r"^[\w-]+==[^ ]+", text, re.MULTILINE))
