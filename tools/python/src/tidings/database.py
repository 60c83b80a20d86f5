"""A database: records, zones and subscriptions as Python objects."""

from __future__ import annotations

import enum
import os
import warnings
from collections.abc import AsyncIterator, Iterable, Sequence

from tidings.assets import AssetTransfer, ProgressListener
from tidings.errors import ItemError, ServerRecordChanged, item_errors
from tidings.feeds.database_changes import DatabaseChanges
from tidings.feeds.reader import ConnectionListener
from tidings.feeds.zone_changes import ZoneChanges
from tidings.identifiers import RecordID, ZoneID
from tidings.modify_result import ModifyResult, PartialFailure
from tidings.page_limit import PageLimit
from tidings.predicates import predicate
from tidings.records import Record
from tidings.rpc.transport import Transport
from tidings.v1 import database_pb2, record_service_pb2, subscription_service_pb2, zone_service_pb2
from tidings.v1.notification_pb2 import Subscription
from tidings.v1.record_service_rpc import RecordServiceClient
from tidings.v1.subscription_service_rpc import SubscriptionServiceClient
from tidings.v1.zone_service_rpc import ZoneServiceClient
from tidings.values import Asset, Value


class SavePolicy(enum.IntEnum):
    """Which change tags a save compares, and which fields it writes."""

    IF_SERVER_RECORD_UNCHANGED = 1
    """The change tag must be the stored one, and a record without one must be new."""
    CHANGED_KEYS = 2
    """No comparison; writes the fields in the request, which changed, and keeps the others."""
    ALL_KEYS = 3
    """No comparison; writes the fields in the request, all that the client has."""
    REPLACE_IF_UNCHANGED = 4
    """The tag of a record that exists must be the stored one; removes fields not in the request."""
    REPLACE = 5
    """No comparison; removes fields not in the request."""

    @classmethod
    def of(cls, policy: SavePolicy | str) -> SavePolicy:
        """Returns the policy with a name, for example ``"all_keys"`` for ``ALL_KEYS``."""
        if isinstance(policy, SavePolicy):
            return policy
        names = {member.name.lower(): member for member in cls}
        if policy in names:
            return names[policy]
        raise ValueError(f"invalid policy {policy!r}: use {', '.join(map(repr, names))}")


