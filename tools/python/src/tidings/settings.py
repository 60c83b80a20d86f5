"""Settings of a client: server, user, container."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from tidings.rpc.keys import ClientKeys
from tidings.rpc.retry import RetryPolicy

DEFAULT_ENDPOINT = "tcp://127.0.0.1:5570"

Environment = Literal["development", "production"]


@dataclass(frozen=True)
class ClientSettings:
    """Settings of a client: server, user, container. Times are in seconds."""

    endpoints: tuple[str, ...] = (DEFAULT_ENDPOINT,)
    """The server's endpoint, or those of several nodes that serve one database: the first that
    connects is used until it is lost or drains, then the next one is tried."""
    keys: ClientKeys | None = None
    """``None``: the server is in development mode."""
    user: str = ""
    """The user (development mode); empty: none, or the user of the key."""
    device: str = ""
    """The device, which is not notified of its own changes."""
    container: str = ""
    """Empty: ``default``."""
    environment: Environment = "development"
    timeout: float | None = 10.0
    """Default timeout of unary calls; ``None``: no timeout."""
    connect_timeout: float = 10.0
    """How long calls wait for a connection, to any endpoint, before they fail UNAVAILABLE."""
    reconcile_interval: float = 60.0
    """How often an inbox reads the log without a push."""
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    """How safe calls are retried."""
    trace_parent: Callable[[], str | None] | None = None
    """The ``traceparent`` (W3C Trace Context) of the span that a call is part of, asked for with
    each call; the server continues its trace."""
