"""The changes to a zone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

from tidings.errors import ItemError, item_errors
from tidings.feeds.reader import (
    ConnectionListener,
    call_timeout,
    late_max,
    pages,
    wait_to_wire,
)
from tidings.identifiers import RecordID
from tidings.page_limit import PageLimit
from tidings.records import Record
from tidings.rpc.errors import Internal
from tidings.rpc.status import StatusCode
from tidings.rpc.transport import Transport
from tidings.v1 import database_pb2, record_service_pb2
from tidings.v1.record_service_rpc import RecordServiceClient


@dataclass(frozen=True)
class ZoneChangesPage:
    """A page of changes to a zone, oldest change first."""

    changed: list[Record]
    """Saved records, each complete, once, and in its latest state."""
    deleted: list[tuple[RecordID, str]]
    """Deleted records, with their types."""
    change_token: bytes
    """Where the next page starts: store it together with the changes of this page."""
    more_coming: bool
    """Whether another page is available."""
    client_change_token_data: bytes
    """The newest mark that this device sent with a save which the pages cover."""

    @property
    def is_empty(self) -> bool:
        """Whether the page contains no changes."""
        return not self.changed and not self.deleted


class ZoneChanges:
    """The changes to a zone after a token: ``async for`` over pages.

    Store the token of each page together with its changes, in one transaction: a program that
    resumes at the last stored token misses nothing. A followed feed waits for new changes after the
    last page, and retries after temporary failures.

    Raises :class:`~tidings.errors.ChangeTokenExpired` (discard the cached zone and start without a
    token), ``ZoneNotFound``, ``UserDeletedZone``, and ``RPCError``.
    """

    def __init__(
        self,
        transport: Transport,
        database_id: database_pb2.DatabaseID,
        options: record_service_pb2.ZoneChangesOptions,
        pages: PageLimit,
        *,
        follow: bool = False,
        on_connection: ConnectionListener | None = None,
    ) -> None:
        self._records = RecordServiceClient(transport)
        self._database_id = database_id
        self._options = options
        self._follow = follow
        self._pages = pages
        self._on_connection = on_connection

    def __aiter__(self) -> AsyncIterator[ZoneChangesPage]:
        return pages(
            self._fetch,
            self._options.change_token,
            follow=self._follow,
            on_connection=self._on_connection,
        )

    async def _fetch(self, token: bytes, wait: float) -> ZoneChangesPage:
        options = record_service_pb2.ZoneChangesOptions()
        options.CopyFrom(self._options)
        options.change_token = token
        request = record_service_pb2.FetchRecordZoneChangesRequest(
            database_id=self._database_id, zones=[options], max_wait=wait_to_wire(wait)
        )

        async def call(limit: int) -> record_service_pb2.FetchRecordZoneChangesResponse:
            request.zones[0].limit = limit
            return await self._records.fetch_record_zone_changes(
                request, timeout=call_timeout(wait)
            )

        with item_errors():
            # A connection that is lost while the server waits says nothing about the size of pages.
            asked = options.limit
            if wait > 0:
                response = await call(self._pages.limit(asked))
            else:
                response = await self._pages.page(asked, call, late_max(follow=self._follow))
        if not response.zones:
            raise Internal(
                StatusCode.INTERNAL, "the response of the server does not contain the zone"
            )
        page = response.zones[0]
        if page.HasField("error"):
            raise ItemError.of(page.error)
        return ZoneChangesPage(
            changed=[Record.from_wire(record) for record in page.changed_records],
            deleted=[
                (RecordID.from_wire(one.record_id), one.record_type) for one in page.deleted_records
            ],
            change_token=page.change_token,
            more_coming=page.more_coming,
            client_change_token_data=page.client_change_token_data,
        )
