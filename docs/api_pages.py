# SPDX-License-Identifier: Apache-2.0
"""The pages of the API in the documents' site: one for each of its parts, and their schemas."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

FOLDER = Path("api")
_DOCUMENT = Path(__file__).with_name("openapi.json")
_INTRODUCTION = """\
What programs ask a server, from its own description, [openapi.json](../openapi.json), which
generators make clients from. [Addresses and scopes](../routes.md) says what takes which token. A
server shows its own at `/api/docs`.
"""


def pages() -> dict[Path, str]:
    """The text of each page, by its place in the site's sources."""
    document = json.loads(_DOCUMENT.read_text(encoding="utf-8"))
    names = [tag["name"] for tag in document["tags"]]
    made = {FOLDER / f"{tag['name']}.md": part(document, tag) for tag in document["tags"]}
    listed = "\n".join([*names, "schemas"])
    index = f"# The API\n\n{_INTRODUCTION}\n```{{toctree}}\n:maxdepth: 1\n\n{listed}\n```\n"
    schemas = "\n\n".join(_schemas(document["components"]["schemas"]))
    return made | {
        FOLDER / "index.md": index,
        FOLDER / "schemas.md": f"# Schemas\n\nWhat is sent, and what is answered.\n\n{schemas}\n",
    }


def part(document: Mapping[str, Any], tag: Mapping[str, str]) -> str:
    """The page of the operations that have a tag."""
    found = [
        text
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if tag["name"] in operation.get("tags", [])
        for text in _operation(method, path, operation)
    ]
    title = tag["name"].capitalize()
    return f"# {title}\n\n{_plain(tag['description'])}\n\n" + "\n\n".join(found) + "\n"


def _operation(method: str, path: str, operation: Mapping[str, Any]) -> Iterator[str]:
    yield f"## {operation['summary']}\n\n`{method.upper()} {path}`"
    yield _plain(operation.get("description", operation["summary"]))
    rows = []
    for each in operation.get("parameters", []):
        place = f"{each['in']}, required" if each.get("required") else each["in"]
        rows.append((each["name"], place, each.get("description", ""), each.get("schema", {})))
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        rows.append(("body", kind, "", content.get("schema", {})))
    if rows:
        table = [
            f"| `{name}` | {at} | {_type(of)} | {_cell(says)} |" for name, at, says, of in rows
        ]
        yield "\n".join(["| takes | where | type | |", "|---|---|---|---|", *table])
    answers = [
        f"| {status} | {_types(answer)} | {_cell(answer['description'])} |"
        for status, answer in operation["responses"].items()
    ]
    yield "\n".join(["| answers | type | |", "|---|---|---|", *answers])


def _schemas(schemas: Mapping[str, Any]) -> Iterator[str]:
    for name, schema in sorted(schemas.items()):
        yield f"## {name}"
        if said := schema.get("description"):
            yield _plain(said)
        rows = [
            f"| `{field}` | {_type(of)} | {_cell(of.get('description', ''))} |"
            for field, of in schema.get("properties", {}).items()
        ]
        yield "\n".join(["| field | type | |", "|---|---|---|", *rows]) if rows else _type(schema)


def _types(answer: Mapping[str, Any]) -> str:
    schemas = (content.get("schema", {}) for content in answer.get("content", {}).values())
    return " or ".join(dict.fromkeys(map(_type, schemas)))


def _type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](schemas.md#{name.lower()})"
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " or ".join(dict.fromkeys(map(_type, schema[several])))
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}" if "items" in schema else "list"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"map to {_type(schema['additionalProperties'])}"
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    return f"`{schema['const']}`" if "const" in schema else str(schema.get("type", "any"))


def _plain(text: str) -> str:
    return text.replace("<", "\\<").replace("*", "\\*")


def _cell(text: str) -> str:
    return " ".join(_plain(text).replace("|", "\\|").split())
