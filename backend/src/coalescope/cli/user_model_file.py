# SPDX-License-Identifier: Apache-2.0
"""A user's model in a file."""

from pathlib import Path

from coalescope_models.catalogue import Model
from pydantic import ValidationError

from coalescope.client.source import ModelGiven
from coalescope.errors import CoalescopeError, Problem, refused
from coalescope.predictions.service import get_model
from coalescope.untrusted.json_texts import parsed
from coalescope.user_models.schemas import UserModelIn
from coalescope.user_models.service import read_user_model

_MOST_BYTES = 2**20


def model_of(typed: str) -> tuple[Model, dict[str, str]]:
    """The model of an id or in a file, and what inputs of a user's model come from.

    Errors: CoalescopeError for a model that is not there, or a file that holds none.
    """
    if not is_file(typed):
        return get_model(typed), {}
    document = read_document(Path(typed))
    return read_user_model(document), document.sources()


def asked_model(typed: str) -> ModelGiven:
    """A model as it is asked about: its id, or the document in a file; errors as `model_of`."""
    return read_document(Path(typed)).model_dump(mode="json") if is_file(typed) else typed


def is_file(typed: str) -> bool:
    """Whether a file is meant: ids have no dot and no folder."""
    return "." in typed or len(Path(typed).parts) > 1


def read_document(path: Path) -> UserModelIn:
    """The document in a file. Errors: CoalescopeError for what is none, OSError."""
    with path.open("rb") as file:
        content = file.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise _no_model(path, f"is larger than {_MOST_BYTES} bytes")
    try:
        data = parsed(content)
    except ValueError:
        raise _no_model(path, "is not JSON") from None
    try:
        return UserModelIn.model_validate(data)
    except ValidationError as error:
        raise refused(
            [
                Problem(
                    code="user_model_refused",
                    message=f"{path}: {'.'.join(map(str, fault['loc']))}: {fault['msg']}",
                    where={},
                    advice="`coalescope trace` writes such a file.",
                )
                for fault in error.errors()[:20]
            ]
        ) from None


def _no_model(path: Path, reason: str) -> CoalescopeError:
    return CoalescopeError(
        "user_model_refused", f"{path} {reason}.", advice="`coalescope trace` writes such a file."
    )
