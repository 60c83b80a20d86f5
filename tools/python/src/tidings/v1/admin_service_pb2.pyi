from google.protobuf import timestamp_pb2 as _timestamp_pb2
from tidings.rpc.v1 import server_pb2 as _server_pb2
from tidings.v1 import account_service_pb2 as _account_service_pb2
from tidings.v1 import database_pb2 as _database_pb2
from tidings.v1 import delivery_service_pb2 as _delivery_service_pb2
from tidings.v1 import notification_pb2 as _notification_pb2
from tidings.v1 import record_pb2 as _record_pb2
from tidings.v1 import schema_service_pb2 as _schema_service_pb2
from tidings.v1 import share_service_pb2 as _share_service_pb2
from tidings.v1 import web_token_pb2 as _web_token_pb2
from tidings.v1 import zone_service_pb2 as _zone_service_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

CHECK_STEP_ASSETS: CheckStep
CHECK_STEP_DONE: CheckStep
CHECK_STEP_PAGES: CheckStep
CHECK_STEP_STRUCTURE: CheckStep
CHECK_STEP_UNSPECIFIED: CheckStep
DESCRIPTOR: _descriptor.FileDescriptor
DRAIN_ACTION_DRAIN: DrainAction
DRAIN_ACTION_RESUME: DrainAction
DRAIN_ACTION_UNSPECIFIED: DrainAction
LOG_LEVEL_DEBUG: LogLevel
LOG_LEVEL_ERROR: LogLevel
LOG_LEVEL_INFO: LogLevel
LOG_LEVEL_UNSPECIFIED: LogLevel
LOG_LEVEL_WARNING: LogLevel
METRIC_KIND_COUNTER: MetricKind
METRIC_KIND_GAUGE: MetricKind
METRIC_KIND_HISTOGRAM: MetricKind
METRIC_KIND_UNSPECIFIED: MetricKind
NODE_ROLE_FOLLOWER: NodeRole
NODE_ROLE_LEADER: NodeRole
NODE_ROLE_UNSPECIFIED: NodeRole
PUBLIC_RECORDS_ACTION_DELETE: PublicRecordsAction
PUBLIC_RECORDS_ACTION_KEEP: PublicRecordsAction
PUBLIC_RECORDS_ACTION_UNSPECIFIED: PublicRecordsAction

class Account(_message.Message):
    __slots__ = ["created", "display_name", "keys", "name", "quota", "restricted", "roles"]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    KEYS_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    QUOTA_FIELD_NUMBER: _ClassVar[int]
    RESTRICTED_FIELD_NUMBER: _ClassVar[int]
    ROLES_FIELD_NUMBER: _ClassVar[int]
    created: _timestamp_pb2.Timestamp
    display_name: str
    keys: _containers.RepeatedCompositeFieldContainer[PublicKey]
    name: str
    quota: _account_service_pb2.Quota
    restricted: _timestamp_pb2.Timestamp
    roles: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, name: _Optional[str] = ..., roles: _Optional[_Iterable[str]] = ..., keys: _Optional[_Iterable[_Union[PublicKey, _Mapping]]] = ..., created: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., display_name: _Optional[str] = ..., restricted: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., quota: _Optional[_Union[_account_service_pb2.Quota, _Mapping]] = ...) -> None: ...

class AssignRolesRequest(_message.Message):
    __slots__ = ["roles", "user_name"]
    ROLES_FIELD_NUMBER: _ClassVar[int]
    USER_NAME_FIELD_NUMBER: _ClassVar[int]
    roles: _containers.RepeatedScalarFieldContainer[str]
    user_name: str
    def __init__(self, user_name: _Optional[str] = ..., roles: _Optional[_Iterable[str]] = ...) -> None: ...

class AssignRolesResponse(_message.Message):
    __slots__ = ["account"]
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    account: Account
    def __init__(self, account: _Optional[_Union[Account, _Mapping]] = ...) -> None: ...

class AuditChain(_message.Message):
    __slots__ = ["first_number", "head_hash", "head_number", "line_count", "name", "problems", "remarks"]
    FIRST_NUMBER_FIELD_NUMBER: _ClassVar[int]
    HEAD_HASH_FIELD_NUMBER: _ClassVar[int]
    HEAD_NUMBER_FIELD_NUMBER: _ClassVar[int]
    LINE_COUNT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PROBLEMS_FIELD_NUMBER: _ClassVar[int]
    REMARKS_FIELD_NUMBER: _ClassVar[int]
    first_number: int
    head_hash: bytes
    head_number: int
    line_count: int
    name: str
    problems: _containers.RepeatedScalarFieldContainer[str]
    remarks: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, name: _Optional[str] = ..., head_number: _Optional[int] = ..., head_hash: _Optional[bytes] = ..., line_count: _Optional[int] = ..., first_number: _Optional[int] = ..., problems: _Optional[_Iterable[str]] = ..., remarks: _Optional[_Iterable[str]] = ...) -> None: ...

