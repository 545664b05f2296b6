# SPDX-License-Identifier: Apache-2.0
"""What holds for the query of every address under /api."""

from fastapi import Request

from coalescope.errors import CoalescopeError


async def reject_repeated_parameters(request: Request) -> None:
    """Dependency: no parameter twice, of which one would be taken and the other not.

    Levels of a factor add up where an address takes them: they are not among its own parameters.
    Errors: 422 naming it.
    """
    route = request.scope["route"]
    own = {parameter.alias for parameter in route.dependant.query_params}
    takes_levels = bool((route.openapi_extra or {}).get("parameters"))
    seen: set[str] = set()
    for name, _ in request.query_params.multi_items():
        if name in seen and not (takes_levels and name not in own):
            raise CoalescopeError(
                "repeated_parameter",
                f"{name[:200]!r} is given more than once.",
                where={"in": "query", "field": name[:200]},
                advice="Give each parameter once.",
            )
        seen.add(name)
