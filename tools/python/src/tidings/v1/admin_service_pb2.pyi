from google.protobuf import timestamp_pb2 as _timestamp_pb2
from tidings.v1 import account_service_pb2 as _account_service_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

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

class CreateBackupRequest(_message.Message):
    __slots__ = ["name"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class CreateBackupResponse(_message.Message):
    __slots__ = ["path", "size"]
    PATH_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    path: str
    size: int
    def __init__(self, path: _Optional[str] = ..., size: _Optional[int] = ...) -> None: ...

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

class FetchAuditLogRequest(_message.Message):
    __slots__ = ["limit", "user_name"]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    USER_NAME_FIELD_NUMBER: _ClassVar[int]
    limit: int
    user_name: str
    def __init__(self, limit: _Optional[int] = ..., user_name: _Optional[str] = ...) -> None: ...

class FetchAuditLogResponse(_message.Message):
    __slots__ = ["entries"]
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    entries: _containers.RepeatedCompositeFieldContainer[AuditEntry]
    def __init__(self, entries: _Optional[_Iterable[_Union[AuditEntry, _Mapping]]] = ...) -> None: ...

class FetchStatisticsRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class FetchStatisticsResponse(_message.Message):
    __slots__ = ["channels", "database_bytes", "events", "records", "subscriptions", "tombstones", "zones"]
    CHANNELS_FIELD_NUMBER: _ClassVar[int]
    DATABASE_BYTES_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIPTIONS_FIELD_NUMBER: _ClassVar[int]
    TOMBSTONES_FIELD_NUMBER: _ClassVar[int]
    ZONES_FIELD_NUMBER: _ClassVar[int]
    channels: int
    database_bytes: int
    events: int
    records: int
    subscriptions: int
    tombstones: int
    zones: int
    def __init__(self, records: _Optional[int] = ..., tombstones: _Optional[int] = ..., zones: _Optional[int] = ..., subscriptions: _Optional[int] = ..., channels: _Optional[int] = ..., events: _Optional[int] = ..., database_bytes: _Optional[int] = ...) -> None: ...

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

class SetRetentionRequest(_message.Message):
    __slots__ = ["notification_days", "tombstone_days"]
    NOTIFICATION_DAYS_FIELD_NUMBER: _ClassVar[int]
    TOMBSTONE_DAYS_FIELD_NUMBER: _ClassVar[int]
    notification_days: int
    tombstone_days: int
    def __init__(self, notification_days: _Optional[int] = ..., tombstone_days: _Optional[int] = ...) -> None: ...

class SetRetentionResponse(_message.Message):
    __slots__ = ["notification_days", "tombstone_days"]
    NOTIFICATION_DAYS_FIELD_NUMBER: _ClassVar[int]
    TOMBSTONE_DAYS_FIELD_NUMBER: _ClassVar[int]
    notification_days: int
    tombstone_days: int
    def __init__(self, notification_days: _Optional[int] = ..., tombstone_days: _Optional[int] = ...) -> None: ...

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
