"""Which server a client calls, as whom, and where."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from tidings.rpc.keys import ClientKeys
from tidings.rpc.retry import RetryPolicy

DEFAULT_ENDPOINT = "tcp://127.0.0.1:5570"

Environment = Literal["development", "production"]


@dataclass(frozen=True)
class ClientSettings:
    """Which server a client calls, as whom, and where. Times are in seconds."""

    endpoint: str = DEFAULT_ENDPOINT
    keys: ClientKeys | None = None
    """``None``: the server is in development mode."""
    user: str = ""
    """The user that calls (development mode); empty: nobody, or whose key it is."""
    device: str = ""
    """This installation of the client: it gets no notifications of its own changes."""
    container: str = ""
    """Empty: ``default``."""
    environment: Environment = "development"
    timeout: float | None = 10.0
    """How long a unary call may take unless it says so; ``None``: without a limit."""
    connect_timeout: float = 3.0
    """How long calls wait for a connection before they fail UNAVAILABLE."""
    reconcile_interval: float = 60.0
    """How often an inbox looks at the log though nothing was pushed."""
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    """How safe calls are sent again."""
