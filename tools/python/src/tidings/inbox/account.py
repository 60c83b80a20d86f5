"""What an inbox requires of a client."""

from __future__ import annotations

from typing import Protocol

from tidings.rpc.subscriber import Subscriber
from tidings.settings import ClientSettings
from tidings.v1.database_pb2 import DatabaseID
from tidings.v1.notification_service_rpc import NotificationServiceClient


class Account(Protocol):
    """The user of an inbox, and access to the user's notifications."""

    @property
    def settings(self) -> ClientSettings:
        """The user and the container."""

    @property
    def notifications(self) -> NotificationServiceClient:
        """The log of notifications."""

    def database_id(self) -> DatabaseID:
        """The container and the environment."""

    async def connected(self, within: float | None = None) -> None:
        """Waits until there is a connection; raises ``Unavailable`` with the reason."""

    @property
    def move_count(self) -> int:
        """How often the client has moved to another endpoint."""

    def subscriber(self, endpoint: str) -> Subscriber:
        """A connection to a push endpoint."""
