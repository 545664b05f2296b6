# SPDX-License-Identifier: Apache-2.0
"""What goes in and out of the endpoints for links."""

from pydantic import BaseModel, ConfigDict, Field

_EXAMPLE_PATH = "/explorer/geist-2005-nfs?measure=throughput_mbps"


class LinkIn(BaseModel):
    """The view to link to."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"example": {"path": _EXAMPLE_PATH}}
    )

    path: str = Field(description="Path, query and fragment of an address of the page")


class LinkOut(BaseModel):
    """A token and the address it stands for."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "token": "7kQpX2mZ9a",
                "path": _EXAMPLE_PATH,
                "url": "http://127.0.0.1:8000/l/7kQpX2mZ9a",
            }
        }
    )

    token: str = Field(description="Depends on the address alone: the same view, the same token")
    path: str = Field(description="The address in its canonical spelling")
    url: str = Field(description="The short link, to be sent to somebody")
