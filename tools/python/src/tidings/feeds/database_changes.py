"""The zones of a database that changed."""

from __future__ import annotations

import enum
from collections.abc import AsyncIterator
from dataclasses import dataclass

from tidings.errors import item_errors
from tidings.feeds.reader import (
    ConnectionListener,
    call_timeout,
    late_max,
    pages,
    wait_to_wire,
)
from tidings.identifiers import ZoneID
from tidings.page_limit import PageLimit
from tidings.rpc.transport import Transport
from tidings.v1 import database_pb2
from tidings.v1.record_service_pb2 import (
    FetchDatabaseChangesRequest,
    FetchDatabaseChangesResponse,
)
from tidings.v1.record_service_rpc import RecordServiceClient


class ZoneDeletion(enum.IntEnum):
    """Why a zone was deleted."""

    DELETED = 1
    """A client deleted it."""
    PURGED = 2
    """The user deleted the application's data: ask before creating the zone again."""
    ENCRYPTED_DATA_RESET = 3
    """The user reset encrypted data: create the zone again and save the cached records."""

    @classmethod
    def _missing_(cls, value: object) -> ZoneDeletion:
        return cls.DELETED


@dataclass(frozen=True)
class DatabaseChangesPage:
    """A page of zones that changed."""

    changed: list[ZoneID]
    """Zones that were created or changed, or whose records changed."""
    deleted: list[tuple[ZoneID, ZoneDeletion]]
    """Zones that were deleted, and why."""
    change_token: bytes
    """Where the next page starts."""
    more_coming: bool
    """Whether another page is available."""

    @property
    def is_empty(self) -> bool:
        """Whether the page contains no changes."""
        return not self.changed and not self.deleted


class DatabaseChanges:
    """The zones that changed after a token: ``async for`` over pages.

    Raises the errors of :class:`~tidings.feeds.zone_changes.ZoneChanges`.
    """

    def __init__(
        self,
        transport: Transport,
        database_id: database_pb2.DatabaseID,
        pages: PageLimit,
        *,
        after: bytes = b"",
        follow: bool = False,
        on_connection: ConnectionListener | None = None,
    ) -> None:
        self._records = RecordServiceClient(transport)
        self._database_id = database_id
        self._after = after
        self._follow = follow
        self._pages = pages
        self._on_connection = on_connection

    def __aiter__(self) -> AsyncIterator[DatabaseChangesPage]:
        return pages(
            self._fetch, self._after, follow=self._follow, on_connection=self._on_connection
        )

    async def _fetch(self, token: bytes, wait: float) -> DatabaseChangesPage:
        request = FetchDatabaseChangesRequest(
            database_id=self._database_id, change_token=token, max_wait=wait_to_wire(wait)
        )

        async def call(limit: int) -> FetchDatabaseChangesResponse:
            request.limit = limit
            return await self._records.fetch_database_changes(request, timeout=call_timeout(wait))

        with item_errors():
            # A connection that is lost while the server waits says nothing about the size of pages.
            if wait > 0:
                page = await call(self._pages.limit(0))
            else:
                page = await self._pages.page(0, call, late_max(follow=self._follow))
        return DatabaseChangesPage(
            changed=[ZoneID.from_wire(zone) for zone in page.changed_zone_ids],
            deleted=[
                (ZoneID.from_wire(one.zone_id), ZoneDeletion(int(one.reason)))
                for one in page.deleted_zones
            ],
            change_token=page.change_token,
            more_coming=page.more_coming,
        )