class AuditEntry(_message.Message):
    __slots__ = ["action", "address", "count", "detail", "public_key", "refused", "time", "user_name"]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    PUBLIC_KEY_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    USER_NAME_FIELD_NUMBER: _ClassVar[int]
    action: str
    address: str
    count: int
    detail: str
    public_key: str
    refused: bool
    time: _timestamp_pb2.Timestamp
    user_name: str
    def __init__(self, time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., action: _Optional[str] = ..., user_name: _Optional[str] = ..., public_key: _Optional[str] = ..., address: _Optional[str] = ..., refused: bool = ..., count: _Optional[int] = ..., detail: _Optional[str] = ...) -> None: ...

class AuthorizeKeyRequest(_message.Message):
    __slots__ = ["public_key", "user_name"]
    PUBLIC_KEY_FIELD_NUMBER: _ClassVar[int]
    USER_NAME_FIELD_NUMBER: _ClassVar[int]
    public_key: PublicKey
    user_name: str
    def __init__(self, user_name: _Optional[str] = ..., public_key: _Optional[_Union[PublicKey, _Mapping]] = ...) -> None: ...

class AuthorizeKeyResponse(_message.Message):
    __slots__ = ["account"]
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    account: Account
    def __init__(self, account: _Optional[_Union[Account, _Mapping]] = ...) -> None: ...

class CheckStoreRequest(_message.Message):
    __slots__ = ["bytes_per_second_max", "checks_structure"]
    BYTES_PER_SECOND_MAX_FIELD_NUMBER: _ClassVar[int]
    CHECKS_STRUCTURE_FIELD_NUMBER: _ClassVar[int]
    bytes_per_second_max: int
    checks_structure: bool
    def __init__(self, bytes_per_second_max: _Optional[int] = ..., checks_structure: bool = ...) -> None: ...

class CheckStoreResponse(_message.Message):
    __slots__ = ["assets_done", "assets_total", "bytes_done", "bytes_total", "damage", "damage_count", "pages_done", "pages_total", "step"]
    ASSETS_DONE_FIELD_NUMBER: _ClassVar[int]
    ASSETS_TOTAL_FIELD_NUMBER: _ClassVar[int]
    BYTES_DONE_FIELD_NUMBER: _ClassVar[int]
    BYTES_TOTAL_FIELD_NUMBER: _ClassVar[int]
    DAMAGE_COUNT_FIELD_NUMBER: _ClassVar[int]
    DAMAGE_FIELD_NUMBER: _ClassVar[int]
    PAGES_DONE_FIELD_NUMBER: _ClassVar[int]
    PAGES_TOTAL_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    assets_done: int
    assets_total: int
    bytes_done: int
    bytes_total: int
    damage: _containers.RepeatedCompositeFieldContainer[StoreDamage]
    damage_count: int
    pages_done: int
    pages_total: int
    step: CheckStep
    def __init__(self, step: _Optional[_Union[CheckStep, str]] = ..., pages_total: _Optional[int] = ..., pages_done: _Optional[int] = ..., assets_total: _Optional[int] = ..., assets_done: _Optional[int] = ..., bytes_total: _Optional[int] = ..., bytes_done: _Optional[int] = ..., damage: _Optional[_Iterable[_Union[StoreDamage, _Mapping]]] = ..., damage_count: _Optional[int] = ...) -> None: ...

class ClusterNode(_message.Message):
    __slots__ = ["data_format", "is_called", "name", "publications_behind", "push_endpoint", "role", "rpc_endpoint", "silent_milliseconds", "version"]
    DATA_FORMAT_FIELD_NUMBER: _ClassVar[int]
    IS_CALLED_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PUBLICATIONS_BEHIND_FIELD_NUMBER: _ClassVar[int]
    PUSH_ENDPOINT_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    RPC_ENDPOINT_FIELD_NUMBER: _ClassVar[int]
    SILENT_MILLISECONDS_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    data_format: int
    is_called: bool
    name: str
    publications_behind: int
    push_endpoint: str
    role: NodeRole
    rpc_endpoint: str
    silent_milliseconds: int
    version: str
    def __init__(self, name: _Optional[str] = ..., role: _Optional[_Union[NodeRole, str]] = ..., version: _Optional[str] = ..., rpc_endpoint: _Optional[str] = ..., push_endpoint: _Optional[str] = ..., publications_behind: _Optional[int] = ..., silent_milliseconds: _Optional[int] = ..., is_called: bool = ..., data_format: _Optional[int] = ...) -> None: ...

class Connection(_message.Message):
    __slots__ = ["bytes_held", "calls_open", "device_id", "is_subscriber", "number", "public_key", "since", "topics", "user_name"]
    BYTES_HELD_FIELD_NUMBER: _ClassVar[int]
    CALLS_OPEN_FIELD_NUMBER: _ClassVar[int]
    DEVICE_ID_FIELD_NUMBER: _ClassVar[int]
    IS_SUBSCRIBER_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    PUBLIC_KEY_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    TOPICS_FIELD_NUMBER: _ClassVar[int]
    USER_NAME_FIELD_NUMBER: _ClassVar[int]
    bytes_held: int
    calls_open: int
    device_id: str
    is_subscriber: bool
    number: int
    public_key: str
    since: _timestamp_pb2.Timestamp
    topics: int
    user_name: str
    def __init__(self, number: _Optional[int] = ..., user_name: _Optional[str] = ..., public_key: _Optional[str] = ..., device_id: _Optional[str] = ..., since: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., calls_open: _Optional[int] = ..., bytes_held: _Optional[int] = ..., is_subscriber: bool = ..., topics: _Optional[int] = ...) -> None: ...

