from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Mapping as _Mapping, Optional as _Optional, Union as _Union

DATABASE_SCOPE_PRIVATE: DatabaseScope
DATABASE_SCOPE_PUBLIC: DatabaseScope
DATABASE_SCOPE_SHARED: DatabaseScope
DATABASE_SCOPE_UNSPECIFIED: DatabaseScope
DESCRIPTOR: _descriptor.FileDescriptor
ENVIRONMENT_DEVELOPMENT: Environment
ENVIRONMENT_PRODUCTION: Environment
ENVIRONMENT_UNSPECIFIED: Environment
ZONE_DELETION_REASON_DELETED: ZoneDeletionReason
ZONE_DELETION_REASON_ENCRYPTED_DATA_RESET: ZoneDeletionReason
ZONE_DELETION_REASON_PURGED: ZoneDeletionReason
ZONE_DELETION_REASON_UNSPECIFIED: ZoneDeletionReason

class DatabaseID(_message.Message):
    __slots__ = ["container", "environment", "scope"]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENT_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    container: str
    environment: Environment
    scope: DatabaseScope
    def __init__(self, container: _Optional[str] = ..., environment: _Optional[_Union[Environment, str]] = ..., scope: _Optional[_Union[DatabaseScope, str]] = ...) -> None: ...

class RecordID(_message.Message):
    __slots__ = ["record_name", "zone_id"]
    RECORD_NAME_FIELD_NUMBER: _ClassVar[int]
    ZONE_ID_FIELD_NUMBER: _ClassVar[int]
    record_name: str
    zone_id: ZoneID
    def __init__(self, record_name: _Optional[str] = ..., zone_id: _Optional[_Union[ZoneID, _Mapping]] = ...) -> None: ...

class ZoneID(_message.Message):
    __slots__ = ["owner_name", "zone_name"]
    OWNER_NAME_FIELD_NUMBER: _ClassVar[int]
    ZONE_NAME_FIELD_NUMBER: _ClassVar[int]
    owner_name: str
    zone_name: str
    def __init__(self, zone_name: _Optional[str] = ..., owner_name: _Optional[str] = ...) -> None: ...

class Environment(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class DatabaseScope(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class ZoneDeletionReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
