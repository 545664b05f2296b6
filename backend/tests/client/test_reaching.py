# SPDX-License-Identifier: Apache-2.0
"""Only a server of https is asked for a certificate that an authority signed."""

import ssl

import httpx
import pytest
from coalescope.client.reaching import reaching


@pytest.fixture
def authorities(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """How often the certificates of authorities were loaded."""
    loaded: list[str] = []
    create = ssl.create_default_context

    def counted(*given: object, **named: object) -> ssl.SSLContext:
        loaded.append("once")
        return create(*given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(ssl, "create_default_context", counted)
    return loaded


@pytest.mark.parametrize(("address", "times"), [("http://host", 0), ("https://host", 1)])
def test_authorities_are_loaded_where_they_are_asked(
    authorities: list[str], address: str, times: int
) -> None:
    httpx.Client(base_url=address, **reaching(address)).close()
    assert len(authorities) == times


def test_without_authorities_no_certificate_is_trusted() -> None:
    context = reaching("http://host")["verify"]
    assert isinstance(context, ssl.SSLContext)
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname
    assert context.get_ca_certs() == []


@pytest.mark.parametrize(
    ("address", "by_proxy"),
    [("http://127.0.0.1:8000", False), ("http://[::1]/", False), ("https://lab.example", True)],
)
def test_this_machine_is_reached_past_a_proxy(address: str, by_proxy: bool) -> None:
    assert reaching(address)["trust_env"] is by_proxy