class CreateBackupRequest(_message.Message):
    __slots__ = ["bytes_per_second_max", "skips_damaged_assets"]
    BYTES_PER_SECOND_MAX_FIELD_NUMBER: _ClassVar[int]
    SKIPS_DAMAGED_ASSETS_FIELD_NUMBER: _ClassVar[int]
    bytes_per_second_max: int
    skips_damaged_assets: bool
    def __init__(self, bytes_per_second_max: _Optional[int] = ..., skips_damaged_assets: bool = ...) -> None: ...

class CreateBackupResponse(_message.Message):
    __slots__ = ["chunk"]
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    chunk: bytes
    def __init__(self, chunk: _Optional[bytes] = ...) -> None: ...

class CreateUserRequest(_message.Message):
    __slots__ = ["display_name", "name", "public_key", "quota", "roles"]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PUBLIC_KEY_FIELD_NUMBER: _ClassVar[int]
    QUOTA_FIELD_NUMBER: _ClassVar[int]
    ROLES_FIELD_NUMBER: _ClassVar[int]
    display_name: str
    name: str
    public_key: PublicKey
    quota: _account_service_pb2.Quota
    roles: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, name: _Optional[str] = ..., public_key: _Optional[_Union[PublicKey, _Mapping]] = ..., display_name: _Optional[str] = ..., roles: _Optional[_Iterable[str]] = ..., quota: _Optional[_Union[_account_service_pb2.Quota, _Mapping]] = ...) -> None: ...

class CreateUserResponse(_message.Message):
    __slots__ = ["account"]
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    account: Account
    def __init__(self, account: _Optional[_Union[Account, _Mapping]] = ...) -> None: ...

class CreateWebTokenRequest(_message.Message):
    __slots__ = ["api_token", "container", "environment", "expires", "label", "server_key"]
    API_TOKEN_FIELD_NUMBER: _ClassVar[int]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENT_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    SERVER_KEY_FIELD_NUMBER: _ClassVar[int]
    api_token: NewAPIToken
    container: str
    environment: _database_pb2.Environment
    expires: _timestamp_pb2.Timestamp
    label: str
    server_key: NewServerKey
    def __init__(self, container: _Optional[str] = ..., environment: _Optional[_Union[_database_pb2.Environment, str]] = ..., label: _Optional[str] = ..., expires: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., api_token: _Optional[_Union[NewAPIToken, _Mapping]] = ..., server_key: _Optional[_Union[NewServerKey, _Mapping]] = ...) -> None: ...

class CreateWebTokenResponse(_message.Message):
    __slots__ = ["api_token", "token"]
    API_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    api_token: str
    token: _web_token_pb2.WebToken
    def __init__(self, token: _Optional[_Union[_web_token_pb2.WebToken, _Mapping]] = ..., api_token: _Optional[str] = ...) -> None: ...

