"""Seals fields of records before they are saved, and opens those of the server."""

from __future__ import annotations

from collections.abc import MutableMapping

from google.protobuf.message import DecodeError

from tidings.encryption.default_key_ring import DefaultKeyRing
from tidings.encryption.errors import (
    EncryptionError,
    KeyRingError,
    MissingKey,
    NotEncryptable,
    NotOpened,
)
from tidings.encryption.key import EncryptionKey, FieldLocation
from tidings.encryption.key_ring import KeyRing
from tidings.identifiers import RecordID
from tidings.records import Record
from tidings.v1 import database_pb2
from tidings.v1 import record_pb2 as wire
from tidings.values import Encrypted, Value, from_wire, to_wire

_TYPES = {
    "string_value": wire.ENCRYPTED_TYPE_STRING,
    "int64_value": wire.ENCRYPTED_TYPE_INT64,
    "double_value": wire.ENCRYPTED_TYPE_DOUBLE,
    "bytes_value": wire.ENCRYPTED_TYPE_BYTES,
    "timestamp_value": wire.ENCRYPTED_TYPE_TIMESTAMP,
    "location_value": wire.ENCRYPTED_TYPE_LOCATION,
}


class FieldSealer:
    """Seals and opens the fields of the records of a database.

    A value is bound to the name and the zone of its record, so the record must have a name.
    """

    def __init__(
        self,
        key_ring: KeyRing | DefaultKeyRing,
        database_id: database_pb2.DatabaseID,
        user: str,
    ) -> None:
        """``user`` owns the private database with zones that do not name an owner."""
        self._key_ring = key_ring
        self._database_id = database_id
        self._user = user

    def seal(self, record: Record, *fields: str) -> None:
        """Seals fields of a record.

        Ignores fields that are absent, removed, or already sealed. Raises
        :class:`~tidings.encryption.errors.EncryptionError`; the record is then unchanged.
        """
        sealed = {
            name: self.seal_value(record[name], name, record.id)
            for name in fields
            if name in record
        }
        record.update(sealed)

    def open(self, record: Record) -> dict[str, EncryptionError]:
        """Opens the sealed fields of a record; returns the errors by field."""
        return self.open_fields(record, record.id)

    def open_fields(
        self, fields: MutableMapping[str, Value], record_id: RecordID
    ) -> dict[str, EncryptionError]:
        """Opens the sealed values of a record's fields, for example of a notification's."""
        failures: dict[str, EncryptionError] = {}
        for name in list(fields):
            try:
                fields[name] = self.open_value(fields[name], name, record_id)
            except EncryptionError as error:
                failures[name] = error
        return failures

    def seal_value(self, value: Value, field: str, record_id: RecordID) -> Value:
        """Seals the value of a field; null and sealed values are returned as they are."""
        if value is None or isinstance(value, Encrypted):
            return value
        message = to_wire(value)
        type_number = _TYPES.get(message.WhichOneof("value") or "")
        if type_number is None:
            raise NotEncryptable(
                f"field '{field}' cannot be encrypted: only strings, numbers, bytes, timestamps "
                "and locations can; encode the value as bytes"
            )
        location = self._location(field, record_id)
        ring = self._key_ring
        key = (ring.for_sealing() if isinstance(ring, DefaultKeyRing) else ring).sealing_key
        if key is None:
            raise EncryptionError("the key ring has no key for sealing: add one")
        return Encrypted(int(type_number), key.id, key.seal(message.SerializeToString(), location))

    def open_value(self, value: Value, field: str, record_id: RecordID) -> Value:
        """Opens the value of a field; an unsealed value is returned as it is."""
        if not isinstance(value, Encrypted):
            return value
        return from_wire(self.open_message(value, field, record_id))

    def open_message(self, value: Encrypted, field: str, record_id: RecordID) -> wire.FieldValue:
        """Opens a sealed value, as a message."""
        key = self._opening_key(value.key_id, field)
        if key is None:
            raise MissingKey(
                f"field '{field}' is sealed with the key {value.key_id.hex()}, which is not in the "
                "key ring: get the key from the user who saved the field, and add it"
            )
        data = key.open(value.sealed, self._location(field, record_id))
        message = None if data is None else _decoded(data)
        if message is None or _TYPES.get(message.WhichOneof("value") or "") != value.type:
            raise NotOpened(
                f"field '{field}' cannot be opened: it was modified, or sealed for another field, "
                "record, zone or container; save it again"
            )
        return message

    def _opening_key(self, key_id: bytes, field: str) -> EncryptionKey | None:
        if not isinstance(self._key_ring, DefaultKeyRing):
            return self._key_ring.key(key_id)
        try:
            ring = self._key_ring.current()
        except KeyRingError as error:
            raise EncryptionError(str(error)) from None
        if ring is None:
            raise MissingKey(
                f"field '{field}' is sealed, and the key ring '{self._key_ring.path}' does not "
                "exist: copy it from the device that created it, or use another"
            )
        return ring.key(key_id)

    def _location(self, field: str, record_id: RecordID) -> FieldLocation:
        if not record_id.name:
            raise EncryptionError(
                "the record has no name, and values are bound to a record: set the name before "
                "sealing"
            )
        owner = record_id.zone.owner or self._user
        if not owner:
            raise EncryptionError(
                "the owner of the private database is unknown: pass the user to the sealer"
            )
        is_production = self._database_id.environment == database_pb2.ENVIRONMENT_PRODUCTION
        return FieldLocation(
            container=self._database_id.container or "default",
            environment="production" if is_production else "development",
            zone_owner=owner,
            zone_name=record_id.zone.name,
            record_name=record_id.name,
            field=field,
        )


def _decoded(data: bytes) -> wire.FieldValue | None:
    try:
        return wire.FieldValue.FromString(data)
    except DecodeError:
        return None
