"""The ways to an endpoint: addresses of IPv4 and of IPv6."""

from __future__ import annotations

import socket
from dataclasses import dataclass


@dataclass(frozen=True)
class Route:
    """One way to an endpoint: the family of addresses that its name is resolved to.

    libzmq connects to one address of a name, so a name is two routes, of which the second one is
    tried when the first one fails. Where a name has no address of IPv6, libzmq takes that of IPv4
    for the second one, too.
    """

    endpoint: str
    uses_ipv6: bool
    has_name: bool
    """The host is not an address."""


def routes(endpoint: str) -> tuple[Route, ...]:
    """Returns the ways to an endpoint, in the order in which they are tried."""
    host = _host(endpoint)
    if host is None or host.startswith("[") or _is_ipv4(host):
        return (Route(endpoint, uses_ipv6=host is not None and host[0] == "[", has_name=False),)
    return tuple(Route(endpoint, uses_ipv6=ipv6, has_name=True) for ipv6 in (False, True))


def is_local(endpoint: str) -> bool:
    """Whether only this machine can be reached there."""
    host = _host(endpoint)
    if host is None:
        return True
    return host in ("localhost", "[::1]") or (host.startswith("127.") and _is_ipv4(host))


def _host(endpoint: str) -> str | None:
    """The host of a TCP endpoint, without the address of this machine before a semicolon."""
    if not endpoint.startswith("tcp://"):
        return None
    host, _, _ = endpoint.removeprefix("tcp://").rpartition(":")
    return host.rpartition(";")[2] or None


def _is_ipv4(host: str) -> bool:
    try:
        socket.inet_pton(socket.AF_INET, host)
    except OSError:
        return False
    return True
