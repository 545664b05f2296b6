# SPDX-License-Identifier: Apache-2.0
"""The description of the API is complete, fresh and true."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from coalescope.cli.openapi_document import document, document_text
from coalescope.web.openapi.reference import reference

COMMITTED = Path(__file__).resolve().parents[4] / "docs" / "openapi.json"
ERROR = "#/components/schemas/ErrorResponse"


@pytest.fixture(scope="module")
def described() -> dict[str, Any]:
    return document()


def operations(described: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            if key == "$ref":
                yield item.rpartition("/")[2]
            else:
                yield from references(item)
    elif isinstance(value, list):
        for item in value:
            yield from references(item)


def reachable(described: dict[str, Any], value: Any) -> set[str]:
    found: set[str] = set()
    new = set(references(value))
    while new:
        found |= new
        new = {n for name in new for n in references(described["components"]["schemas"][name])}
        new -= found
    return found


def test_the_committed_document_is_fresh() -> None:
    text = COMMITTED.read_text(encoding="utf-8")
    assert text == document_text(), "run: coalescope openapi > docs/openapi.json"


def test_the_document_is_the_same_whatever_the_environment(
    monkeypatch: pytest.MonkeyPatch, described: dict[str, Any]
) -> None:
    monkeypatch.setenv("COALESCOPE_TOKEN", "secret")
    monkeypatch.setenv("COALESCOPE_HOST", "0.0.0.0")
    assert document() == described


def test_every_operation_says_what_it_is(described: dict[str, Any]) -> None:
    names = [operation["operationId"] for _, operation in operations(described)]
    assert len(names) == len(set(names)) > 15
    tags = {tag["name"]: tag["description"] for tag in described["tags"]}
    for where, operation in operations(described):
        assert re.fullmatch(r"[a-z]+(_[a-z]+)+", operation["operationId"]), where
        assert operation["summary"], where
        assert operation["description"], where
        assert len(operation["tags"]) == 1, where
        assert tags[operation["tags"][0]], where
        assert operation["operationId"].replace("_", " ").title() != operation["summary"], where


def test_every_parameter_is_described(described: dict[str, Any]) -> None:
    for where, operation in operations(described):
        for parameter in operation.get("parameters", []):
            assert parameter.get("description"), f"{where}: {parameter['name']}"


def test_every_failure_has_the_one_shape(described: dict[str, Any]) -> None:
    for where, operation in operations(described):
        answers = operation["responses"]
        assert {"404", "422", "default"} <= answers.keys(), where
        for status, answer in answers.items():
            if status == "default" or status >= "400":
                schema = answer["content"]["application/json"]["schema"]
                assert schema == {"$ref": ERROR}, f"{where} {status}"
    assert "HTTPValidationError" not in described["components"]["schemas"]


@pytest.mark.fault("C14")
def test_every_json_body_has_an_example(described: dict[str, Any]) -> None:
    schemas = described["components"]["schemas"]
    bodies = 0
    for where, operation in operations(described):
        content = operation.get("requestBody", {}).get("content", {})
        if "application/json" in content:
            bodies += 1
            name = content["application/json"]["schema"]["$ref"].rpartition("/")[2]
            assert schemas[name].get("examples") or schemas[name].get("example"), where
    assert bodies >= 6


def test_what_comes_out_is_always_there(described: dict[str, Any]) -> None:
    """A field without a default is a required field of the generated client."""
    answers = [operation["responses"] for _, operation in operations(described)]
    outputs = reachable(described, answers)
    assert {"ExperimentOut", "SurfaceOut", "FitOut", "PredictionOut", "LinkOut"} <= outputs
    for name in outputs:
        schema = described["components"]["schemas"][name]
        fields = set(schema.get("properties", {}))
        assert fields == set(schema.get("required", [])), name


def test_every_schema_is_used_and_described(described: dict[str, Any]) -> None:
    schemas = described["components"]["schemas"]
    assert reachable(described, described["paths"]) == set(schemas)
    assert all(schema.get("description") for schema in schemas.values())


def test_the_token_is_declared(described: dict[str, Any]) -> None:
    assert described["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    assert described["security"] == [{}, {"token": []}]


def test_a_server_says_what_takes_a_token_there(make_client: Any) -> None:
    def open_ones(**settings: Any) -> set[str]:
        document = make_client(**settings).app.openapi()
        found = {where: operation.get("security") for where, operation in operations(document)}
        return {where for where, security in found.items() if security is None}

    every = open_ones()
    assert open_ones(token="t") == {"GET /api/health", "GET /api/ready"}
    reading = open_ones(token="t", public_read=True)
    assert "GET /api/experiments" in reading
    assert "POST /api/uploads" in every - reading


def test_the_example_of_a_prediction_is_true(client: Any, described: dict[str, Any]) -> None:
    schemas = described["components"]["schemas"]
    body = schemas["PredictionIn"]["examples"][0]
    said = schemas["PredictionOut"]["examples"][0]
    answer = client.post(f"/api/models/{said['model']}/predictions", json=body).json()
    assert answer["outputs"] == {
        name: pytest.approx(values, rel=1e-4) for name, values in said["outputs"].items()
    }
    assert {k: v for k, v in answer.items() if k != "outputs"} == {
        k: v for k, v in said.items() if k != "outputs"
    }


def test_the_server_says_the_same(client: Any, described: dict[str, Any]) -> None:
    assert client.get("/api/openapi.json").json() == json.loads(json.dumps(described))


def test_the_reference_page_needs_nothing_else(client: Any, described: dict[str, Any]) -> None:
    answer = client.get("/api/docs")
    assert answer.headers["content-type"].startswith("text/html")
    page = answer.text
    assert all(path in page for path in described["paths"])
    assert "<script" not in page
    assert "style=" not in page
    assert not re.search(r'(src|href)="(?!#|/api/openapi.json)', page)
    for link in re.findall(r'href="#([^"]+)"', page):
        assert f'id="{link}"' in page


def test_the_reference_page_takes_text_as_text(described: dict[str, Any]) -> None:
    evil = json.loads(json.dumps(described).replace("Whether the service", "<script>alert(1)//"))
    assert "<script" not in reference(evil)
    assert "&lt;script" in reference(evil), "control: it was there"


@pytest.mark.fault("A8")
def test_generators_find_one_class_for_each_schema(described: dict[str, Any]) -> None:
    """They name classes after schemas and their titles, and leave out operations of what clashes.

    Two Python classes of one name would be told apart by their modules' names.
    """
    schemas = described["components"]["schemas"]
    for name, schema in schemas.items():
        assert re.fullmatch(r"[A-Z][A-Za-z0-9]*", name), name
        assert schema.get("title", name) == name, "a title is another name for the class"
    as_files = [re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower() for name in schemas]
    assert len(set(as_files)) == len(as_files)


@pytest.mark.fault("A8")
def test_generators_find_one_function_for_each_operation(described: dict[str, Any]) -> None:
    names = [operation["operationId"] for _, operation in operations(described)]
    assert len(set(names)) == len(names)
    for name in names:
        assert re.fullmatch(r"[a-z][a-z0-9_]*", name), name
        assert "__" not in name


def test_generators_keep_every_digit(described: dict[str, Any]) -> None:
    """Without a format, one for Go takes a number for one of single precision."""

    def numbers(part: Any) -> Iterator[Any]:
        if isinstance(part, dict):
            if part.get("type") == "number":
                yield part
            for below in part.values():
                yield from numbers(below)
        elif isinstance(part, list):
            for below in part:
                yield from numbers(below)

    found = list(numbers(described["components"]["schemas"]))
    assert len(found) > 100
    assert {each.get("format") for each in found} == {"double"}
