"""A blocking database API: see :class:`tidings.database.Database`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from tidings import database
from tidings.assets import ProgressListener
from tidings.database import SavePolicy
from tidings.errors import ItemError
from tidings.feeds.database_changes import DatabaseChangesPage
from tidings.feeds.reader import ConnectionListener
from tidings.feeds.zone_changes import ZoneChangesPage
from tidings.identifiers import RecordID, ZoneID
from tidings.modify_result import ModifyResult
from tidings.records import Record
from tidings.sync.iteration import SyncIterator
from tidings.sync.loop import LoopThread
from tidings.v1.notification_pb2 import Subscription
from tidings.v1.zone_service_pb2 import RecordZone
from tidings.values import Asset, Value


class Database:
    """The blocking equivalent of :class:`tidings.database.Database`."""

    def __init__(self, loop: LoopThread, awaited: database.Database) -> None:
        self._loop = loop
        self._awaited = awaited
        self.id = awaited.id

    # Records.

    def save(
        self,
        record: Record,
        *,
        policy: SavePolicy = SavePolicy.IF_SERVER_RECORD_UNCHANGED,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Record:
        """Saves a record; returns the saved record."""
        return self._loop.run(
            self._awaited.save(
                record, policy=policy, idempotency_key=idempotency_key, timeout=timeout
            )
        )

    def save_all(
        self,
        records: Iterable[Record],
        *,
        policy: SavePolicy = SavePolicy.IF_SERVER_RECORD_UNCHANGED,
        atomic: bool = True,
    ) -> list[Record]:
        """Saves records in one call; raises ``PartialFailure``."""
        return self._loop.run(self._awaited.save_all(records, policy=policy, atomic=atomic))

    def delete(self, record: Record | RecordID | str) -> None:
        """Deletes a record."""
        self._loop.run(self._awaited.delete(record))

    def modify(
        self,
        *,
        save: Iterable[Record] = (),
        delete: Iterable[RecordID | str] = (),
        policy: SavePolicy = SavePolicy.IF_SERVER_RECORD_UNCHANGED,
        atomic: bool = True,
        client_change_token_data: bytes = b"",
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> ModifyResult:
        """Saves and deletes records in one call."""
        return self._loop.run(
            self._awaited.modify(
                save=save,
                delete=delete,
                policy=policy,
                atomic=atomic,
                client_change_token_data=client_change_token_data,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )

    def fetch(
        self, record_id: RecordID | str, *, desired_keys: Iterable[str] | None = None
    ) -> Record:
        """Fetches a record; raises ``UnknownItem``."""
        return self._loop.run(self._awaited.fetch(record_id, desired_keys=desired_keys))

    def fetch_all(
        self,
        record_ids: Iterable[RecordID | str],
        *,
        desired_keys: Iterable[str] | None = None,
    ) -> list[Record | ItemError]:
        """Fetches records in one call."""
        return self._loop.run(self._awaited.fetch_all(record_ids, desired_keys=desired_keys))

    def query(
        self,
        record_type: str,
        where: str = "",
        *arguments: Value,
        sort: Sequence[str] = (),
        zone: ZoneID | str | None = None,
        desired_keys: Iterable[str] | None = None,
        limit: int | None = None,
    ) -> SyncIterator[Record]:
        """The matching records of a type; pages are fetched on demand."""
        found = self._awaited.query(
            record_type,
            where,
            *arguments,
            sort=sort,
            zone=zone,
            desired_keys=desired_keys,
            limit=limit,
        )
        return SyncIterator(self._loop, found)

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
    ) -> SyncIterator[ZoneChangesPage]:
        """The changes to a zone after a token, in pages.

        ``on_connection`` is called on another thread.
        """
        feed = self._awaited.changes(
            zone,
            after=after,
            follow=follow,
            desired_keys=desired_keys,
            record_types=record_types,
            page_limit=page_limit,
            on_connection=on_connection,
        )
        return SyncIterator(self._loop, aiter(feed))

    def zone_changes(
        self, *, after: bytes = b"", follow: bool = False
    ) -> SyncIterator[DatabaseChangesPage]:
        """The zones that changed after a token, in pages."""
        return SyncIterator(
            self._loop, aiter(self._awaited.zone_changes(after=after, follow=follow))
        )

    # Zones.

    def save_zone(self, zone: ZoneID | str) -> RecordZone:
        """Creates a zone; has no effect if it exists."""
        return self._loop.run(self._awaited.save_zone(zone))

    def delete_zone(self, zone: ZoneID | str) -> None:
        """Deletes a zone with its records; raises ``ZoneNotFound``."""
        self._loop.run(self._awaited.delete_zone(zone))

    def zones(self) -> list[RecordZone]:
        """All zones, sorted by name."""
        return self._loop.run(self._awaited.zones())

    # Subscriptions.

    def save_subscription(self, subscription: Subscription) -> Subscription:
        """Saves a subscription; returns the saved subscription."""
        return self._loop.run(self._awaited.save_subscription(subscription))

    def delete_subscription(self, subscription_id: str) -> None:
        """Deletes a subscription; raises ``UnknownItem``."""
        self._loop.run(self._awaited.delete_subscription(subscription_id))

    def subscriptions(self) -> list[Subscription]:
        """All of the user's subscriptions in this database."""
        return self._loop.run(self._awaited.subscriptions())

    # Assets.

    def upload_asset(
        self,
        content: str | os.PathLike[str] | bytes,
        *,
        on_progress: ProgressListener | None = None,
    ) -> Asset:
        """Uploads a file or bytes; ``on_progress`` is called on the client's thread."""
        return self._loop.run(self._awaited.upload_asset(content, on_progress=on_progress))

    def download_asset(
        self,
        asset: Asset,
        path: str | os.PathLike[str],
        *,
        on_progress: ProgressListener | None = None,
    ) -> None:
        """Downloads an asset into a file; ``on_progress`` is called on the client's thread."""
        self._loop.run(self._awaited.download_asset(asset, path, on_progress=on_progress))

    def asset_bytes(self, asset: Asset) -> bytes:
        """Downloads an asset into memory."""
        return self._loop.run(self._awaited.asset_bytes(asset))
