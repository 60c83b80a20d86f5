"""IDs of zones and records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tidings.v1 import database_pb2 as wire

Scope = Literal["public", "private", "shared"]
"""Names a database of a container."""

SCOPES: dict[Scope, wire.DatabaseScope] = {
    "public": wire.DATABASE_SCOPE_PUBLIC,
    "private": wire.DATABASE_SCOPE_PRIVATE,
    "shared": wire.DATABASE_SCOPE_SHARED,
}

DEFAULT_ZONE_NAME = "_defaultZone"


@dataclass(frozen=True)
class ZoneID:
    """The ID of a zone within a database."""

    name: str = DEFAULT_ZONE_NAME
    """1 to 255 bytes of printable ASCII, not starting with ``_``, except for the default zone."""
    owner: str = ""
    """The owner of the zone, in the shared database."""

    def to_wire(self) -> wire.ZoneID:
        """Encodes the ID."""
        return wire.ZoneID(zone_name=self.name, owner_name=self.owner)

    def put(self, message: wire.ZoneID) -> None:
        """Encodes the ID into an empty message."""
        message.zone_name = self.name
        if self.owner:
            message.owner_name = self.owner

    @classmethod
    def from_wire(cls, message: wire.ZoneID) -> ZoneID:
        """Decodes the ID of a zone; an empty one is the default zone."""
        name, owner = message.zone_name, message.owner_name
        if not owner and name in ("", DEFAULT_ZONE_NAME):
            return DEFAULT_ZONE
        return cls(name or DEFAULT_ZONE_NAME, owner)

    @classmethod
    def of(cls, zone: ZoneID | str | None) -> ZoneID:
        """The zone with a name; ``None``: the default zone."""
        if zone is None:
            return DEFAULT_ZONE
        return cls(zone) if isinstance(zone, str) else zone


DEFAULT_ZONE = ZoneID()
"""The zone of records whose zone is not named."""


@dataclass(frozen=True)
class RecordID:
    """The ID of a record within a database."""

    name: str
    """1 to 255 bytes of printable ASCII, not starting with ``_``."""
    zone: ZoneID = DEFAULT_ZONE

    def to_wire(self) -> wire.RecordID:
        """Encodes the ID."""
        message = wire.RecordID()
        self.put(message)
        return message

    def put(self, message: wire.RecordID) -> None:
        """Encodes the ID into an empty message."""
        message.record_name = self.name
        self.zone.put(message.zone_id)

    @classmethod
    def from_wire(cls, message: wire.RecordID) -> RecordID:
        """Decodes the ID of a record."""
        return cls(message.record_name, ZoneID.from_wire(message.zone_id))

    @classmethod
    def of(cls, record: RecordID | str) -> RecordID:
        """The record with a name in the default zone."""
        return cls(record) if isinstance(record, str) else record
