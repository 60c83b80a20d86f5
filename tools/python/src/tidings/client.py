"""A client of a Tidings server."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from types import TracebackType

from tidings.database import Database
from tidings.encryption.default_key_ring import DefaultKeyRing
from tidings.encryption.key_ring import KeyRing
from tidings.encryption.sealer import FieldSealer
from tidings.feeds.reader import ConnectionListener
from tidings.identifiers import SCOPES, Scope
from tidings.inbox.inbox import Inbox, InboxOptions
from tidings.inbox.position import InboxPosition
from tidings.inbox.stream import NotificationStream
from tidings.rpc.connection import Connection, ConnectionSettings
from tidings.rpc.context import Context, end_context, end_context_later, make_context
from tidings.rpc.keys import ClientKeys, KeyPair, is_key, read_public_key
from tidings.rpc.retry import RetryPolicy
from tidings.rpc.subscriber import Subscriber
from tidings.rpc.v1.health_rpc import HealthServiceClient
from tidings.rpc.v1.reflection_rpc import ReflectionServiceClient
from tidings.rpc.v1.server_rpc import ServerServiceClient
from tidings.rpc.weak import WeakCallback
from tidings.settings import DEFAULT_ENDPOINT, ClientSettings, Environment
from tidings.v1 import database_pb2
from tidings.v1.account_service_pb2 import FetchUserRecordIDRequest
from tidings.v1.account_service_rpc import AccountServiceClient
from tidings.v1.admin_service_rpc import AdminServiceClient
from tidings.v1.asset_service_rpc import AssetServiceClient
from tidings.v1.delivery_service_rpc import DeliveryServiceClient
from tidings.v1.gateway_service_rpc import GatewayServiceClient
from tidings.v1.notification_service_rpc import NotificationServiceClient
from tidings.v1.record_service_rpc import RecordServiceClient
from tidings.v1.schema_service_rpc import SchemaServiceClient
from tidings.v1.share_service_rpc import ShareServiceClient
from tidings.v1.subscription_service_rpc import SubscriptionServiceClient
from tidings.v1.zone_service_rpc import ZoneServiceClient

_ENVIRONMENTS = {
    "development": database_pb2.ENVIRONMENT_DEVELOPMENT,
    "production": database_pb2.ENVIRONMENT_PRODUCTION,
}


class Client:
    """A client of a Tidings server: typed stubs for all services, databases, and a reliable inbox.

    ::

        async with tidings.Client("tcp://127.0.0.1:5570", user="ada") as client:
            await client.database("private").save(tidings.Record("Notes", "n1", {"text": "Hello"}))

    A client belongs to the event loop that runs when ``async with`` starts, and can be shared by
    all of its tasks. It connects as soon as possible, and reconnects whenever the connection is
    lost, to the next endpoint if there are several.
    """

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
        trace_parent: Callable[[], str | None] | None = None,
    ) -> None:
        """Creates an unconnected client. :class:`ClientSettings` describes the parameters.

        ``endpoint`` is the server's endpoint, or a list of those of several nodes that serve one
        database: the first that connects is used until it is lost or drains, then the next one is
        tried.

        ``key_file`` is a file of ``rpcctl keys generate`` with both keys, ``server_key`` the
        server's public key in Z85 or a file with it; ``keys`` sets both. Without keys, the server
        must be in development mode.

        Raises :class:`~tidings.rpc.keys.KeyFileError`, and :class:`ValueError` if only one of
        ``key_file`` and ``server_key`` is set.
        """
        self.settings = ClientSettings(
            endpoints=(endpoint,) if isinstance(endpoint, str) else tuple(endpoint),
            keys=keys or _read_keys(key_file, server_key),
            user=user,
            device=device,
            container=container,
            environment=environment,
            timeout=timeout,
            connect_timeout=connect_timeout,
            reconcile_interval=reconcile_interval,
            retry=retry or RetryPolicy(),
            trace_parent=trace_parent,
        )
        self._context: Context | None = None
        self._connection: Connection | None = None
        self._subscribers: set[Subscriber] = set()
        self._move_count = 0

    async def __aenter__(self) -> Client:
        self.connect()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    def connect(self) -> None:
        """Starts connecting on the running loop; ``async with`` calls this.

        If the server is unreachable, the calls fail. Raises
        :class:`~tidings.rpc.errors.InvalidArgument` for a malformed endpoint, and
        :class:`OSError` if the process has too few file descriptors left.
        """
        if self._connection is not None:
            raise RuntimeError("the client is already connected")
        metadata = {"tidings-user": self.settings.user, "tidings-device": self.settings.device}
        settings = ConnectionSettings(
            endpoints=self.settings.endpoints,
            keys=self.settings.keys,
            metadata={key: value for key, value in metadata.items() if value},
            connect_timeout=self.settings.connect_timeout,
            timeout=self.settings.timeout,
            retry=self.settings.retry,
            trace_parent=self.settings.trace_parent,
            on_move=WeakCallback(self._moved),
        )
        context = make_context()
        try:
            self._connection = Connection(settings, context)
        except BaseException:
            end_context_later(context)
            raise
        self._context = context

    async def connected(self, within: float | None = None) -> None:
        """Waits until there is a connection, so that the time of the next call is its own.

        ``within``: how many seconds; ``None``: as long as calls wait for one. Raises
        ``Unavailable`` with the reason why there is none, and ``Unauthenticated`` if the key is not
        admitted.
        """
        await self.transport.connected(within)

    async def aclose(self) -> None:
        """Fails running calls with CANCELLED, and closes the connection.

        Returns when queued messages have been sent, after one second at most.
        """
        connection, context = self._connection, self._context
        if connection is None or context is None:
            return
        connection.close()
        self._connection = self._context = None
        for subscriber in self._subscribers:
            subscriber.close()
        self._subscribers.clear()
        await asyncio.to_thread(end_context, context)

    @property
    def transport(self) -> Connection:
        """The transport, for stubs that are not listed here.

        Raises :class:`RuntimeError` outside ``async with``.
        """
        if self._connection is None:
            raise _not_connected()
        return self._connection

    # Services.

    @property
    def records(self) -> RecordServiceClient:
        """Records: save, fetch, delete, query, follow. See also :meth:`database`."""
        return RecordServiceClient(self.transport)

    @property
    def zones(self) -> ZoneServiceClient:
        """Zones: create, fetch, delete."""
        return ZoneServiceClient(self.transport)

    @property
    def subscriptions(self) -> SubscriptionServiceClient:
        """Subscriptions: save, fetch, delete, explain."""
        return SubscriptionServiceClient(self.transport)

    @property
    def notifications(self) -> NotificationServiceClient:
        """The log of notifications. See also :meth:`inbox`."""
        return NotificationServiceClient(self.transport)

    @property
    def asset_calls(self) -> AssetServiceClient:
        """Assets of records, in chunks."""
        return AssetServiceClient(self.transport)

    @property
    def schemas(self) -> SchemaServiceClient:
        """Schemas: fetch, apply, deploy."""
        return SchemaServiceClient(self.transport)

    @property
    def shares(self) -> ShareServiceClient:
        """Shares: look up, accept, list."""
        return ShareServiceClient(self.transport)

    @property
    def accounts(self) -> AccountServiceClient:
        """The user's account."""
        return AccountServiceClient(self.transport)

    @property
    def gateways(self) -> GatewayServiceClient:
        """What a gateway calls for callers on the web."""
        return GatewayServiceClient(self.transport)

    @property
    def deliveries(self) -> DeliveryServiceClient:
        """Delivery targets, and what senders call."""
        return DeliveryServiceClient(self.transport)

    @property
    def administration(self) -> AdminServiceClient:
        """Users, keys and roles, and the operation of the server."""
        return AdminServiceClient(self.transport)

    @property
    def health(self) -> HealthServiceClient:
        """Health checks."""
        return HealthServiceClient(self.transport)

    @property
    def server(self) -> ServerServiceClient:
        """The server's version and limits."""
        return ServerServiceClient(self.transport)

    @property
    def reflection(self) -> ReflectionServiceClient:
        """Reflection: services and messages."""
        return ReflectionServiceClient(self.transport)

    # The main API.

    def database(self, scope: Scope = "private") -> Database:
        """One of the three databases of the client's container."""
        return Database(self.transport, self.database_id(scope))

    def database_id(self, scope: Scope = "private") -> database_pb2.DatabaseID:
        """The ID of a database of the client's container, for the stubs."""
        return database_pb2.DatabaseID(
            container=self.settings.container,
            environment=_ENVIRONMENTS[self.settings.environment],
            scope=SCOPES[scope],
        )

    def inbox(
        self,
        position: str | os.PathLike[str] | InboxPosition | None = None,
        options: InboxOptions | None = None,
    ) -> Inbox:
        """The user's notifications, redelivered until they are committed.

        ``position`` is the path of the position file (its folder must exist; ``PATH.lock`` is
        locked), or a position, for a program that stores
        :attr:`~tidings.inbox.inbox.InboxNotification.position` itself; ``None`` starts at the
        oldest retained notification.

        Raises :class:`~tidings.inbox.errors.InboxError`.
        """
        return Inbox(self, position, options or InboxOptions())

    def notification_stream(
        self, after: bytes = b"", on_connection: ConnectionListener | None = None
    ) -> NotificationStream:
        """The user's notifications: those in the log after a token, then new ones."""
        return NotificationStream(self, after=after, on_connection=on_connection)

    async def field_sealer(
        self, key_ring: KeyRing | str | os.PathLike[str] | None = None, scope: Scope = "private"
    ) -> FieldSealer:
        """Seals and opens fields of this client's records.

        ``key_ring`` is a key ring or its file, by default the one in the user's data folder
        (:class:`~tidings.encryption.default_key_ring.DefaultKeyRing`), which is created when the
        first value is sealed. If the client does not specify the user, it is requested from the
        server. Raises :class:`~tidings.encryption.errors.KeyRingError` and ``RPCError``.
        """
        ring: KeyRing | DefaultKeyRing
        if key_ring is None:
            ring = DefaultKeyRing()
        else:
            ring = key_ring if isinstance(key_ring, KeyRing) else KeyRing.read(key_ring)
        user = self.settings.user
        if not user:
            request = FetchUserRecordIDRequest(container=self.settings.container)
            user = (await self.accounts.fetch_user_record_id(request)).user_record_name
        return FieldSealer(ring, self.database_id(scope), user)

    @property
    def move_count(self) -> int:
        """How often the client has moved to another endpoint.

        Each time its subscribers get a :class:`~tidings.rpc.subscriber.Tick`: the node may publish
        at another endpoint.
        """
        return self._move_count

    def subscriber(self, endpoint: str) -> Subscriber:
        """A connection to a push endpoint, for programs with their own notification handling."""
        if self._context is None:
            raise _not_connected()
        subscriber = Subscriber(
            endpoint,
            self.settings.keys,
            self._context,
            tick=self.settings.reconcile_interval,
            is_one_of_several=len(self.settings.endpoints) > 1,
        )
        self._subscribers = {other for other in self._subscribers if not other.is_closed}
        self._subscribers.add(subscriber)
        return subscriber

    def _moved(self) -> None:
        """Another node is called than before, which may publish at another endpoint."""
        self._move_count += 1
        for subscriber in list(self._subscribers):
            subscriber.tick()


def _not_connected() -> RuntimeError:
    return RuntimeError("the client is not connected: use it inside 'async with'")


def _read_keys(
    key_file: str | os.PathLike[str] | None, server_key: str | os.PathLike[str] | None
) -> ClientKeys | None:
    if key_file is None and server_key is None:
        return None
    if key_file is None or server_key is None:
        raise ValueError("key_file and server_key must be set together")
    if not (isinstance(server_key, str) and is_key(server_key)):
        server_key = read_public_key(server_key)
    return ClientKeys(KeyPair.read(key_file), server_key)
