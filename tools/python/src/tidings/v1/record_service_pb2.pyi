from google.protobuf import duration_pb2 as _duration_pb2
from tidings.v1 import database_pb2 as _database_pb2
from tidings.v1 import error_pb2 as _error_pb2
from tidings.v1 import predicate_pb2 as _predicate_pb2
from tidings.v1 import record_pb2 as _record_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
SAVE_POLICY_ALL_KEYS: SavePolicy
SAVE_POLICY_CHANGED_KEYS: SavePolicy
SAVE_POLICY_IF_SERVER_RECORD_UNCHANGED: SavePolicy
SAVE_POLICY_REPLACE: SavePolicy
SAVE_POLICY_REPLACE_IF_UNCHANGED: SavePolicy
SAVE_POLICY_UNSPECIFIED: SavePolicy

class CascadedDeletion(_message.Message):
    __slots__ = ["record_id", "record_type", "target_id"]
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    RECORD_TYPE_FIELD_NUMBER: _ClassVar[int]
    TARGET_ID_FIELD_NUMBER: _ClassVar[int]
    record_id: _database_pb2.RecordID
    record_type: str
    target_id: _database_pb2.RecordID
    def __init__(self, record_id: _Optional[_Union[_database_pb2.RecordID, _Mapping]] = ..., record_type: _Optional[str] = ..., target_id: _Optional[_Union[_database_pb2.RecordID, _Mapping]] = ...) -> None: ...

class DeletedRecord(_message.Message):
    __slots__ = ["record_id", "record_type"]
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    RECORD_TYPE_FIELD_NUMBER: _ClassVar[int]
    record_id: _database_pb2.RecordID
    record_type: str
    def __init__(self, record_id: _Optional[_Union[_database_pb2.RecordID, _Mapping]] = ..., record_type: _Optional[str] = ...) -> None: ...

class DeletedZone(_message.Message):
    __slots__ = ["reason", "zone_id"]
    REASON_FIELD_NUMBER: _ClassVar[int]
    ZONE_ID_FIELD_NUMBER: _ClassVar[int]
    reason: _database_pb2.ZoneDeletionReason
    zone_id: _database_pb2.ZoneID
    def __init__(self, zone_id: _Optional[_Union[_database_pb2.ZoneID, _Mapping]] = ..., reason: _Optional[_Union[_database_pb2.ZoneDeletionReason, str]] = ...) -> None: ...

class DesiredKeys(_message.Message):
    __slots__ = ["keys"]
    KEYS_FIELD_NUMBER: _ClassVar[int]
    keys: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, keys: _Optional[_Iterable[str]] = ...) -> None: ...

class ExplainQueryRequest(_message.Message):
    __slots__ = ["query"]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    query: QueryRecordsRequest
    def __init__(self, query: _Optional[_Union[QueryRecordsRequest, _Mapping]] = ...) -> None: ...

class ExplainQueryResponse(_message.Message):
    __slots__ = ["advice", "entries_visited", "index_field", "predicate", "records_matched", "records_visited", "sorted_by_index", "steps", "warnings"]
    ADVICE_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_VISITED_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_FIELD_NUMBER: _ClassVar[int]
    PREDICATE_FIELD_NUMBER: _ClassVar[int]
    RECORDS_MATCHED_FIELD_NUMBER: _ClassVar[int]
    RECORDS_VISITED_FIELD_NUMBER: _ClassVar[int]
    SORTED_BY_INDEX_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    advice: str
    entries_visited: int
    index_field: str
    predicate: str
    records_matched: int
    records_visited: int
    sorted_by_index: bool
    steps: _containers.RepeatedScalarFieldContainer[str]
    warnings: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, steps: _Optional[_Iterable[str]] = ..., predicate: _Optional[str] = ..., index_field: _Optional[str] = ..., sorted_by_index: bool = ..., entries_visited: _Optional[int] = ..., records_visited: _Optional[int] = ..., records_matched: _Optional[int] = ..., advice: _Optional[str] = ..., warnings: _Optional[_Iterable[str]] = ...) -> None: ...

