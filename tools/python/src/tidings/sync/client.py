"""A blocking client of a Tidings server: see :class:`tidings.client.Client`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import TracebackType

from tidings import client
from tidings.encryption.key_ring import KeyRing
from tidings.encryption.sealer import FieldSealer
from tidings.identifiers import Scope
from tidings.inbox.inbox import InboxOptions
from tidings.inbox.position import InboxPosition
from tidings.rpc.keys import ClientKeys
from tidings.rpc.retry import RetryPolicy
from tidings.rpc.v1.health_rpc import HealthServiceSyncClient
from tidings.rpc.v1.reflection_rpc import ReflectionServiceSyncClient
from tidings.rpc.v1.server_rpc import ServerServiceSyncClient
from tidings.settings import DEFAULT_ENDPOINT, ClientSettings, Environment
from tidings.sync.database import Database
from tidings.sync.inbox import Inbox
from tidings.sync.loop import LoopThread
from tidings.sync.transport import LoopTransport
from tidings.v1 import database_pb2
from tidings.v1.account_service_rpc import AccountServiceSyncClient
from tidings.v1.admin_service_rpc import AdminServiceSyncClient
from tidings.v1.asset_service_rpc import AssetServiceSyncClient
from tidings.v1.delivery_service_rpc import DeliveryServiceSyncClient
from tidings.v1.gateway_service_rpc import GatewayServiceSyncClient
from tidings.v1.notification_service_rpc import NotificationServiceSyncClient
from tidings.v1.record_service_rpc import RecordServiceSyncClient
from tidings.v1.schema_service_rpc import SchemaServiceSyncClient
from tidings.v1.share_service_rpc import ShareServiceSyncClient
from tidings.v1.subscription_service_rpc import SubscriptionServiceSyncClient
from tidings.v1.zone_service_rpc import ZoneServiceSyncClient


class Client:
    """The blocking equivalent of :class:`tidings.client.Client`."""

    def __init__(
        self,
        endpoint: str | Sequence[str] = DEFAULT_ENDPOINT,
        *,
        key_file: str | os.PathLike[str] | None = None,
        server_key: str | os.PathLike[str] | None = None,
        keys: ClientKeys | None = None,
        user: str = "",
        device: str = "",
        container: str = "",
        environment: Environment = "development",
        timeout: float | None = 10.0,
        connect_timeout: float = 10.0,
        reconcile_interval: float = 60.0,
        retry: RetryPolicy | None = None,
    ) -> None:
        """Creates an unconnected client; see :class:`tidings.client.Client` for the parameters."""
        self._awaited = client.Client(
            endpoint,
            key_file=key_file,
            server_key=server_key,
            keys=keys,
            user=user,
            device=device,
            container=container,
            environment=environment,
            timeout=timeout,
            connect_timeout=connect_timeout,
            reconcile_interval=reconcile_interval,
            retry=retry,
        )
        self._thread: LoopThread | None = None

    def __enter__(self) -> Client:
        self.connect()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def settings(self) -> ClientSettings:
        """The settings of the client."""
        return self._awaited.settings

    def connect(self) -> None:
        """Starts connecting; ``with`` calls this."""
        if self._thread is not None:
            raise RuntimeError("the client is already connected")
        thread = LoopThread()
        try:
            thread.call(self._awaited.connect)
        except BaseException:
            thread.close()
            raise
        self._thread = thread

    def connected(self, within: float | None = None) -> None:
        """Waits until there is a connection; see :meth:`tidings.client.Client.connected`."""
        self._loop.run(self._awaited.connected(within))

    def close(self) -> None:
        """Fails running calls with CANCELLED, and closes the connection."""
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.run(self._awaited.aclose())
            thread.close()

    @property
    def _loop(self) -> LoopThread:
        if self._thread is None:
            raise RuntimeError("the client is not connected: use it inside 'with'")
        return self._thread

    @property
    def transport(self) -> LoopTransport:
        """The transport, for stubs that are not listed here."""
        return LoopTransport(self._loop, self._awaited.transport)

    # Services.

    @property
    def records(self) -> RecordServiceSyncClient:
        """Records: save, fetch, delete, query, follow."""
        return RecordServiceSyncClient(self.transport)

    @property
    def zones(self) -> ZoneServiceSyncClient:
        """Zones: create, fetch, delete."""
        return ZoneServiceSyncClient(self.transport)

    @property
    def subscriptions(self) -> SubscriptionServiceSyncClient:
        """Subscriptions: save, fetch, delete, explain."""
        return SubscriptionServiceSyncClient(self.transport)

    @property
    def notifications(self) -> NotificationServiceSyncClient:
        """The log of notifications."""
        return NotificationServiceSyncClient(self.transport)

    @property
    def asset_calls(self) -> AssetServiceSyncClient:
        """Assets of records, in chunks."""
        return AssetServiceSyncClient(self.transport)

    @property
    def schemas(self) -> SchemaServiceSyncClient:
        """Schemas: fetch, apply, deploy."""
        return SchemaServiceSyncClient(self.transport)

    @property
    def shares(self) -> ShareServiceSyncClient:
        """Shares: look up, accept, list."""
        return ShareServiceSyncClient(self.transport)

    @property
    def accounts(self) -> AccountServiceSyncClient:
        """The user's account."""
        return AccountServiceSyncClient(self.transport)

    @property
    def gateways(self) -> GatewayServiceSyncClient:
        """What a gateway calls for callers on the web."""
        return GatewayServiceSyncClient(self.transport)

    @property
    def deliveries(self) -> DeliveryServiceSyncClient:
        """Delivery targets, and what senders call."""
        return DeliveryServiceSyncClient(self.transport)

    @property
    def administration(self) -> AdminServiceSyncClient:
        """Users, keys, roles and grants."""
        return AdminServiceSyncClient(self.transport)

    @property
    def health(self) -> HealthServiceSyncClient:
        """Health checks."""
        return HealthServiceSyncClient(self.transport)

    @property
    def server(self) -> ServerServiceSyncClient:
        """The server's version and limits."""
        return ServerServiceSyncClient(self.transport)

    @property
    def reflection(self) -> ReflectionServiceSyncClient:
        """Reflection: services and messages."""
        return ReflectionServiceSyncClient(self.transport)

    # The main API.

    def database(self, scope: Scope = "private") -> Database:
        """One of the three databases of the client's container."""
        return Database(self._loop, self._awaited.database(scope))

    def database_id(self, scope: Scope = "private") -> database_pb2.DatabaseID:
        """The ID of a database of the client's container, for the stubs."""
        return self._awaited.database_id(scope)

    def inbox(
        self,
        position: str | os.PathLike[str] | InboxPosition | None = None,
        options: InboxOptions | None = None,
    ) -> Inbox:
        """The user's notifications, redelivered until they are committed."""
        awaited = self._loop.call(lambda: self._awaited.inbox(position, options))
        return Inbox(self._loop, awaited)

    def field_sealer(
        self, key_ring: KeyRing | str | os.PathLike[str] | None = None, scope: Scope = "private"
    ) -> FieldSealer:
        """Seals and opens fields of this client's records."""
        return self._loop.run(self._awaited.field_sealer(key_ring, scope))
