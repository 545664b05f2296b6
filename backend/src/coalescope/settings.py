# SPDX-License-Identifier: Apache-2.0
"""Settings of one instance: from the environment (prefix COALESCOPE_) or given by the caller."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from coalescope import shipped
from coalescope.untrusted.bounds import READING_MIB, READING_SECONDS
from coalescope.untrusted.web_addresses import is_server_address


def _address(text: str) -> str:
    if not is_server_address(text):
        raise ValueError("is not an address such as https://lab.example, without user and password")
    return text


class Settings(BaseSettings):
    """What an instance needs to know; every field can be set as COALESCOPE_<NAME>."""

    model_config = SettingsConfigDict(env_prefix="COALESCOPE_", extra="ignore", frozen=True)

    data_dir: Path = Field(
        default=Path("data"), description="Folder of the database and the run logs"
    )
    host: str = Field(default="127.0.0.1", description="Address to listen on")
    port: int = Field(
        default=8000, ge=0, le=65535, description="TCP port to listen on; 0 takes a free one"
    )
    workers: int = Field(
        default=1, ge=1, le=64, description="Processes that answer side by side on the one port"
    )
    token: SecretStr | None = Field(
        default=None, description="An admin token besides those of `coalescope token`"
    )
    public_read: bool = Field(
        default=False, description="Beyond loopback, reading needs no token; changing still does"
    )
    datasets_dir: Path | None = Field(
        default_factory=shipped.datasets,
        description="Published data sets to load",
    )
    page_dir: Path | None = Field(default_factory=shipped.page, description="The built page")
    documents_dir: Path | None = Field(
        default_factory=shipped.documents, description="The built site of the documents"
    )
    database_url: str | None = Field(
        default=None,
        description="postgresql://user@host/name; without it, SQLite in data_dir",
    )
    object_store_url: str | None = Field(
        default=None,
        pattern="^s3://[^/?#]+",
        description="s3://bucket/folder for uploaded files; without it, a folder in data_dir",
    )
    public_url: Annotated[str, AfterValidator(_address)] | None = Field(
        default=None,
        pattern="^https?://[^/?#]+/?$",
        description="How others reach this server, such as https://lab.example; in links",
    )
    public_previews: bool = Field(
        default=False,
        description="Show titles and pictures of experiments in previews of links, token or not",
    )
    dask_scheduler: str | None = Field(
        default=None,
        pattern="^(tcp|tls)://",
        description="tcp://host:8786 of a Dask scheduler that computes large bootstraps",
    )
    jobs_at_once: int = Field(
        default=1, ge=1, description="Jobs that run at a time, over all servers of one store"
    )
    read_only: bool = Field(
        default=False, description="Serve what is there; refuse every change with 503"
    )
    max_upload_bytes: int = Field(default=2**28, ge=1, description="Largest accepted upload, bytes")
    costly_per_minute: int = Field(
        default=240,
        ge=1,
        description="Fits, comparisons, exports and the like per client address, beyond loopback",
    )
    links_per_minute: int = Field(
        default=60, ge=1, description="Short links that one token may make, beyond loopback"
    )
    uploads_per_minute: int = Field(
        default=1200,
        ge=1,
        description="Uploads, and what sweeps say of their progress, of one token, beyond loopback",
    )
    fits_at_once: int = Field(
        default=4,
        ge=1,
        description="Fits, and evaluations of users' models, that are computed at once; some more "
        "wait, others are answered 503",
    )
    user_model_seconds: float = Field(
        default=30.0, gt=0, description="Longest that a fit of a user's model may take, seconds"
    )
    user_model_mib: int = Field(
        default=512, ge=1, description="Most memory that a fit of a user's model may take, MiB"
    )
    reading_seconds: float = Field(
        default=READING_SECONDS,
        gt=0,
        description="CPU time that reading an upload that is no log may take, seconds",
    )
    reading_mib: int = Field(
        default=READING_MIB,
        ge=1,
        description="Most memory that reading an upload may take, its program included, MiB",
    )
    trace_endpoint: Annotated[str, AfterValidator(_address)] | None = Field(
        default=None,
        pattern="^https?://",
        description="http://host:4318/v1/traces of a collector for OpenTelemetry's spans",
    )
    log_format: Literal["text", "json"] = Field(
        default="text",
        description="json: requests, changes and refusals too, an object a line on stderr",
    )
