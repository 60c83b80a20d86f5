from google.protobuf import timestamp_pb2 as _timestamp_pb2
from tidings.v1 import database_pb2 as _database_pb2
from tidings.v1 import error_pb2 as _error_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class FetchRecordZonesRequest(_message.Message):
    __slots__ = ["database_id", "zone_ids"]
    DATABASE_ID_FIELD_NUMBER: _ClassVar[int]
    ZONE_IDS_FIELD_NUMBER: _ClassVar[int]
    database_id: _database_pb2.DatabaseID
    zone_ids: _containers.RepeatedCompositeFieldContainer[_database_pb2.ZoneID]
    def __init__(self, database_id: _Optional[_Union[_database_pb2.DatabaseID, _Mapping]] = ..., zone_ids: _Optional[_Iterable[_Union[_database_pb2.ZoneID, _Mapping]]] = ...) -> None: ...

class FetchRecordZonesResponse(_message.Message):
    __slots__ = ["results"]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[ZoneResult]
    def __init__(self, results: _Optional[_Iterable[_Union[ZoneResult, _Mapping]]] = ...) -> None: ...

class ModifyRecordZonesRequest(_message.Message):
    __slots__ = ["database_id", "deletion_reason", "zone_ids_to_delete", "zones_to_save"]
    DATABASE_ID_FIELD_NUMBER: _ClassVar[int]
    DELETION_REASON_FIELD_NUMBER: _ClassVar[int]
    ZONES_TO_SAVE_FIELD_NUMBER: _ClassVar[int]
    ZONE_IDS_TO_DELETE_FIELD_NUMBER: _ClassVar[int]
    database_id: _database_pb2.DatabaseID
    deletion_reason: _database_pb2.ZoneDeletionReason
    zone_ids_to_delete: _containers.RepeatedCompositeFieldContainer[_database_pb2.ZoneID]
    zones_to_save: _containers.RepeatedCompositeFieldContainer[RecordZone]
    def __init__(self, database_id: _Optional[_Union[_database_pb2.DatabaseID, _Mapping]] = ..., zones_to_save: _Optional[_Iterable[_Union[RecordZone, _Mapping]]] = ..., zone_ids_to_delete: _Optional[_Iterable[_Union[_database_pb2.ZoneID, _Mapping]]] = ..., deletion_reason: _Optional[_Union[_database_pb2.ZoneDeletionReason, str]] = ...) -> None: ...

class ModifyRecordZonesResponse(_message.Message):
    __slots__ = ["results"]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[ZoneResult]
    def __init__(self, results: _Optional[_Iterable[_Union[ZoneResult, _Mapping]]] = ...) -> None: ...

class RecordZone(_message.Message):
    __slots__ = ["capabilities", "created", "sequence_number", "zone_id"]
    CAPABILITIES_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_NUMBER_FIELD_NUMBER: _ClassVar[int]
    ZONE_ID_FIELD_NUMBER: _ClassVar[int]
    capabilities: ZoneCapabilities
    created: _timestamp_pb2.Timestamp
    sequence_number: int
    zone_id: _database_pb2.ZoneID
    def __init__(self, zone_id: _Optional[_Union[_database_pb2.ZoneID, _Mapping]] = ..., capabilities: _Optional[_Union[ZoneCapabilities, _Mapping]] = ..., created: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., sequence_number: _Optional[int] = ...) -> None: ...

class ZoneCapabilities(_message.Message):
    __slots__ = ["atomic", "fetch_changes", "sharing", "zone_wide_sharing"]
    ATOMIC_FIELD_NUMBER: _ClassVar[int]
    FETCH_CHANGES_FIELD_NUMBER: _ClassVar[int]
    SHARING_FIELD_NUMBER: _ClassVar[int]
    ZONE_WIDE_SHARING_FIELD_NUMBER: _ClassVar[int]
    atomic: bool
    fetch_changes: bool
    sharing: bool
    zone_wide_sharing: bool
    def __init__(self, fetch_changes: bool = ..., atomic: bool = ..., sharing: bool = ..., zone_wide_sharing: bool = ...) -> None: ...

class ZoneResult(_message.Message):
    __slots__ = ["deleted", "error", "zone", "zone_id"]
    DELETED_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    ZONE_FIELD_NUMBER: _ClassVar[int]
    ZONE_ID_FIELD_NUMBER: _ClassVar[int]
    deleted: bool
    error: _error_pb2.ItemError
    zone: RecordZone
    zone_id: _database_pb2.ZoneID
    def __init__(self, zone_id: _Optional[_Union[_database_pb2.ZoneID, _Mapping]] = ..., zone: _Optional[_Union[RecordZone, _Mapping]] = ..., deleted: bool = ..., error: _Optional[_Union[_error_pb2.ItemError, _Mapping]] = ...) -> None: ...
