# SPDX-License-Identifier: Apache-2.0
"""The tags of a card on the page's own documents."""

import logging

from sqlalchemy.engine import Connection
from sqlalchemy.exc import SQLAlchemyError
from starlette.datastructures import Headers
from starlette.types import Scope

from coalescope.db.engine import Database
from coalescope.errors import CoalescopeError
from coalescope.lru_cache import LruCache
from coalescope.previews.card import head_tags
from coalescope.previews.service import MOST_QUERY, card_for, is_of_experiment, version_for
from coalescope.settings import Settings
from coalescope.untrusted.web_addresses import is_loopback
from coalescope.web.security import previews_are_open

_LOG = logging.getLogger("coalescope")
_KEPT_HEADS = 256


def is_public(path: str, settings: Settings) -> bool:
    """Whether anybody may see the card of an address of the page, if there is one.

    Asked before anything is looked up: neither the answer nor its time says what is there.
    """
    return previews_are_open(settings) or not is_of_experiment(path)


def base_url(scope: Scope, settings: Settings) -> str | None:
    """Scheme and host of this server as others reach it, None where that is not known.

    A request's Host is believed only on loopback, where the guard has checked it.
    """
    if settings.public_url is not None:
        return settings.public_url.rstrip("/")
    host = Headers(scope=scope).get("host")
    return f"{scope['scheme']}://{host}" if host and is_loopback(settings.host) else None


class PageHead:
    """What stands in the head of the document that answers a request; "" for nothing."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings
        self._heads: LruCache[str] = LruCache(_KEPT_HEADS)

    def __call__(self, scope: Scope) -> str:
        """The tags. A page without them is better than none: failures are logged, not raised."""
        path = scope["path"]
        if not is_public(path, self._settings):
            return ""
        query = scope["query_string"][:MOST_QUERY].decode("latin-1")
        base = base_url(scope, self._settings)
        try:
            with self._database.read() as connection:
                key = (path, query, base, version_for(connection, path))
                return self._heads.get(key, lambda: self._tags(connection, path, query, base))
        except CoalescopeError:  # no such experiment: the page says so
            return ""
        except SQLAlchemyError as error:
            _LOG.warning("no preview for %r", path, exc_info=error)
            return ""

    def _tags(self, connection: Connection, path: str, query: str, base: str | None) -> str:
        card = card_for(connection, path, query)
        return "" if card is None else head_tags(card, base)
