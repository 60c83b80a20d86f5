from google.protobuf import timestamp_pb2 as _timestamp_pb2
from tidings.v1 import database_pb2 as _database_pb2
from tidings.v1 import error_pb2 as _error_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

ACCOUNT_STATUS_AVAILABLE: AccountStatus
ACCOUNT_STATUS_NO_ACCOUNT: AccountStatus
ACCOUNT_STATUS_RESTRICTED: AccountStatus
ACCOUNT_STATUS_TEMPORARILY_UNAVAILABLE: AccountStatus
ACCOUNT_STATUS_UNSPECIFIED: AccountStatus
DESCRIPTOR: _descriptor.FileDescriptor

class ApproveSignInRequest(_message.Message):
    __slots__ = ["user_code", "validate_only"]
    USER_CODE_FIELD_NUMBER: _ClassVar[int]
    VALIDATE_ONLY_FIELD_NUMBER: _ClassVar[int]
    user_code: str
    validate_only: bool
    def __init__(self, user_code: _Optional[str] = ..., validate_only: bool = ...) -> None: ...

class ApproveSignInResponse(_message.Message):
    __slots__ = ["container", "environment", "keep_signed_in", "label"]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENT_FIELD_NUMBER: _ClassVar[int]
    KEEP_SIGNED_IN_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    container: str
    environment: _database_pb2.Environment
    keep_signed_in: bool
    label: str
    def __init__(self, container: _Optional[str] = ..., environment: _Optional[_Union[_database_pb2.Environment, str]] = ..., label: _Optional[str] = ..., keep_signed_in: bool = ...) -> None: ...

class DirectoryEntry(_message.Message):
    __slots__ = ["display_name", "email_address", "phone_number"]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    EMAIL_ADDRESS_FIELD_NUMBER: _ClassVar[int]
    PHONE_NUMBER_FIELD_NUMBER: _ClassVar[int]
    display_name: str
    email_address: str
    phone_number: str
    def __init__(self, display_name: _Optional[str] = ..., email_address: _Optional[str] = ..., phone_number: _Optional[str] = ...) -> None: ...

class FetchAccountStatusRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class FetchAccountStatusResponse(_message.Message):
    __slots__ = ["key_expires_ms", "quota", "roles", "status", "usage", "user_record_name"]
    KEY_EXPIRES_MS_FIELD_NUMBER: _ClassVar[int]
    QUOTA_FIELD_NUMBER: _ClassVar[int]
    ROLES_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    USER_RECORD_NAME_FIELD_NUMBER: _ClassVar[int]
    key_expires_ms: int
    quota: Quota
    roles: _containers.RepeatedScalarFieldContainer[str]
    status: AccountStatus
    usage: _containers.RepeatedCompositeFieldContainer[Usage]
    user_record_name: str
    def __init__(self, status: _Optional[_Union[AccountStatus, str]] = ..., user_record_name: _Optional[str] = ..., roles: _Optional[_Iterable[str]] = ..., usage: _Optional[_Iterable[_Union[Usage, _Mapping]]] = ..., quota: _Optional[_Union[Quota, _Mapping]] = ..., key_expires_ms: _Optional[int] = ...) -> None: ...

class FetchDirectoryEntryRequest(_message.Message):
    __slots__ = ["container", "environment"]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENT_FIELD_NUMBER: _ClassVar[int]
    container: str
    environment: _database_pb2.Environment
    def __init__(self, container: _Optional[str] = ..., environment: _Optional[_Union[_database_pb2.Environment, str]] = ...) -> None: ...

class FetchDirectoryEntryResponse(_message.Message):
    __slots__ = ["entry"]
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    entry: DirectoryEntry
    def __init__(self, entry: _Optional[_Union[DirectoryEntry, _Mapping]] = ...) -> None: ...

class FetchUserRecordIDRequest(_message.Message):
    __slots__ = ["container"]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    container: str
    def __init__(self, container: _Optional[str] = ...) -> None: ...

class FetchUserRecordIDResponse(_message.Message):
    __slots__ = ["user_record_name"]
    USER_RECORD_NAME_FIELD_NUMBER: _ClassVar[int]
    user_record_name: str
    def __init__(self, user_record_name: _Optional[str] = ...) -> None: ...

class FetchUsersRequest(_message.Message):
    __slots__ = ["container", "environment", "lookups"]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENT_FIELD_NUMBER: _ClassVar[int]
    LOOKUPS_FIELD_NUMBER: _ClassVar[int]
    container: str
    environment: _database_pb2.Environment
    lookups: _containers.RepeatedCompositeFieldContainer[UserLookup]
    def __init__(self, container: _Optional[str] = ..., environment: _Optional[_Union[_database_pb2.Environment, str]] = ..., lookups: _Optional[_Iterable[_Union[UserLookup, _Mapping]]] = ...) -> None: ...

class FetchUsersResponse(_message.Message):
    __slots__ = ["results"]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[UserResult]
    def __init__(self, results: _Optional[_Iterable[_Union[UserResult, _Mapping]]] = ...) -> None: ...

class IssueWebAuthTokenRequest(_message.Message):
    __slots__ = ["api_token", "keep_signed_in"]
    API_TOKEN_FIELD_NUMBER: _ClassVar[int]
    KEEP_SIGNED_IN_FIELD_NUMBER: _ClassVar[int]
    api_token: str
    keep_signed_in: bool
    def __init__(self, api_token: _Optional[str] = ..., keep_signed_in: bool = ...) -> None: ...

