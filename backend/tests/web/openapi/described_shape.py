# SPDX-License-Identifier: Apache-2.0
"""Schemathesis' own hooks: what it is told besides schemathesis.toml."""

import schemathesis


@schemathesis.check
def described_shape_is_taken(
    ctx: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case
) -> None:
    """What the document allows is never refused as `invalid_request`, for its shape alone.

    Stands beside positive_data_acceptance, which cannot tell that from a 422 for what a question
    says about what is stored.
    """
    refused = response.status_code == 422 and b'"invalid_request"' in response.content
    meta = case.meta
    assert not (refused and meta is not None and meta.generation.mode.is_positive), (
        "The document allows it, and its shape is refused."
    )