class FetchDatabaseChangesRequest(_message.Message):
    __slots__ = ["change_token", "database_id", "limit", "max_wait"]
    CHANGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    DATABASE_ID_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    MAX_WAIT_FIELD_NUMBER: _ClassVar[int]
    change_token: bytes
    database_id: _database_pb2.DatabaseID
    limit: int
    max_wait: _duration_pb2.Duration
    def __init__(self, database_id: _Optional[_Union[_database_pb2.DatabaseID, _Mapping]] = ..., change_token: _Optional[bytes] = ..., limit: _Optional[int] = ..., max_wait: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class FetchDatabaseChangesResponse(_message.Message):
    __slots__ = ["change_token", "changed_zone_ids", "deleted_zones", "more_coming"]
    CHANGED_ZONE_IDS_FIELD_NUMBER: _ClassVar[int]
    CHANGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    DELETED_ZONES_FIELD_NUMBER: _ClassVar[int]
    MORE_COMING_FIELD_NUMBER: _ClassVar[int]
    change_token: bytes
    changed_zone_ids: _containers.RepeatedCompositeFieldContainer[_database_pb2.ZoneID]
    deleted_zones: _containers.RepeatedCompositeFieldContainer[DeletedZone]
    more_coming: bool
    def __init__(self, changed_zone_ids: _Optional[_Iterable[_Union[_database_pb2.ZoneID, _Mapping]]] = ..., deleted_zones: _Optional[_Iterable[_Union[DeletedZone, _Mapping]]] = ..., change_token: _Optional[bytes] = ..., more_coming: bool = ...) -> None: ...

class FetchRecordZoneChangesRequest(_message.Message):
    __slots__ = ["database_id", "limit", "max_wait", "zones"]
    DATABASE_ID_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    MAX_WAIT_FIELD_NUMBER: _ClassVar[int]
    ZONES_FIELD_NUMBER: _ClassVar[int]
    database_id: _database_pb2.DatabaseID
    limit: int
    max_wait: _duration_pb2.Duration
    zones: _containers.RepeatedCompositeFieldContainer[ZoneChangesOptions]
    def __init__(self, database_id: _Optional[_Union[_database_pb2.DatabaseID, _Mapping]] = ..., zones: _Optional[_Iterable[_Union[ZoneChangesOptions, _Mapping]]] = ..., limit: _Optional[int] = ..., max_wait: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class FetchRecordZoneChangesResponse(_message.Message):
    __slots__ = ["zones"]
    ZONES_FIELD_NUMBER: _ClassVar[int]
    zones: _containers.RepeatedCompositeFieldContainer[ZoneChanges]
    def __init__(self, zones: _Optional[_Iterable[_Union[ZoneChanges, _Mapping]]] = ...) -> None: ...

class FetchRecordsRequest(_message.Message):
    __slots__ = ["database_id", "desired_keys", "record_ids"]
    DATABASE_ID_FIELD_NUMBER: _ClassVar[int]
    DESIRED_KEYS_FIELD_NUMBER: _ClassVar[int]
    RECORD_IDS_FIELD_NUMBER: _ClassVar[int]
    database_id: _database_pb2.DatabaseID
    desired_keys: DesiredKeys
    record_ids: _containers.RepeatedCompositeFieldContainer[_database_pb2.RecordID]
    def __init__(self, database_id: _Optional[_Union[_database_pb2.DatabaseID, _Mapping]] = ..., record_ids: _Optional[_Iterable[_Union[_database_pb2.RecordID, _Mapping]]] = ..., desired_keys: _Optional[_Union[DesiredKeys, _Mapping]] = ...) -> None: ...

class FetchRecordsResponse(_message.Message):
    __slots__ = ["results"]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[RecordResult]
    def __init__(self, results: _Optional[_Iterable[_Union[RecordResult, _Mapping]]] = ...) -> None: ...

class ModifyRecordsRequest(_message.Message):
    __slots__ = ["atomic", "client_change_token_data", "database_id", "dry_run", "expected_change_tags", "record_ids_to_delete", "records_to_save", "save_policies", "save_policy"]
    ATOMIC_FIELD_NUMBER: _ClassVar[int]
    CLIENT_CHANGE_TOKEN_DATA_FIELD_NUMBER: _ClassVar[int]
    DATABASE_ID_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_CHANGE_TAGS_FIELD_NUMBER: _ClassVar[int]
    RECORDS_TO_SAVE_FIELD_NUMBER: _ClassVar[int]
    RECORD_IDS_TO_DELETE_FIELD_NUMBER: _ClassVar[int]
    SAVE_POLICIES_FIELD_NUMBER: _ClassVar[int]
    SAVE_POLICY_FIELD_NUMBER: _ClassVar[int]
    atomic: bool
    client_change_token_data: bytes
    database_id: _database_pb2.DatabaseID
    dry_run: bool
    expected_change_tags: _containers.RepeatedScalarFieldContainer[str]
    record_ids_to_delete: _containers.RepeatedCompositeFieldContainer[_database_pb2.RecordID]
    records_to_save: _containers.RepeatedCompositeFieldContainer[_record_pb2.Record]
    save_policies: _containers.RepeatedScalarFieldContainer[SavePolicy]
    save_policy: SavePolicy
    def __init__(self, database_id: _Optional[_Union[_database_pb2.DatabaseID, _Mapping]] = ..., records_to_save: _Optional[_Iterable[_Union[_record_pb2.Record, _Mapping]]] = ..., record_ids_to_delete: _Optional[_Iterable[_Union[_database_pb2.RecordID, _Mapping]]] = ..., save_policy: _Optional[_Union[SavePolicy, str]] = ..., atomic: bool = ..., dry_run: bool = ..., client_change_token_data: _Optional[bytes] = ..., save_policies: _Optional[_Iterable[_Union[SavePolicy, str]]] = ..., expected_change_tags: _Optional[_Iterable[str]] = ...) -> None: ...

class ModifyRecordsResponse(_message.Message):
    __slots__ = ["cascaded_deletions", "results"]
    CASCADED_DELETIONS_FIELD_NUMBER: _ClassVar[int]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    cascaded_deletions: _containers.RepeatedCompositeFieldContainer[CascadedDeletion]
    results: _containers.RepeatedCompositeFieldContainer[RecordResult]
    def __init__(self, results: _Optional[_Iterable[_Union[RecordResult, _Mapping]]] = ..., cascaded_deletions: _Optional[_Iterable[_Union[CascadedDeletion, _Mapping]]] = ...) -> None: ...

class QueryRecordsRequest(_message.Message):
    __slots__ = ["cursor", "database_id", "desired_keys", "limit", "predicate", "record_type", "sort_descriptors", "zone_id"]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    DATABASE_ID_FIELD_NUMBER: _ClassVar[int]
    DESIRED_KEYS_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    PREDICATE_FIELD_NUMBER: _ClassVar[int]
    RECORD_TYPE_FIELD_NUMBER: _ClassVar[int]
    SORT_DESCRIPTORS_FIELD_NUMBER: _ClassVar[int]
    ZONE_ID_FIELD_NUMBER: _ClassVar[int]
    cursor: bytes
    database_id: _database_pb2.DatabaseID
    desired_keys: DesiredKeys
    limit: int
    predicate: _predicate_pb2.Predicate
    record_type: str
    sort_descriptors: _containers.RepeatedCompositeFieldContainer[SortDescriptor]
    zone_id: _database_pb2.ZoneID
    def __init__(self, database_id: _Optional[_Union[_database_pb2.DatabaseID, _Mapping]] = ..., record_type: _Optional[str] = ..., predicate: _Optional[_Union[_predicate_pb2.Predicate, _Mapping]] = ..., sort_descriptors: _Optional[_Iterable[_Union[SortDescriptor, _Mapping]]] = ..., zone_id: _Optional[_Union[_database_pb2.ZoneID, _Mapping]] = ..., desired_keys: _Optional[_Union[DesiredKeys, _Mapping]] = ..., limit: _Optional[int] = ..., cursor: _Optional[bytes] = ...) -> None: ...

class QueryRecordsResponse(_message.Message):
    __slots__ = ["cursor", "records", "warnings"]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    cursor: bytes
    records: _containers.RepeatedCompositeFieldContainer[_record_pb2.Record]
    warnings: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, records: _Optional[_Iterable[_Union[_record_pb2.Record, _Mapping]]] = ..., cursor: _Optional[bytes] = ..., warnings: _Optional[_Iterable[str]] = ...) -> None: ...

class RecordResult(_message.Message):
    __slots__ = ["ancestor_record", "deleted", "error", "record", "record_id", "server_record"]
    ANCESTOR_RECORD_FIELD_NUMBER: _ClassVar[int]
    DELETED_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    SERVER_RECORD_FIELD_NUMBER: _ClassVar[int]
    ancestor_record: _record_pb2.Record
    deleted: bool
    error: _error_pb2.ItemError
    record: _record_pb2.Record
    record_id: _database_pb2.RecordID
    server_record: _record_pb2.Record
    def __init__(self, record_id: _Optional[_Union[_database_pb2.RecordID, _Mapping]] = ..., record: _Optional[_Union[_record_pb2.Record, _Mapping]] = ..., deleted: bool = ..., error: _Optional[_Union[_error_pb2.ItemError, _Mapping]] = ..., server_record: _Optional[_Union[_record_pb2.Record, _Mapping]] = ..., ancestor_record: _Optional[_Union[_record_pb2.Record, _Mapping]] = ...) -> None: ...

class SortDescriptor(_message.Message):
    __slots__ = ["descending", "field_name", "relative_location"]
    DESCENDING_FIELD_NUMBER: _ClassVar[int]
    FIELD_NAME_FIELD_NUMBER: _ClassVar[int]
    RELATIVE_LOCATION_FIELD_NUMBER: _ClassVar[int]
    descending: bool
    field_name: str
    relative_location: _record_pb2.Location
    def __init__(self, field_name: _Optional[str] = ..., descending: bool = ..., relative_location: _Optional[_Union[_record_pb2.Location, _Mapping]] = ...) -> None: ...

class ZoneChanges(_message.Message):
    __slots__ = ["change_token", "changed_records", "client_change_token_data", "deleted_records", "error", "more_coming", "zone_id"]
    CHANGED_RECORDS_FIELD_NUMBER: _ClassVar[int]
    CHANGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    CLIENT_CHANGE_TOKEN_DATA_FIELD_NUMBER: _ClassVar[int]
    DELETED_RECORDS_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    MORE_COMING_FIELD_NUMBER: _ClassVar[int]
    ZONE_ID_FIELD_NUMBER: _ClassVar[int]
    change_token: bytes
    changed_records: _containers.RepeatedCompositeFieldContainer[_record_pb2.Record]
    client_change_token_data: bytes
    deleted_records: _containers.RepeatedCompositeFieldContainer[DeletedRecord]
    error: _error_pb2.ItemError
    more_coming: bool
    zone_id: _database_pb2.ZoneID
    def __init__(self, zone_id: _Optional[_Union[_database_pb2.ZoneID, _Mapping]] = ..., changed_records: _Optional[_Iterable[_Union[_record_pb2.Record, _Mapping]]] = ..., deleted_records: _Optional[_Iterable[_Union[DeletedRecord, _Mapping]]] = ..., change_token: _Optional[bytes] = ..., more_coming: bool = ..., error: _Optional[_Union[_error_pb2.ItemError, _Mapping]] = ..., client_change_token_data: _Optional[bytes] = ...) -> None: ...

class ZoneChangesOptions(_message.Message):
    __slots__ = ["change_token", "desired_keys", "limit", "newest_first", "only_change_token", "record_types", "zone_id"]
    CHANGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    DESIRED_KEYS_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    NEWEST_FIRST_FIELD_NUMBER: _ClassVar[int]
    ONLY_CHANGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    RECORD_TYPES_FIELD_NUMBER: _ClassVar[int]
    ZONE_ID_FIELD_NUMBER: _ClassVar[int]
    change_token: bytes
    desired_keys: DesiredKeys
    limit: int
    newest_first: bool
    only_change_token: bool
    record_types: _containers.RepeatedScalarFieldContainer[str]
    zone_id: _database_pb2.ZoneID
    def __init__(self, zone_id: _Optional[_Union[_database_pb2.ZoneID, _Mapping]] = ..., change_token: _Optional[bytes] = ..., desired_keys: _Optional[_Union[DesiredKeys, _Mapping]] = ..., record_types: _Optional[_Iterable[str]] = ..., limit: _Optional[int] = ..., newest_first: bool = ..., only_change_token: bool = ...) -> None: ...

class SavePolicy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
