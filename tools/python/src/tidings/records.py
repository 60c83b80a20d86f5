"""Records as Python objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from datetime import datetime

from tidings.identifiers import RecordID, ZoneID
from tidings.v1 import record_pb2 as wire
from tidings.values import Value, fields_from_wire, put, time_of


class ModificationInfo:
    """When, by whom and from which device a record was written."""

    def __init__(self, message: wire.ModificationInfo) -> None:
        self.user = message.user_record_name
        self.device = message.device_id
        """Empty if the call did not specify one."""
        # Not the message, which would keep the whole response in memory.
        timestamp = message.timestamp
        self._seconds, self._nanoseconds = timestamp.seconds, timestamp.nanos

    @property
    def time(self) -> datetime:
        """By the server's clock, in UTC."""
        # Made when it is asked for: that takes as long as to read two fields, and few programs ask.
        return time_of(self._seconds, self._nanoseconds)

    def __repr__(self) -> str:
        return f"ModificationInfo({self.time.isoformat()}, {self.user!r}, {self.device!r})"


class Record(MutableMapping[str, Value]):
    """A record: a mapping from the names of its fields to their values.

    ``record["price"] = None`` removes the field when the record is saved. The save
    does not change absent fields. ``record.parent = None`` removes the parent that the record had
    when it was fetched or saved.
    """

    def __init__(
        self,
        type: str,
        name: str = "",
        fields: Mapping[str, Value] | None = None,
        *,
        zone: ZoneID | str | None = None,
        parent: RecordID | str | None = None,
    ) -> None:
        """Creates an unsaved record.

        Without a name, the server assigns a random one. ``parent`` is a record in the same zone.
        """
        self.type = type
        self.id = RecordID(name, ZoneID.of(zone))
        self.fields: dict[str, Value] = dict(fields or {})
        self.parent = RecordID(parent, self.id.zone) if isinstance(parent, str) else parent
        self._had_parent = False
        self.change_tag = ""
        """Changes with every save; empty if the record was not saved yet."""
        self.created: ModificationInfo | None = None
        self.modified: ModificationInfo | None = None
        self.share: wire.Share | None = None
        """For records of the type ``cloudkit.share``."""
        self.share_record_name = ""
        """For a record that is shared with its descendants: the name of the share."""

    @property
    def name(self) -> str:
        """The name within its zone."""
        return self.id.name

    @property
    def zone(self) -> ZoneID:
        """The zone of the record."""
        return self.id.zone

    def __getitem__(self, field: str) -> Value:
        return self.fields[field]

    def __setitem__(self, field: str, value: Value) -> None:
        self.fields[field] = value

    def __delitem__(self, field: str) -> None:
        del self.fields[field]

    def __iter__(self) -> Iterator[str]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    # Records have identity: two records with the same fields are not equal.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"Record({self.type!r}, {self.name!r}, {self.fields!r}, zone={self.zone.name!r})"

    def to_wire(self) -> wire.Record:
        """Encodes the record for a save. Raises the errors of :func:`tidings.values.to_wire`."""
        message = wire.Record()
        self.put(message)
        return message

    def put(self, message: wire.Record) -> None:
        """Encodes the record into an empty message, as :meth:`to_wire` does."""
        self.id.put(message.record_id)
        message.record_type = self.type
        fields = message.fields
        for name, value in self.fields.items():
            put(value, fields[name])
        message.change_tag = self.change_tag
        if self.parent is not None:
            self.parent.put(message.parent.record_id)
            message.parent.action = wire.REFERENCE_ACTION_NONE
        elif self._had_parent:
            # A parent without a name is removed.
            RecordID("").put(message.parent.record_id)
        if self.share is not None:
            message.share.CopyFrom(self.share)

    @classmethod
    def from_wire(cls, message: wire.Record) -> Record:
        """Decodes a record."""
        record = cls(message.record_type)
        record._take_system_fields(message)
        record.fields = fields_from_wire(message.fields)
        return record

    def saved(self, message: wire.Record) -> Record:
        """The record after a save, with the system fields that the server returned."""
        record = Record(message.record_type)
        record._take_system_fields(message)
        record.fields = {name: value for name, value in self.fields.items() if value is not None}
        return record

    def _take_system_fields(self, message: wire.Record) -> None:
        self.id = RecordID.from_wire(message.record_id)
        self.change_tag = message.change_tag
        self.created = ModificationInfo(message.created) if message.HasField("created") else None
        self.modified = ModificationInfo(message.modified) if message.HasField("modified") else None
        if message.HasField("parent") and message.parent.record_id.record_name:
            self.parent = RecordID.from_wire(message.parent.record_id)
        self._had_parent = self.parent is not None
        self.share = message.share if message.HasField("share") else None
        self.share_record_name = message.share_record_name
