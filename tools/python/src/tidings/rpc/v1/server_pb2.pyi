from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
SERVER_STATE_DRAINED: ServerState
SERVER_STATE_DRAINING: ServerState
SERVER_STATE_SERVING: ServerState
SERVER_STATE_UNSPECIFIED: ServerState

class Counters(_message.Message):
    __slots__ = ["calls", "calls_failed", "checkpoints_failed", "commits", "events", "free_bytes", "log_bytes", "long_turns", "longest_turn_microseconds", "longest_turn_processor_microseconds", "pages_damaged", "pushes", "pushes_coalesced", "pushes_pruned", "records_deleted", "records_saved"]
    CALLS_FAILED_FIELD_NUMBER: _ClassVar[int]
    CALLS_FIELD_NUMBER: _ClassVar[int]
    CHECKPOINTS_FAILED_FIELD_NUMBER: _ClassVar[int]
    COMMITS_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    FREE_BYTES_FIELD_NUMBER: _ClassVar[int]
    LOG_BYTES_FIELD_NUMBER: _ClassVar[int]
    LONGEST_TURN_MICROSECONDS_FIELD_NUMBER: _ClassVar[int]
    LONGEST_TURN_PROCESSOR_MICROSECONDS_FIELD_NUMBER: _ClassVar[int]
    LONG_TURNS_FIELD_NUMBER: _ClassVar[int]
    PAGES_DAMAGED_FIELD_NUMBER: _ClassVar[int]
    PUSHES_COALESCED_FIELD_NUMBER: _ClassVar[int]
    PUSHES_FIELD_NUMBER: _ClassVar[int]
    PUSHES_PRUNED_FIELD_NUMBER: _ClassVar[int]
    RECORDS_DELETED_FIELD_NUMBER: _ClassVar[int]
    RECORDS_SAVED_FIELD_NUMBER: _ClassVar[int]
    calls: int
    calls_failed: int
    checkpoints_failed: int
    commits: int
    events: int
    free_bytes: int
    log_bytes: int
    long_turns: int
    longest_turn_microseconds: int
    longest_turn_processor_microseconds: int
    pages_damaged: int
    pushes: int
    pushes_coalesced: int
    pushes_pruned: int
    records_deleted: int
    records_saved: int
    def __init__(self, calls: _Optional[int] = ..., calls_failed: _Optional[int] = ..., commits: _Optional[int] = ..., records_saved: _Optional[int] = ..., records_deleted: _Optional[int] = ..., events: _Optional[int] = ..., pushes: _Optional[int] = ..., pushes_coalesced: _Optional[int] = ..., pushes_pruned: _Optional[int] = ..., checkpoints_failed: _Optional[int] = ..., pages_damaged: _Optional[int] = ..., log_bytes: _Optional[int] = ..., long_turns: _Optional[int] = ..., longest_turn_microseconds: _Optional[int] = ..., longest_turn_processor_microseconds: _Optional[int] = ..., free_bytes: _Optional[int] = ...) -> None: ...

class FetchServerInfoRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class FetchServerInfoResponse(_message.Message):
    __slots__ = ["counters", "development_mode", "endpoints", "incarnation", "limits", "node_name", "push_endpoint", "rpc_endpoint", "started", "state", "version"]
    COUNTERS_FIELD_NUMBER: _ClassVar[int]
    DEVELOPMENT_MODE_FIELD_NUMBER: _ClassVar[int]
    ENDPOINTS_FIELD_NUMBER: _ClassVar[int]
    INCARNATION_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    NODE_NAME_FIELD_NUMBER: _ClassVar[int]
    PUSH_ENDPOINT_FIELD_NUMBER: _ClassVar[int]
    RPC_ENDPOINT_FIELD_NUMBER: _ClassVar[int]
    STARTED_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    counters: Counters
    development_mode: bool
    endpoints: _containers.RepeatedCompositeFieldContainer[ServerEndpoint]
    incarnation: str
    limits: Limits
    node_name: str
    push_endpoint: str
    rpc_endpoint: str
    started: _timestamp_pb2.Timestamp
    state: ServerState
    version: str
    def __init__(self, version: _Optional[str] = ..., rpc_endpoint: _Optional[str] = ..., push_endpoint: _Optional[str] = ..., incarnation: _Optional[str] = ..., started: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., limits: _Optional[_Union[Limits, _Mapping]] = ..., counters: _Optional[_Union[Counters, _Mapping]] = ..., development_mode: bool = ..., state: _Optional[_Union[ServerState, str]] = ..., endpoints: _Optional[_Iterable[_Union[ServerEndpoint, _Mapping]]] = ..., node_name: _Optional[str] = ...) -> None: ...

