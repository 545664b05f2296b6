# SPDX-License-Identifier: Apache-2.0
"""The document as one plain page: no script, no style, nothing from another host."""

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

router = APIRouter(include_in_schema=False)


@router.get("/docs")
def read_reference(request: Request) -> HTMLResponse:
    """Show every address of the API."""
    return HTMLResponse(reference(request.app.openapi()))


def reference(document: Mapping[str, Any]) -> str:
    """Return the HTML page of an OpenAPI document."""
    title = escape(f"{document['info']['title']} API {document['info']['version']}")
    return "\n".join(
        [
            f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{title}</title>',
            '<meta name="viewport" content="width=device-width">',
            f"<h1>{title}</h1>",
            f"<p>{escape(document['info'].get('description', ''))}</p>",
            '<p>The same for programs: <a href="/api/openapi.json">openapi.json</a>.</p>',
            *_operations(document),
            "<h2>Schemas</h2>",
            *_schemas(document["components"]["schemas"]),
            "</html>\n",
        ]
    )


def _operations(document: Mapping[str, Any]) -> Iterator[str]:
    for tag in document.get("tags", []):
        yield f"<h2>{escape(tag['name'])}</h2>\n<p>{escape(tag['description'])}</p>"
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                if tag["name"] in operation.get("tags", []):
                    yield from _operation(method, path, operation)


def _operation(method: str, path: str, operation: Mapping[str, Any]) -> Iterator[str]:
    yield f"<h3><code>{method.upper()} {escape(path)}</code></h3>"
    yield f"<p>{escape(operation.get('description', operation['summary']))}</p>\n<dl>"
    for parameter in operation.get("parameters", []):
        needed = ", required" if parameter.get("required") else ""
        yield f"<dt><code>{escape(parameter['name'])}</code> ({parameter['in']}{needed})</dt>"
        yield f"<dd>{escape(parameter.get('description', ''))}</dd>"
    body = operation.get("requestBody", {}).get("content", {})
    for media_type, content in body.items():
        yield f"<dt>body, {escape(media_type)}</dt><dd>{_type(content.get('schema', {}))}</dd>"
    for status, answer in operation["responses"].items():
        schemas = (content.get("schema", {}) for content in answer.get("content", {}).values())
        types = " or ".join(dict.fromkeys(map(_type, schemas)))
        yield f"<dt>{escape(status)}</dt><dd>{escape(answer['description'])} {types}</dd>"
    yield "</dl>"


def _schemas(schemas: Mapping[str, Any]) -> Iterator[str]:
    for name, schema in schemas.items():
        yield f'<h3 id="{escape(name)}">{escape(name)}</h3>'
        yield f"<p>{escape(schema.get('description', ''))}</p>\n<dl>"
        for field, of_field in schema.get("properties", {}).items():
            yield f"<dt><code>{escape(field)}</code>: {_type(of_field)}</dt>"
            yield f"<dd>{escape(of_field.get('description', ''))}</dd>"
        yield "</dl>"


def _type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        name = escape(schema["$ref"].rpartition("/")[2])
        return f'<a href="#{name}">{name}</a>'
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " or ".join(map(_type, schema[several]))
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}" if "items" in schema else "list"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"map to {_type(schema['additionalProperties'])}"
    if "enum" in schema:
        return " or ".join(f"<code>{escape(str(value))}</code>" for value in schema["enum"])
    return escape(str(schema.get("const", schema.get("type", ""))))