class Device(_message.Message):
    __slots__ = ["device_id", "last_write"]
    DEVICE_ID_FIELD_NUMBER: _ClassVar[int]
    LAST_WRITE_FIELD_NUMBER: _ClassVar[int]
    device_id: str
    last_write: _timestamp_pb2.Timestamp
    def __init__(self, device_id: _Optional[str] = ..., last_write: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class DrainRequest(_message.Message):
    __slots__ = ["action", "patience_milliseconds", "stops"]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    PATIENCE_MILLISECONDS_FIELD_NUMBER: _ClassVar[int]
    STOPS_FIELD_NUMBER: _ClassVar[int]
    action: DrainAction
    patience_milliseconds: int
    stops: bool
    def __init__(self, action: _Optional[_Union[DrainAction, str]] = ..., stops: bool = ..., patience_milliseconds: _Optional[int] = ...) -> None: ...

class DrainResponse(_message.Message):
    __slots__ = ["calls_open", "state"]
    CALLS_OPEN_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    calls_open: int
    state: _server_pb2.ServerState
    def __init__(self, state: _Optional[_Union[_server_pb2.ServerState, str]] = ..., calls_open: _Optional[int] = ...) -> None: ...

class EndConnectionsRequest(_message.Message):
    __slots__ = ["number", "public_key", "user_name"]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    PUBLIC_KEY_FIELD_NUMBER: _ClassVar[int]
    USER_NAME_FIELD_NUMBER: _ClassVar[int]
    number: int
    public_key: str
    user_name: str
    def __init__(self, user_name: _Optional[str] = ..., public_key: _Optional[str] = ..., number: _Optional[int] = ...) -> None: ...

class EndConnectionsResponse(_message.Message):
    __slots__ = ["count"]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    count: int
    def __init__(self, count: _Optional[int] = ...) -> None: ...

class EraseUserRequest(_message.Message):
    __slots__ = ["public_records", "user_name"]
    PUBLIC_RECORDS_FIELD_NUMBER: _ClassVar[int]
    USER_NAME_FIELD_NUMBER: _ClassVar[int]
    public_records: PublicRecordsAction
    user_name: str
    def __init__(self, user_name: _Optional[str] = ..., public_records: _Optional[_Union[PublicRecordsAction, str]] = ...) -> None: ...

class EraseUserResponse(_message.Message):
    __slots__ = ["erasure"]
    ERASURE_FIELD_NUMBER: _ClassVar[int]
    erasure: UserErasure
    def __init__(self, erasure: _Optional[_Union[UserErasure, _Mapping]] = ...) -> None: ...

class ErasedCount(_message.Message):
    __slots__ = ["count", "kind"]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    count: int
    kind: str
    def __init__(self, kind: _Optional[str] = ..., count: _Optional[int] = ...) -> None: ...

class ErasureRemainder(_message.Message):
    __slots__ = ["description", "until"]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    UNTIL_FIELD_NUMBER: _ClassVar[int]
    description: str
    until: _timestamp_pb2.Timestamp
    def __init__(self, description: _Optional[str] = ..., until: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class FetchAuditLogRequest(_message.Message):
    __slots__ = ["limit", "refused", "user_name", "verifies"]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    USER_NAME_FIELD_NUMBER: _ClassVar[int]
    VERIFIES_FIELD_NUMBER: _ClassVar[int]
    limit: int
    refused: bool
    user_name: str
    verifies: bool
    def __init__(self, limit: _Optional[int] = ..., user_name: _Optional[str] = ..., refused: bool = ..., verifies: bool = ...) -> None: ...

class FetchAuditLogResponse(_message.Message):
    __slots__ = ["chains", "entries"]
    CHAINS_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    chains: _containers.RepeatedCompositeFieldContainer[AuditChain]
    entries: _containers.RepeatedCompositeFieldContainer[AuditEntry]
    def __init__(self, entries: _Optional[_Iterable[_Union[AuditEntry, _Mapping]]] = ..., chains: _Optional[_Iterable[_Union[AuditChain, _Mapping]]] = ...) -> None: ...

class FetchClusterStatusRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class FetchClusterStatusResponse(_message.Message):
    __slots__ = ["data_format", "groups_run_again", "nodes", "term"]
    DATA_FORMAT_FIELD_NUMBER: _ClassVar[int]
    GROUPS_RUN_AGAIN_FIELD_NUMBER: _ClassVar[int]
    NODES_FIELD_NUMBER: _ClassVar[int]
    TERM_FIELD_NUMBER: _ClassVar[int]
    data_format: int
    groups_run_again: int
    nodes: _containers.RepeatedCompositeFieldContainer[ClusterNode]
    term: int
    def __init__(self, term: _Optional[int] = ..., nodes: _Optional[_Iterable[_Union[ClusterNode, _Mapping]]] = ..., groups_run_again: _Optional[int] = ..., data_format: _Optional[int] = ...) -> None: ...

class FetchErasureRequest(_message.Message):
    __slots__ = ["erasure_id", "user_name"]
    ERASURE_ID_FIELD_NUMBER: _ClassVar[int]
    USER_NAME_FIELD_NUMBER: _ClassVar[int]
    erasure_id: str
    user_name: str
    def __init__(self, user_name: _Optional[str] = ..., erasure_id: _Optional[str] = ...) -> None: ...

class FetchErasureResponse(_message.Message):
    __slots__ = ["erasure"]
    ERASURE_FIELD_NUMBER: _ClassVar[int]
    erasure: UserErasure
    def __init__(self, erasure: _Optional[_Union[UserErasure, _Mapping]] = ...) -> None: ...

class FetchMetricsRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class FetchMetricsResponse(_message.Message):
    __slots__ = ["families", "node_name", "slow_calls", "time"]
    FAMILIES_FIELD_NUMBER: _ClassVar[int]
    NODE_NAME_FIELD_NUMBER: _ClassVar[int]
    SLOW_CALLS_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    families: _containers.RepeatedCompositeFieldContainer[MetricFamily]
    node_name: str
    slow_calls: _containers.RepeatedCompositeFieldContainer[SlowCall]
    time: _timestamp_pb2.Timestamp
    def __init__(self, time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., families: _Optional[_Iterable[_Union[MetricFamily, _Mapping]]] = ..., slow_calls: _Optional[_Iterable[_Union[SlowCall, _Mapping]]] = ..., node_name: _Optional[str] = ...) -> None: ...

class FetchStatisticsRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class FetchStatisticsResponse(_message.Message):
    __slots__ = ["asset_bytes", "assets", "channels", "database_bytes", "events", "log_bytes", "records", "subscriptions", "tombstones", "users", "zones"]
    ASSETS_FIELD_NUMBER: _ClassVar[int]
    ASSET_BYTES_FIELD_NUMBER: _ClassVar[int]
    CHANNELS_FIELD_NUMBER: _ClassVar[int]
    DATABASE_BYTES_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    LOG_BYTES_FIELD_NUMBER: _ClassVar[int]
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIPTIONS_FIELD_NUMBER: _ClassVar[int]
    TOMBSTONES_FIELD_NUMBER: _ClassVar[int]
    USERS_FIELD_NUMBER: _ClassVar[int]
    ZONES_FIELD_NUMBER: _ClassVar[int]
    asset_bytes: int
    assets: int
    channels: int
    database_bytes: int
    events: int
    log_bytes: int
    records: int
    subscriptions: int
    tombstones: int
    users: int
    zones: int
    def __init__(self, records: _Optional[int] = ..., tombstones: _Optional[int] = ..., zones: _Optional[int] = ..., subscriptions: _Optional[int] = ..., channels: _Optional[int] = ..., events: _Optional[int] = ..., database_bytes: _Optional[int] = ..., log_bytes: _Optional[int] = ..., assets: _Optional[int] = ..., asset_bytes: _Optional[int] = ..., users: _Optional[int] = ...) -> None: ...

class FetchUserDataRequest(_message.Message):
    __slots__ = ["continuation", "user_name"]
    CONTINUATION_FIELD_NUMBER: _ClassVar[int]
    USER_NAME_FIELD_NUMBER: _ClassVar[int]
    continuation: bytes
    user_name: str
    def __init__(self, user_name: _Optional[str] = ..., continuation: _Optional[bytes] = ...) -> None: ...

class FetchUserDataResponse(_message.Message):
    __slots__ = ["continuation", "items"]
    CONTINUATION_FIELD_NUMBER: _ClassVar[int]
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    continuation: bytes
    items: _containers.RepeatedCompositeFieldContainer[UserDataItem]
    def __init__(self, items: _Optional[_Iterable[_Union[UserDataItem, _Mapping]]] = ..., continuation: _Optional[bytes] = ...) -> None: ...

class ListConnectionsRequest(_message.Message):
    __slots__ = ["after", "limit", "user_name"]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    USER_NAME_FIELD_NUMBER: _ClassVar[int]
    after: int
    limit: int
    user_name: str
    def __init__(self, user_name: _Optional[str] = ..., after: _Optional[int] = ..., limit: _Optional[int] = ...) -> None: ...

class ListConnectionsResponse(_message.Message):
    __slots__ = ["connections", "more_coming", "node_name", "unused_count"]
    CONNECTIONS_FIELD_NUMBER: _ClassVar[int]
    MORE_COMING_FIELD_NUMBER: _ClassVar[int]
    NODE_NAME_FIELD_NUMBER: _ClassVar[int]
    UNUSED_COUNT_FIELD_NUMBER: _ClassVar[int]
    connections: _containers.RepeatedCompositeFieldContainer[Connection]
    more_coming: bool
    node_name: str
    unused_count: int
    def __init__(self, connections: _Optional[_Iterable[_Union[Connection, _Mapping]]] = ..., more_coming: bool = ..., unused_count: _Optional[int] = ..., node_name: _Optional[str] = ...) -> None: ...

class ListDevicesRequest(_message.Message):
    __slots__ = ["after", "limit", "user_name"]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    USER_NAME_FIELD_NUMBER: _ClassVar[int]
    after: str
    limit: int
    user_name: str
    def __init__(self, user_name: _Optional[str] = ..., after: _Optional[str] = ..., limit: _Optional[int] = ...) -> None: ...

class ListDevicesResponse(_message.Message):
    __slots__ = ["devices", "more_coming"]
    DEVICES_FIELD_NUMBER: _ClassVar[int]
    MORE_COMING_FIELD_NUMBER: _ClassVar[int]
    devices: _containers.RepeatedCompositeFieldContainer[Device]
    more_coming: bool
    def __init__(self, devices: _Optional[_Iterable[_Union[Device, _Mapping]]] = ..., more_coming: bool = ...) -> None: ...

class ListUsersRequest(_message.Message):
    __slots__ = ["after", "limit", "user_names"]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    USER_NAMES_FIELD_NUMBER: _ClassVar[int]
    after: str
    limit: int
    user_names: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, after: _Optional[str] = ..., limit: _Optional[int] = ..., user_names: _Optional[_Iterable[str]] = ...) -> None: ...

class ListUsersResponse(_message.Message):
    __slots__ = ["accounts", "guest_keys", "more_coming"]
    ACCOUNTS_FIELD_NUMBER: _ClassVar[int]
    GUEST_KEYS_FIELD_NUMBER: _ClassVar[int]
    MORE_COMING_FIELD_NUMBER: _ClassVar[int]
    accounts: _containers.RepeatedCompositeFieldContainer[Account]
    guest_keys: _containers.RepeatedCompositeFieldContainer[PublicKey]
    more_coming: bool
    def __init__(self, accounts: _Optional[_Iterable[_Union[Account, _Mapping]]] = ..., more_coming: bool = ..., guest_keys: _Optional[_Iterable[_Union[PublicKey, _Mapping]]] = ...) -> None: ...

class ListWebTokensRequest(_message.Message):
    __slots__ = ["after", "kind", "limit", "user_name"]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    USER_NAME_FIELD_NUMBER: _ClassVar[int]
    after: int
    kind: _web_token_pb2.WebTokenKind
    limit: int
    user_name: str
    def __init__(self, after: _Optional[int] = ..., limit: _Optional[int] = ..., kind: _Optional[_Union[_web_token_pb2.WebTokenKind, str]] = ..., user_name: _Optional[str] = ...) -> None: ...

class ListWebTokensResponse(_message.Message):
    __slots__ = ["more_coming", "tokens"]
    MORE_COMING_FIELD_NUMBER: _ClassVar[int]
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    more_coming: bool
    tokens: _containers.RepeatedCompositeFieldContainer[_web_token_pb2.WebToken]
    def __init__(self, tokens: _Optional[_Iterable[_Union[_web_token_pb2.WebToken, _Mapping]]] = ..., more_coming: bool = ...) -> None: ...

class Metric(_message.Message):
    __slots__ = ["histogram", "labels", "value"]
    HISTOGRAM_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    histogram: MetricHistogram
    labels: _containers.RepeatedCompositeFieldContainer[MetricLabel]
    value: float
    def __init__(self, labels: _Optional[_Iterable[_Union[MetricLabel, _Mapping]]] = ..., value: _Optional[float] = ..., histogram: _Optional[_Union[MetricHistogram, _Mapping]] = ...) -> None: ...

class MetricFamily(_message.Message):
    __slots__ = ["help", "kind", "metrics", "name"]
    HELP_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    METRICS_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    help: str
    kind: MetricKind
    metrics: _containers.RepeatedCompositeFieldContainer[Metric]
    name: str
    def __init__(self, name: _Optional[str] = ..., kind: _Optional[_Union[MetricKind, str]] = ..., help: _Optional[str] = ..., metrics: _Optional[_Iterable[_Union[Metric, _Mapping]]] = ...) -> None: ...

class MetricHistogram(_message.Message):
    __slots__ = ["bounds", "counts", "sum"]
    BOUNDS_FIELD_NUMBER: _ClassVar[int]
    COUNTS_FIELD_NUMBER: _ClassVar[int]
    SUM_FIELD_NUMBER: _ClassVar[int]
    bounds: _containers.RepeatedScalarFieldContainer[float]
    counts: _containers.RepeatedScalarFieldContainer[int]
    sum: float
    def __init__(self, bounds: _Optional[_Iterable[float]] = ..., counts: _Optional[_Iterable[int]] = ..., sum: _Optional[float] = ...) -> None: ...

class MetricLabel(_message.Message):
    __slots__ = ["name", "value"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: str
    def __init__(self, name: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...

class NewAPIToken(_message.Message):
    __slots__ = ["allowed_origins", "callback_url"]
    ALLOWED_ORIGINS_FIELD_NUMBER: _ClassVar[int]
    CALLBACK_URL_FIELD_NUMBER: _ClassVar[int]
    allowed_origins: _containers.RepeatedScalarFieldContainer[str]
    callback_url: str
    def __init__(self, allowed_origins: _Optional[_Iterable[str]] = ..., callback_url: _Optional[str] = ...) -> None: ...

class NewServerKey(_message.Message):
    __slots__ = ["public_key", "user_name"]
    PUBLIC_KEY_FIELD_NUMBER: _ClassVar[int]
    USER_NAME_FIELD_NUMBER: _ClassVar[int]
    public_key: bytes
    user_name: str
    def __init__(self, user_name: _Optional[str] = ..., public_key: _Optional[bytes] = ...) -> None: ...

class PublicKey(_message.Message):
    __slots__ = ["admitted", "expires", "key", "label", "revoked"]
    ADMITTED_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    REVOKED_FIELD_NUMBER: _ClassVar[int]
    admitted: _timestamp_pb2.Timestamp
    expires: _timestamp_pb2.Timestamp
    key: str
    label: str
    revoked: _timestamp_pb2.Timestamp
    def __init__(self, key: _Optional[str] = ..., expires: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., revoked: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., label: _Optional[str] = ..., admitted: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ResetDevelopmentRequest(_message.Message):
    __slots__ = ["container", "dry_run"]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    container: str
    dry_run: bool
    def __init__(self, container: _Optional[str] = ..., dry_run: bool = ...) -> None: ...

class ResetDevelopmentResponse(_message.Message):
    __slots__ = ["changes", "database_count", "is_running"]
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    DATABASE_COUNT_FIELD_NUMBER: _ClassVar[int]
    IS_RUNNING_FIELD_NUMBER: _ClassVar[int]
    changes: _containers.RepeatedCompositeFieldContainer[_schema_service_pb2.SchemaChange]
    database_count: int
    is_running: bool
    def __init__(self, changes: _Optional[_Iterable[_Union[_schema_service_pb2.SchemaChange, _Mapping]]] = ..., database_count: _Optional[int] = ..., is_running: bool = ...) -> None: ...

class RevokeKeyRequest(_message.Message):
    __slots__ = ["public_key"]
    PUBLIC_KEY_FIELD_NUMBER: _ClassVar[int]
    public_key: str
    def __init__(self, public_key: _Optional[str] = ...) -> None: ...

class RevokeKeyResponse(_message.Message):
    __slots__ = ["account", "rotated_channel_count"]
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    ROTATED_CHANNEL_COUNT_FIELD_NUMBER: _ClassVar[int]
    account: Account
    rotated_channel_count: int
    def __init__(self, account: _Optional[_Union[Account, _Mapping]] = ..., rotated_channel_count: _Optional[int] = ...) -> None: ...

class RevokeWebTokenRequest(_message.Message):
    __slots__ = ["id"]
    ID_FIELD_NUMBER: _ClassVar[int]
    id: int
    def __init__(self, id: _Optional[int] = ...) -> None: ...

class RevokeWebTokenResponse(_message.Message):
    __slots__ = ["token"]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    token: _web_token_pb2.WebToken
    def __init__(self, token: _Optional[_Union[_web_token_pb2.WebToken, _Mapping]] = ...) -> None: ...

class SetLogLevelRequest(_message.Message):
    __slots__ = ["level", "slow_call_milliseconds"]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    SLOW_CALL_MILLISECONDS_FIELD_NUMBER: _ClassVar[int]
    level: LogLevel
    slow_call_milliseconds: int
    def __init__(self, level: _Optional[_Union[LogLevel, str]] = ..., slow_call_milliseconds: _Optional[int] = ...) -> None: ...

class SetLogLevelResponse(_message.Message):
    __slots__ = ["level", "node_name", "previous", "slow_call_milliseconds"]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    NODE_NAME_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_FIELD_NUMBER: _ClassVar[int]
    SLOW_CALL_MILLISECONDS_FIELD_NUMBER: _ClassVar[int]
    level: LogLevel
    node_name: str
    previous: LogLevel
    slow_call_milliseconds: int
    def __init__(self, level: _Optional[_Union[LogLevel, str]] = ..., previous: _Optional[_Union[LogLevel, str]] = ..., node_name: _Optional[str] = ..., slow_call_milliseconds: _Optional[int] = ...) -> None: ...

class SetRetentionRequest(_message.Message):
    __slots__ = ["notification_retention_days", "notifications_max", "resets", "tombstone_retention_days"]
    NOTIFICATIONS_MAX_FIELD_NUMBER: _ClassVar[int]
    NOTIFICATION_RETENTION_DAYS_FIELD_NUMBER: _ClassVar[int]
    RESETS_FIELD_NUMBER: _ClassVar[int]
    TOMBSTONE_RETENTION_DAYS_FIELD_NUMBER: _ClassVar[int]
    notification_retention_days: int
    notifications_max: int
    resets: bool
    tombstone_retention_days: int
    def __init__(self, tombstone_retention_days: _Optional[int] = ..., notification_retention_days: _Optional[int] = ..., notifications_max: _Optional[int] = ..., resets: bool = ...) -> None: ...

class SetRetentionResponse(_message.Message):
    __slots__ = ["notification_retention_days", "notifications_max", "set_names", "tombstone_retention_days"]
    NOTIFICATIONS_MAX_FIELD_NUMBER: _ClassVar[int]
    NOTIFICATION_RETENTION_DAYS_FIELD_NUMBER: _ClassVar[int]
    SET_NAMES_FIELD_NUMBER: _ClassVar[int]
    TOMBSTONE_RETENTION_DAYS_FIELD_NUMBER: _ClassVar[int]
    notification_retention_days: int
    notifications_max: int
    set_names: _containers.RepeatedScalarFieldContainer[str]
    tombstone_retention_days: int
    def __init__(self, tombstone_retention_days: _Optional[int] = ..., notification_retention_days: _Optional[int] = ..., notifications_max: _Optional[int] = ..., set_names: _Optional[_Iterable[str]] = ...) -> None: ...

class SlowCall(_message.Message):
    __slots__ = ["code", "duration_microseconds", "method", "plan", "request_id", "time"]
    CODE_FIELD_NUMBER: _ClassVar[int]
    DURATION_MICROSECONDS_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    code: int
    duration_microseconds: int
    method: str
    plan: str
    request_id: str
    time: _timestamp_pb2.Timestamp
    def __init__(self, time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., method: _Optional[str] = ..., code: _Optional[int] = ..., duration_microseconds: _Optional[int] = ..., request_id: _Optional[str] = ..., plan: _Optional[str] = ...) -> None: ...

class StoreDamage(_message.Message):
    __slots__ = ["asset", "page", "problem", "structure"]
    ASSET_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
    STRUCTURE_FIELD_NUMBER: _ClassVar[int]
    asset: bytes
    page: int
    problem: str
    structure: str
    def __init__(self, page: _Optional[int] = ..., asset: _Optional[bytes] = ..., structure: _Optional[str] = ..., problem: _Optional[str] = ...) -> None: ...

class UpdateUserRequest(_message.Message):
    __slots__ = ["display_name", "quota", "removes_quota", "restricted", "user_name"]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    QUOTA_FIELD_NUMBER: _ClassVar[int]
    REMOVES_QUOTA_FIELD_NUMBER: _ClassVar[int]
    RESTRICTED_FIELD_NUMBER: _ClassVar[int]
    USER_NAME_FIELD_NUMBER: _ClassVar[int]
    display_name: str
    quota: _account_service_pb2.Quota
    removes_quota: bool
    restricted: bool
    user_name: str
    def __init__(self, user_name: _Optional[str] = ..., display_name: _Optional[str] = ..., restricted: bool = ..., quota: _Optional[_Union[_account_service_pb2.Quota, _Mapping]] = ..., removes_quota: bool = ...) -> None: ...

class UpdateUserResponse(_message.Message):
    __slots__ = ["account"]
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    account: Account
    def __init__(self, account: _Optional[_Union[Account, _Mapping]] = ...) -> None: ...

class UserDataItem(_message.Message):
    __slots__ = ["account", "asset", "database_id", "delivery_target", "device", "directory_entry", "notification", "record", "share", "subscription", "usage", "web_token", "zone"]
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    ASSET_FIELD_NUMBER: _ClassVar[int]
    DATABASE_ID_FIELD_NUMBER: _ClassVar[int]
    DELIVERY_TARGET_FIELD_NUMBER: _ClassVar[int]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    DIRECTORY_ENTRY_FIELD_NUMBER: _ClassVar[int]
    NOTIFICATION_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIPTION_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    WEB_TOKEN_FIELD_NUMBER: _ClassVar[int]
    ZONE_FIELD_NUMBER: _ClassVar[int]
    account: Account
    asset: _record_pb2.Asset
    database_id: _database_pb2.DatabaseID
    delivery_target: _delivery_service_pb2.DeliveryTarget
    device: Device
    directory_entry: _account_service_pb2.DirectoryEntry
    notification: _notification_pb2.Notification
    record: _record_pb2.Record
    share: _share_service_pb2.ShareMetadata
    subscription: _notification_pb2.Subscription
    usage: _account_service_pb2.Usage
    web_token: _web_token_pb2.WebToken
    zone: _zone_service_pb2.RecordZone
    def __init__(self, database_id: _Optional[_Union[_database_pb2.DatabaseID, _Mapping]] = ..., account: _Optional[_Union[Account, _Mapping]] = ..., usage: _Optional[_Union[_account_service_pb2.Usage, _Mapping]] = ..., device: _Optional[_Union[Device, _Mapping]] = ..., zone: _Optional[_Union[_zone_service_pb2.RecordZone, _Mapping]] = ..., record: _Optional[_Union[_record_pb2.Record, _Mapping]] = ..., subscription: _Optional[_Union[_notification_pb2.Subscription, _Mapping]] = ..., notification: _Optional[_Union[_notification_pb2.Notification, _Mapping]] = ..., share: _Optional[_Union[_share_service_pb2.ShareMetadata, _Mapping]] = ..., asset: _Optional[_Union[_record_pb2.Asset, _Mapping]] = ..., directory_entry: _Optional[_Union[_account_service_pb2.DirectoryEntry, _Mapping]] = ..., web_token: _Optional[_Union[_web_token_pb2.WebToken, _Mapping]] = ..., delivery_target: _Optional[_Union[_delivery_service_pb2.DeliveryTarget, _Mapping]] = ...) -> None: ...

class UserErasure(_message.Message):
    __slots__ = ["erased", "erasure_id", "finished", "public_records", "remainders", "requested", "requested_by", "user_name"]
    ERASED_FIELD_NUMBER: _ClassVar[int]
    ERASURE_ID_FIELD_NUMBER: _ClassVar[int]
    FINISHED_FIELD_NUMBER: _ClassVar[int]
    PUBLIC_RECORDS_FIELD_NUMBER: _ClassVar[int]
    REMAINDERS_FIELD_NUMBER: _ClassVar[int]
    REQUESTED_BY_FIELD_NUMBER: _ClassVar[int]
    REQUESTED_FIELD_NUMBER: _ClassVar[int]
    USER_NAME_FIELD_NUMBER: _ClassVar[int]
    erased: _containers.RepeatedCompositeFieldContainer[ErasedCount]
    erasure_id: str
    finished: _timestamp_pb2.Timestamp
    public_records: PublicRecordsAction
    remainders: _containers.RepeatedCompositeFieldContainer[ErasureRemainder]
    requested: _timestamp_pb2.Timestamp
    requested_by: str
    user_name: str
    def __init__(self, erasure_id: _Optional[str] = ..., user_name: _Optional[str] = ..., requested_by: _Optional[str] = ..., requested: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., finished: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., public_records: _Optional[_Union[PublicRecordsAction, str]] = ..., erased: _Optional[_Iterable[_Union[ErasedCount, _Mapping]]] = ..., remainders: _Optional[_Iterable[_Union[ErasureRemainder, _Mapping]]] = ...) -> None: ...

class CheckStep(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class LogLevel(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class MetricKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class DrainAction(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class NodeRole(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class PublicRecordsAction(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