class Limits(_message.Message):
    __slots__ = ["ancestor_retention_hours", "ancestors_max", "asset_bytes_max", "asset_chunk_bytes_max", "asset_retention_hours", "calls_in_flight_max", "cascaded_deletions_max", "client_change_token_bytes_max", "cursor_retention_minutes", "desired_keys_max", "fields_per_type_max", "frame_bytes_max", "idempotency_retention_hours", "items_per_call_max", "list_members_per_record_max", "notification_fields_bytes_max", "notification_retention_days", "notifications_max", "open_leases_max", "owning_references_max", "page_items_max", "predicate_bytes_max", "predicate_nodes_max", "push_bytes_max", "pushes_per_second_max", "record_bytes_max", "record_types_max", "schema_bytes_max", "subscriptions_per_user_max", "tombstone_retention_days", "work_groups_per_user_max", "zones_per_database_max"]
    ANCESTORS_MAX_FIELD_NUMBER: _ClassVar[int]
    ANCESTOR_RETENTION_HOURS_FIELD_NUMBER: _ClassVar[int]
    ASSET_BYTES_MAX_FIELD_NUMBER: _ClassVar[int]
    ASSET_CHUNK_BYTES_MAX_FIELD_NUMBER: _ClassVar[int]
    ASSET_RETENTION_HOURS_FIELD_NUMBER: _ClassVar[int]
    CALLS_IN_FLIGHT_MAX_FIELD_NUMBER: _ClassVar[int]
    CASCADED_DELETIONS_MAX_FIELD_NUMBER: _ClassVar[int]
    CLIENT_CHANGE_TOKEN_BYTES_MAX_FIELD_NUMBER: _ClassVar[int]
    CURSOR_RETENTION_MINUTES_FIELD_NUMBER: _ClassVar[int]
    DESIRED_KEYS_MAX_FIELD_NUMBER: _ClassVar[int]
    FIELDS_PER_TYPE_MAX_FIELD_NUMBER: _ClassVar[int]
    FRAME_BYTES_MAX_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENCY_RETENTION_HOURS_FIELD_NUMBER: _ClassVar[int]
    ITEMS_PER_CALL_MAX_FIELD_NUMBER: _ClassVar[int]
    LIST_MEMBERS_PER_RECORD_MAX_FIELD_NUMBER: _ClassVar[int]
    NOTIFICATIONS_MAX_FIELD_NUMBER: _ClassVar[int]
    NOTIFICATION_FIELDS_BYTES_MAX_FIELD_NUMBER: _ClassVar[int]
    NOTIFICATION_RETENTION_DAYS_FIELD_NUMBER: _ClassVar[int]
    OPEN_LEASES_MAX_FIELD_NUMBER: _ClassVar[int]
    OWNING_REFERENCES_MAX_FIELD_NUMBER: _ClassVar[int]
    PAGE_ITEMS_MAX_FIELD_NUMBER: _ClassVar[int]
    PREDICATE_BYTES_MAX_FIELD_NUMBER: _ClassVar[int]
    PREDICATE_NODES_MAX_FIELD_NUMBER: _ClassVar[int]
    PUSHES_PER_SECOND_MAX_FIELD_NUMBER: _ClassVar[int]
    PUSH_BYTES_MAX_FIELD_NUMBER: _ClassVar[int]
    RECORD_BYTES_MAX_FIELD_NUMBER: _ClassVar[int]
    RECORD_TYPES_MAX_FIELD_NUMBER: _ClassVar[int]
    SCHEMA_BYTES_MAX_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIPTIONS_PER_USER_MAX_FIELD_NUMBER: _ClassVar[int]
    TOMBSTONE_RETENTION_DAYS_FIELD_NUMBER: _ClassVar[int]
    WORK_GROUPS_PER_USER_MAX_FIELD_NUMBER: _ClassVar[int]
    ZONES_PER_DATABASE_MAX_FIELD_NUMBER: _ClassVar[int]
    ancestor_retention_hours: int
    ancestors_max: int
    asset_bytes_max: int
    asset_chunk_bytes_max: int
    asset_retention_hours: int
    calls_in_flight_max: int
    cascaded_deletions_max: int
    client_change_token_bytes_max: int
    cursor_retention_minutes: int
    desired_keys_max: int
    fields_per_type_max: int
    frame_bytes_max: int
    idempotency_retention_hours: int
    items_per_call_max: int
    list_members_per_record_max: int
    notification_fields_bytes_max: int
    notification_retention_days: int
    notifications_max: int
    open_leases_max: int
    owning_references_max: int
    page_items_max: int
    predicate_bytes_max: int
    predicate_nodes_max: int
    push_bytes_max: int
    pushes_per_second_max: int
    record_bytes_max: int
    record_types_max: int
    schema_bytes_max: int
    subscriptions_per_user_max: int
    tombstone_retention_days: int
    work_groups_per_user_max: int
    zones_per_database_max: int
    def __init__(self, frame_bytes_max: _Optional[int] = ..., items_per_call_max: _Optional[int] = ..., record_bytes_max: _Optional[int] = ..., page_items_max: _Optional[int] = ..., calls_in_flight_max: _Optional[int] = ..., subscriptions_per_user_max: _Optional[int] = ..., predicate_bytes_max: _Optional[int] = ..., predicate_nodes_max: _Optional[int] = ..., idempotency_retention_hours: _Optional[int] = ..., push_bytes_max: _Optional[int] = ..., asset_bytes_max: _Optional[int] = ..., asset_chunk_bytes_max: _Optional[int] = ..., asset_retention_hours: _Optional[int] = ..., owning_references_max: _Optional[int] = ..., cascaded_deletions_max: _Optional[int] = ..., tombstone_retention_days: _Optional[int] = ..., ancestors_max: _Optional[int] = ..., ancestor_retention_hours: _Optional[int] = ..., cursor_retention_minutes: _Optional[int] = ..., list_members_per_record_max: _Optional[int] = ..., client_change_token_bytes_max: _Optional[int] = ..., schema_bytes_max: _Optional[int] = ..., record_types_max: _Optional[int] = ..., fields_per_type_max: _Optional[int] = ..., zones_per_database_max: _Optional[int] = ..., desired_keys_max: _Optional[int] = ..., notification_fields_bytes_max: _Optional[int] = ..., notification_retention_days: _Optional[int] = ..., notifications_max: _Optional[int] = ..., pushes_per_second_max: _Optional[int] = ..., work_groups_per_user_max: _Optional[int] = ..., open_leases_max: _Optional[int] = ...) -> None: ...

class ServerEndpoint(_message.Message):
    __slots__ = ["push_endpoint", "rpc_endpoint", "server_key"]
    PUSH_ENDPOINT_FIELD_NUMBER: _ClassVar[int]
    RPC_ENDPOINT_FIELD_NUMBER: _ClassVar[int]
    SERVER_KEY_FIELD_NUMBER: _ClassVar[int]
    push_endpoint: str
    rpc_endpoint: str
    server_key: str
    def __init__(self, server_key: _Optional[str] = ..., rpc_endpoint: _Optional[str] = ..., push_endpoint: _Optional[str] = ...) -> None: ...

class ServerState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
