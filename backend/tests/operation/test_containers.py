# SPDX-License-Identifier: Apache-2.0
"""The files that containers are made of say what the program understands. Running them is apart."""

import re
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
                patch.setenv(name, str(value))
            Settings()


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
    assert {"psycopg", "obstore", "distributed"} <= scale - base


def packages(lock: str) -> set[str]:
    text = (CHECKOUT / lock).read_text(encoding="utf-8")
    return set(re.findall(r"^([\w-]+)==", text, re.MULTILINE))