class Database:
    """One of the databases of a container: private, public or shared.

    Failed items raise :class:`~tidings.errors.ItemError`, failed calls
    :class:`~tidings.rpc.errors.RPCError`. Saves and deletions have an idempotency key, so they are
    retried after a lost connection and take effect once.
    """

    def __init__(self, transport: Transport, database_id: database_pb2.DatabaseID) -> None:
        self.id = database_id
        self._transport = transport
        self._records = RecordServiceClient(transport)
        self._zones = ZoneServiceClient(transport)
        self._subscriptions = SubscriptionServiceClient(transport)
        self._pages = PageLimit()

    # Records.

    async def save(
        self,
        record: Record,
        *,
        policy: SavePolicy | str = SavePolicy.IF_SERVER_RECORD_UNCHANGED,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Record:
        """Saves a record; returns the saved record, with its name and change tag.

        Raises :class:`~tidings.errors.ServerRecordChanged` if it was changed by another client.
        """
        result = await self.modify(
            save=[record], policy=policy, idempotency_key=idempotency_key, timeout=timeout
        )
        for error in result.failed.values():
            raise error
        return result.saved[0]

    async def save_all(
        self,
        records: Iterable[Record],
        *,
        policy: SavePolicy | str = SavePolicy.IF_SERVER_RECORD_UNCHANGED,
        atomic: bool | None = None,
    ) -> list[Record]:
        """Saves records in one call; raises :class:`~tidings.errors.PartialFailure`.

        ``atomic`` is that of :meth:`modify`.
        """
        result = await self.modify(save=records, policy=policy, atomic=atomic)
        if result.failed:
            raise PartialFailure(result)
        return result.saved

    async def delete(self, record: Record | RecordID | str) -> None:
        """Deletes a record; succeeds if it does not exist."""
        record_id = record.id if isinstance(record, Record) else RecordID.of(record)
        result = await self.modify(delete=[record_id])
        for error in result.failed.values():
            raise error

    async def modify(
        self,
        *,
        save: Iterable[Record] = (),
        delete: Iterable[RecordID | str] = (),
        policy: SavePolicy | str = SavePolicy.IF_SERVER_RECORD_UNCHANGED,
        atomic: bool | None = None,
        client_change_token_data: bytes = b"",
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> ModifyResult:
        """Saves and deletes records in one call.

        By default, changes to a custom zone are atomic, and items of a default zone succeed or fail
        independently; ``atomic`` overrides this for all zones. The result contains the failed
        items.
        """
        records = list(save)
        request = record_service_pb2.ModifyRecordsRequest(
            database_id=self.id,
            save_policy=int(SavePolicy.of(policy)),  # type: ignore[arg-type]  # a number is a value of the enum
            atomic=atomic,  # type: ignore[arg-type]  # None: absent
            client_change_token_data=client_change_token_data,
        )
        # Not copied from messages of their own: most of the time of a save would be spent on that.
        for record in records:
            record.put(request.records_to_save.add())
        for name in delete:
            RecordID.of(name).put(request.record_ids_to_delete.add())
        key = idempotency_key or os.urandom(16).hex()
        with item_errors():
            response = await self._records.modify_records(
                request, idempotency_key=key, timeout=timeout
            )
        return _modify_result(records, response)

    async def fetch(
        self, record_id: RecordID | str, *, desired_keys: Iterable[str] | None = None
    ) -> Record:
        """Fetches a record, with these fields or all; raises ``UnknownItem``."""
        (result,) = await self.fetch_all([record_id], desired_keys=desired_keys)
        if isinstance(result, ItemError):
            raise result
        return result

    async def fetch_all(
        self,
        record_ids: Iterable[RecordID | str],
        *,
        desired_keys: Iterable[str] | None = None,
    ) -> list[Record | ItemError]:
        """Fetches records in one call; returns an error for each that cannot be fetched."""
        request = record_service_pb2.FetchRecordsRequest(
            database_id=self.id, desired_keys=_desired_keys(desired_keys)
        )
        for name in record_ids:
            RecordID.of(name).put(request.record_ids.add())
        with item_errors():
            response = await self._records.fetch_records(request)
        return [_fetched(result) for result in response.results]

    async def query(
        self,
        record_type: str,
        where: str = "",
        *arguments: Value,
        sort: Sequence[str] = (),
        zone: ZoneID | str | None = None,
        desired_keys: Iterable[str] | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[Record]:
        """The matching records of a type; pages are fetched on demand.

        ``where`` is NSPredicate's format language, with ``%@`` for each argument: ``"price > %@",
        100``. ``sort`` lists fields, most significant first; ``-price`` is descending. Without a
        zone, all zones are searched. ``limit`` is the maximum number of records. For a type or
        field that is not in the schema, calls :func:`warnings.warn` in development, and raises
        :class:`~tidings.errors.InvalidArguments` in production.
        """
        request = record_service_pb2.QueryRecordsRequest(
            database_id=self.id,
            record_type=record_type,
            predicate=predicate(where, *arguments) if where else None,
            sort_descriptors=[_sort_descriptor(name) for name in sort],
            zone_id=None if zone is None else ZoneID.of(zone).to_wire(),
            desired_keys=_desired_keys(desired_keys),
        )
        rest = limit
        while rest is None or rest > 0:
            request.limit = rest or 0
            with item_errors():
                page = await self._records.query_records(request)
            for warning in page.warnings:
                warnings.warn(warning, stacklevel=2)
            for message in page.records:
                yield Record.from_wire(message)
            if rest is not None:
                rest -= len(page.records)
            if not page.cursor:
                return
            request.cursor = page.cursor

    # Feeds.

    def changes(
        self,
        zone: ZoneID | str | None = None,
        *,
        after: bytes = b"",
        follow: bool = False,
        desired_keys: Iterable[str] | None = None,
        record_types: Iterable[str] = (),
        page_limit: int = 0,
        on_connection: ConnectionListener | None = None,
    ) -> ZoneChanges:
        """The changes to a zone after a token, in pages: each record once, in its latest state.

        With ``follow`` the iteration does not end; ``on_connection`` is called when it makes no
        progress, with the reason, and when it does again. See
        :class:`~tidings.feeds.zone_changes.ZoneChanges`.
        """
        options = record_service_pb2.ZoneChangesOptions(
            zone_id=ZoneID.of(zone).to_wire(),
            change_token=after,
            desired_keys=_desired_keys(desired_keys),
            record_types=record_types,
            limit=page_limit,
        )
        return ZoneChanges(
            self._transport,
            self.id,
            options,
            self._pages,
            follow=follow,
            on_connection=on_connection,
        )

    def zone_changes(
        self,
        *,
        after: bytes = b"",
        follow: bool = False,
        on_connection: ConnectionListener | None = None,
    ) -> DatabaseChanges:
        """The zones that changed after a token, in pages; with arguments as :meth:`changes`."""
        return DatabaseChanges(
            self._transport,
            self.id,
            self._pages,
            after=after,
            follow=follow,
            on_connection=on_connection,
        )

    # Zones.

    async def save_zone(self, zone: ZoneID | str) -> zone_service_pb2.RecordZone:
        """Creates a zone; has no effect if it exists."""
        message = zone_service_pb2.RecordZone(zone_id=ZoneID.of(zone).to_wire())
        return await self._modify_zone(
            zone_service_pb2.ModifyRecordZonesRequest(database_id=self.id, zones_to_save=[message])
        )

    async def delete_zone(self, zone: ZoneID | str) -> None:
        """Deletes a zone with its records; raises ``ZoneNotFound``."""
        await self._modify_zone(
            zone_service_pb2.ModifyRecordZonesRequest(
                database_id=self.id, zone_ids_to_delete=[ZoneID.of(zone).to_wire()]
            )
        )

    async def zones(self) -> list[zone_service_pb2.RecordZone]:
        """All zones, sorted by name."""
        request = zone_service_pb2.FetchRecordZonesRequest(database_id=self.id)
        with item_errors():
            response = await self._zones.fetch_record_zones(request)
        return [_zone(result) for result in response.results]

    async def _modify_zone(
        self, request: zone_service_pb2.ModifyRecordZonesRequest
    ) -> zone_service_pb2.RecordZone:
        with item_errors():
            response = await self._zones.modify_record_zones(request)
        return _zone(response.results[0])

    # Subscriptions.

    async def save_subscription(self, subscription: Subscription) -> Subscription:
        """Saves a subscription (see :mod:`tidings.subscriptions`); returns the saved one."""
        request = subscription_service_pb2.ModifySubscriptionsRequest(
            database_id=self.id, subscriptions_to_save=[subscription]
        )
        with item_errors():
            response = await self._subscriptions.modify_subscriptions(request)
        return _subscription(response.results[0])

    async def delete_subscription(self, subscription_id: str) -> None:
        """Deletes a subscription; raises ``UnknownItem``."""
        request = subscription_service_pb2.ModifySubscriptionsRequest(
            database_id=self.id, subscription_ids_to_delete=[subscription_id]
        )
        with item_errors():
            response = await self._subscriptions.modify_subscriptions(request)
        _subscription(response.results[0])

    async def subscriptions(self) -> list[Subscription]:
        """All of the user's subscriptions in this database, sorted by id."""
        request = subscription_service_pb2.FetchSubscriptionsRequest(database_id=self.id)
        with item_errors():
            response = await self._subscriptions.fetch_subscriptions(request)
        return [_subscription(result) for result in response.results]

    # Assets.

    async def upload_asset(
        self,
        content: str | os.PathLike[str] | bytes,
        *,
        on_progress: ProgressListener | None = None,
    ) -> Asset:
        """Uploads a file or bytes, to be used in records of this database."""
        return await AssetTransfer(self._transport, self.id).upload(content, on_progress)

    async def download_asset(
        self,
        asset: Asset,
        path: str | os.PathLike[str],
        *,
        on_progress: ProgressListener | None = None,
    ) -> None:
        """Downloads an asset into a file, which is replaced when the download is verified."""
        await AssetTransfer(self._transport, self.id).download(asset, path, on_progress)

    async def asset_bytes(self, asset: Asset) -> bytes:
        """Downloads an asset into memory."""
        return await AssetTransfer(self._transport, self.id).download_bytes(asset)


def _desired_keys(keys: Iterable[str] | None) -> record_service_pb2.DesiredKeys | None:
    return None if keys is None else record_service_pb2.DesiredKeys(keys=keys)


def _sort_descriptor(name: str) -> record_service_pb2.SortDescriptor:
    return record_service_pb2.SortDescriptor(
        field_name=name.removeprefix("-"), descending=name.startswith("-")
    )


def _modify_result(
    records: list[Record], response: record_service_pb2.ModifyRecordsResponse
) -> ModifyResult:
    result = ModifyResult()
    for index, item in enumerate(response.results):
        match item.WhichOneof("outcome"):
            case "record":
                result.saved.append(records[index].saved(item.record))
            case "deleted":
                result.deleted.append(RecordID.from_wire(item.record_id))
            case _:
                result.failed[RecordID.from_wire(item.record_id)] = _error(item)
    result.cascaded = [RecordID.from_wire(one.record_id) for one in response.cascaded_deletions]
    return result


def _fetched(result: record_service_pb2.RecordResult) -> Record | ItemError:
    if result.WhichOneof("outcome") == "record":
        return Record.from_wire(result.record)
    return _error(result)


def _error(result: record_service_pb2.RecordResult) -> ItemError:
    error = ItemError.of(result.error)
    if isinstance(error, ServerRecordChanged):
        if result.HasField("server_record"):
            error.server_record = Record.from_wire(result.server_record)
        if result.HasField("ancestor_record"):
            error.ancestor_record = Record.from_wire(result.ancestor_record)
    return error


def _zone(result: zone_service_pb2.ZoneResult) -> zone_service_pb2.RecordZone:
    if result.WhichOneof("outcome") == "error":
        raise ItemError.of(result.error)
    return result.zone


def _subscription(result: subscription_service_pb2.SubscriptionResult) -> Subscription:
    if result.WhichOneof("outcome") == "error":
        raise ItemError.of(result.error)
    return result.subscription