class IssueWebAuthTokenResponse(_message.Message):
    __slots__ = ["expires", "web_auth_token"]
    EXPIRES_FIELD_NUMBER: _ClassVar[int]
    WEB_AUTH_TOKEN_FIELD_NUMBER: _ClassVar[int]
    expires: _timestamp_pb2.Timestamp
    web_auth_token: str
    def __init__(self, web_auth_token: _Optional[str] = ..., expires: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ListDirectoryRequest(_message.Message):
    __slots__ = ["after", "container", "environment", "limit"]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENT_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    after: str
    container: str
    environment: _database_pb2.Environment
    limit: int
    def __init__(self, container: _Optional[str] = ..., environment: _Optional[_Union[_database_pb2.Environment, str]] = ..., after: _Optional[str] = ..., limit: _Optional[int] = ...) -> None: ...

class ListDirectoryResponse(_message.Message):
    __slots__ = ["more_coming", "users"]
    MORE_COMING_FIELD_NUMBER: _ClassVar[int]
    USERS_FIELD_NUMBER: _ClassVar[int]
    more_coming: bool
    users: _containers.RepeatedCompositeFieldContainer[User]
    def __init__(self, users: _Optional[_Iterable[_Union[User, _Mapping]]] = ..., more_coming: bool = ...) -> None: ...

class Quota(_message.Message):
    __slots__ = ["bytes_max", "calls_per_second_max", "connections_max", "records_max", "subscriptions_max"]
    BYTES_MAX_FIELD_NUMBER: _ClassVar[int]
    CALLS_PER_SECOND_MAX_FIELD_NUMBER: _ClassVar[int]
    CONNECTIONS_MAX_FIELD_NUMBER: _ClassVar[int]
    RECORDS_MAX_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIPTIONS_MAX_FIELD_NUMBER: _ClassVar[int]
    bytes_max: int
    calls_per_second_max: int
    connections_max: int
    records_max: int
    subscriptions_max: int
    def __init__(self, records_max: _Optional[int] = ..., bytes_max: _Optional[int] = ..., calls_per_second_max: _Optional[int] = ..., subscriptions_max: _Optional[int] = ..., connections_max: _Optional[int] = ...) -> None: ...

class RevokeWebAuthTokenRequest(_message.Message):
    __slots__ = ["web_auth_token"]
    WEB_AUTH_TOKEN_FIELD_NUMBER: _ClassVar[int]
    web_auth_token: str
    def __init__(self, web_auth_token: _Optional[str] = ...) -> None: ...

class RevokeWebAuthTokenResponse(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class UpdateDirectoryEntryRequest(_message.Message):
    __slots__ = ["container", "entry", "environment"]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENT_FIELD_NUMBER: _ClassVar[int]
    container: str
    entry: DirectoryEntry
    environment: _database_pb2.Environment
    def __init__(self, container: _Optional[str] = ..., environment: _Optional[_Union[_database_pb2.Environment, str]] = ..., entry: _Optional[_Union[DirectoryEntry, _Mapping]] = ...) -> None: ...

class UpdateDirectoryEntryResponse(_message.Message):
    __slots__ = ["entry"]
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    entry: DirectoryEntry
    def __init__(self, entry: _Optional[_Union[DirectoryEntry, _Mapping]] = ...) -> None: ...

class Usage(_message.Message):
    __slots__ = ["bytes", "container", "records", "subscriptions"]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIPTIONS_FIELD_NUMBER: _ClassVar[int]
    bytes: int
    container: str
    records: int
    subscriptions: int
    def __init__(self, container: _Optional[str] = ..., records: _Optional[int] = ..., bytes: _Optional[int] = ..., subscriptions: _Optional[int] = ...) -> None: ...

class User(_message.Message):
    __slots__ = ["discoverable", "display_name", "user_record_name"]
    DISCOVERABLE_FIELD_NUMBER: _ClassVar[int]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    USER_RECORD_NAME_FIELD_NUMBER: _ClassVar[int]
    discoverable: bool
    display_name: str
    user_record_name: str
    def __init__(self, user_record_name: _Optional[str] = ..., display_name: _Optional[str] = ..., discoverable: bool = ...) -> None: ...

class UserLookup(_message.Message):
    __slots__ = ["email_address", "phone_number", "user_record_name"]
    EMAIL_ADDRESS_FIELD_NUMBER: _ClassVar[int]
    PHONE_NUMBER_FIELD_NUMBER: _ClassVar[int]
    USER_RECORD_NAME_FIELD_NUMBER: _ClassVar[int]
    email_address: str
    phone_number: str
    user_record_name: str
    def __init__(self, user_record_name: _Optional[str] = ..., email_address: _Optional[str] = ..., phone_number: _Optional[str] = ...) -> None: ...

class UserResult(_message.Message):
    __slots__ = ["error", "lookup", "user"]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    LOOKUP_FIELD_NUMBER: _ClassVar[int]
    USER_FIELD_NUMBER: _ClassVar[int]
    error: _error_pb2.ItemError
    lookup: UserLookup
    user: User
    def __init__(self, lookup: _Optional[_Union[UserLookup, _Mapping]] = ..., user: _Optional[_Union[User, _Mapping]] = ..., error: _Optional[_Union[_error_pb2.ItemError, _Mapping]] = ...) -> None: ...

class AccountStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
