"""Values of fields in Python and in protobuf.

=====================  ====================================================
Python                 ``tidings.v1.FieldValue``
=====================  ====================================================
``None``               null: a save removes the field
``str``                STRING
``int``                INT64; there are no booleans: save 1 or 0
``float``              DOUBLE
``bytes``              BYTES
aware ``datetime``     TIMESTAMP; :class:`PreciseTime` has nanoseconds
:class:`Location`      LOCATION
:class:`Reference`     REFERENCE
:class:`Asset`         ASSET
a list of one of them  the list of that type; an empty one has no type
:class:`Encrypted`     a value that only clients with the key can read
=====================  ====================================================

The type of a field is fixed by its first save: write ``3.0`` where a number may have a fraction.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from tidings.identifiers import RecordID
from tidings.v1 import record_pb2 as wire


class PreciseTime(datetime):
    """A time with nanoseconds; ``datetime`` has microseconds.

    Fetched times with a fraction of a microsecond are of this class, so saving them again does not
    change them. Comparison and arithmetic are those of ``datetime`` and ignore the nanoseconds.
    """

    nanosecond: int = 0
    """Nanoseconds after the microsecond, 0 to 999."""

    @classmethod
    def of(cls, time: datetime, nanosecond: int) -> PreciseTime:
        """A time and the nanoseconds after its microsecond, 0 to 999."""
        if not 0 <= nanosecond < 1_000:
            raise ValueError(f"invalid nanosecond {nanosecond}: expected 0 to 999")
        precise = cls(
            time.year,
            time.month,
            time.day,
            time.hour,
            time.minute,
            time.second,
            time.microsecond,
            tzinfo=time.tzinfo,
            fold=time.fold,
        )
        precise.nanosecond = nanosecond
        return precise


@dataclass(frozen=True)
class Location:
    """A location on Earth. ``None`` means unknown."""

    latitude: float
    """Degrees north, -90 to 90."""
    longitude: float
    """Degrees east, -180 to 180."""
    altitude: float | None = None
    """Metres above sea level."""
    horizontal_accuracy: float | None = None
    """Metres; negative if the coordinates are invalid."""
    vertical_accuracy: float | None = None
    """Metres; negative if the altitude is invalid."""
    speed: float | None = None
    """Metres per second."""
    course: float | None = None
    """Degrees from north, clockwise."""
    timestamp: datetime | None = None
    """When the location was measured."""


class ReferenceAction(enum.IntEnum):
    """What happens to a record when the target of its reference is deleted."""

    NONE = 1
    """Nothing; the reference is dangling."""
    DELETE_SELF = 2
    """The record is deleted in the same transaction."""
    VALIDATE = 3
    """The target must exist when the record is saved, and cannot be deleted before the record."""


@dataclass(frozen=True)
class Reference:
    """A reference to another record."""

    record_id: RecordID
    action: ReferenceAction = ReferenceAction.NONE


@dataclass(frozen=True)
class Asset:
    """A file that belongs to a record, identified by its content. See :mod:`tidings.assets`."""

    checksum: bytes
    """SHA-256 of the content, 32 bytes."""
    size: int
    """Bytes."""


@dataclass(frozen=True)
class Encrypted:
    """A sealed value. See :mod:`tidings.encryption`."""

    type: int
    """``tidings.v1.EncryptedType`` of the encrypted value."""
    key_id: bytes
    """The ID of the key, 8 bytes."""
    sealed: bytes = field(repr=False)


Scalar = str | int | float | bytes | datetime | Location | Reference | Asset
Value = Scalar | Encrypted | Sequence[Scalar] | None


def to_wire(value: Value) -> wire.FieldValue:
    """Encodes a value.

    Raises :class:`TypeError` for unsupported types and lists of several types, and
    :class:`ValueError` for a time without a time zone or an integer of more than 64 bits.
    """
    if value is None:
        return wire.FieldValue()
    if isinstance(value, Encrypted):
        sealed = wire.EncryptedValue(
            type=value.type,  # type: ignore[arg-type]  # a number is a value of the enum
            key_id=value.key_id,
            sealed=value.sealed,
        )
        return wire.FieldValue(encrypted_value=sealed)
    name, encode = _scalar(value)
    if name:
        return wire.FieldValue(**{name + "_value": encode(value)})
    if not isinstance(value, Sequence):
        raise TypeError(f"unsupported type {type(value).__name__} of a field's value")
    return _list_to_wire(value)


def put(value: Value, message: wire.FieldValue) -> None:
    """Encodes a value into an empty message, as :func:`to_wire` does.

    To set a member takes an eighth of the time of making a message and copying it.
    """
    kind = type(value)
    if kind is str:
        message.string_value = value  # type: ignore[assignment]  # a str
    elif kind is int:
        message.int64_value = _int_to_wire(value)  # type: ignore[arg-type]  # an int
    elif kind is float:
        message.double_value = value  # type: ignore[assignment]  # a float
    else:
        message.CopyFrom(to_wire(value))


def fields_from_wire(fields: Mapping[str, wire.FieldValue]) -> dict[str, Value]:
    """Decodes the fields of a record."""
    values: dict[str, Value] = {}
    # Not items(), which is a generator in Python.
    for name in fields:
        message = fields[name]
        kind = message.WhichOneof("value")
        values[name] = getattr(message, kind) if kind in _PLAIN else from_wire(message)
    return values


def from_wire(message: wire.FieldValue) -> Value:
    """Decodes a value; returns ``None`` for a type that this version does not know."""
    kind = message.WhichOneof("value")
    if kind is None:
        return None
    content = getattr(message, kind)
    if kind in _PLAIN:
        return content  # type: ignore[no-any-return]  # a str, an int, a float or bytes
    if kind == "encrypted_value":
        return Encrypted(int(content.type), content.key_id, content.sealed)
    if kind == "unknown_list_value":
        return []
    name = kind.removesuffix("_value")
    if name.endswith("_list"):
        decode = _DECODERS[name.removesuffix("_list")]
        return [decode(member) for member in content.values]
    return _DECODERS[name](content)


def _list_to_wire(members: Sequence[Scalar]) -> wire.FieldValue:
    if not members:
        return wire.FieldValue(unknown_list_value=wire.UnknownList())
    name, encode = _scalar(members[0])
    if not name or any(_scalar(member)[0] != name for member in members):
        types = ", ".join(sorted({type(member).__name__ for member in members}))
        raise TypeError(f"the values of a list must have the same type, not {types}")
    values: Iterable[Any] = [encode(member) for member in members]
    content = _LISTS[name](values=values)
    return wire.FieldValue(**{name + "_list_value": content})


def _scalar(value: object) -> tuple[str, Callable[[Any], Any]]:
    """The protobuf field of a value and its encoder; an empty name for an unsupported type."""
    if isinstance(value, bool):
        # A bool is an int in Python, and would be decoded as one.
        raise TypeError(f"a field cannot be a boolean: use {int(value)} (INT64) for {value}")
    for kind, name, encode in _ENCODERS:
        if isinstance(value, kind):
            return name, encode
    return "", lambda value: value


def timestamp_to_wire(time: datetime) -> Timestamp:
    """Encodes a time; raises :class:`ValueError` without a zone, and outside years 1 to 9999."""
    if time.tzinfo is None:
        raise ValueError(
            "the time has no time zone: use an aware datetime, such as datetime.now(timezone.utc)"
        )
    try:
        utc = time.astimezone(timezone.utc)
    except OverflowError:
        raise ValueError(
            f"the time {time.isoformat()} is outside 0001-01-01 to 9999-12-31 in UTC"
        ) from None
    message = Timestamp()
    message.FromDatetime(utc.replace(tzinfo=None))
    if isinstance(time, PreciseTime):
        message.nanos += time.nanosecond
    return message


def timestamp_from_wire(message: Timestamp) -> datetime:
    """Decodes a time, in UTC; a :class:`PreciseTime` if it has a fraction of a microsecond."""
    # Not ToDatetime, which takes longer than all else of a record.
    return time_of(message.seconds, message.nanos)


def time_of(seconds: int, nanoseconds: int) -> datetime:
    """A time since 1970, in UTC; a :class:`PreciseTime` if it has a fraction of a microsecond."""
    microseconds, rest = divmod(nanoseconds, 1_000)
    time = _EPOCH + timedelta(seconds=seconds, microseconds=microseconds)
    return PreciseTime.of(time, rest) if rest else time


def _int_to_wire(value: int) -> int:
    if not -(2**63) <= value < 2**63:
        raise ValueError(f"{value} does not fit into 64 bits")
    return int(value)


def _location_to_wire(location: Location) -> wire.Location:
    parts = {
        name: part for name in _LOCATION_PARTS if (part := getattr(location, name)) is not None
    }
    time = None if location.timestamp is None else timestamp_to_wire(location.timestamp)
    return wire.Location(
        latitude=location.latitude, longitude=location.longitude, timestamp=time, **parts
    )


def _location_from_wire(message: wire.Location) -> Location:
    parts = {name: getattr(message, name) for name in _LOCATION_PARTS if message.HasField(name)}
    time = timestamp_from_wire(message.timestamp) if message.HasField("timestamp") else None
    return Location(message.latitude, message.longitude, timestamp=time, **parts)


def reference_to_wire(reference: Reference) -> wire.Reference:
    """Encodes a reference."""
    return wire.Reference(
        record_id=reference.record_id.to_wire(),
        action=int(reference.action),  # type: ignore[arg-type]  # a number is a value of the enum
    )


def reference_from_wire(message: wire.Reference) -> Reference:
    """Decodes a reference; an action that this version does not know is treated as none."""
    number = int(message.action)
    known = number in ReferenceAction._value2member_map_
    action = ReferenceAction(number) if known else ReferenceAction.NONE
    return Reference(RecordID.from_wire(message.record_id), action)


def asset_to_wire(asset: Asset) -> wire.Asset:
    """Encodes an asset."""
    return wire.Asset(checksum=asset.checksum, size=asset.size)


def _asset_from_wire(message: wire.Asset) -> Asset:
    return Asset(message.checksum, message.size)


def _same(value: Any) -> Any:
    return value


_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)

_PLAIN = frozenset({"string_value", "int64_value", "double_value", "bytes_value"})

_LOCATION_PARTS = ("altitude", "horizontal_accuracy", "vertical_accuracy", "speed", "course")

_ENCODERS: list[tuple[type, str, Callable[[Any], Any]]] = [
    (str, "string", _same),
    (int, "int64", _int_to_wire),
    (float, "double", _same),
    (bytes, "bytes", _same),
    (datetime, "timestamp", timestamp_to_wire),
    (Location, "location", _location_to_wire),
    (Reference, "reference", reference_to_wire),
    (Asset, "asset", asset_to_wire),
]

_DECODERS: dict[str, Callable[[Any], Scalar]] = {
    "string": _same,
    "int64": _same,
    "double": _same,
    "bytes": _same,
    "timestamp": timestamp_from_wire,
    "location": _location_from_wire,
    "reference": reference_from_wire,
    "asset": _asset_from_wire,
}

_LISTS: dict[str, Callable[..., Any]] = {
    "string": wire.StringList,
    "int64": wire.Int64List,
    "double": wire.DoubleList,
    "bytes": wire.BytesList,
    "timestamp": wire.TimestampList,
    "location": wire.LocationList,
    "reference": wire.ReferenceList,
    "asset": wire.AssetList,
}
