from google.protobuf import timestamp_pb2 as _timestamp_pb2
from tidings.v1 import database_pb2 as _database_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

ACCEPTANCE_STATUS_ACCEPTED: AcceptanceStatus
ACCEPTANCE_STATUS_PENDING: AcceptanceStatus
ACCEPTANCE_STATUS_REMOVED: AcceptanceStatus
ACCEPTANCE_STATUS_UNSPECIFIED: AcceptanceStatus
DESCRIPTOR: _descriptor.FileDescriptor
ENCRYPTED_TYPE_BYTES: EncryptedType
ENCRYPTED_TYPE_DOUBLE: EncryptedType
ENCRYPTED_TYPE_INT64: EncryptedType
ENCRYPTED_TYPE_LOCATION: EncryptedType
ENCRYPTED_TYPE_STRING: EncryptedType
ENCRYPTED_TYPE_TIMESTAMP: EncryptedType
ENCRYPTED_TYPE_UNSPECIFIED: EncryptedType
PARTICIPANT_PERMISSION_NONE: ParticipantPermission
PARTICIPANT_PERMISSION_READ_ONLY: ParticipantPermission
PARTICIPANT_PERMISSION_READ_WRITE: ParticipantPermission
PARTICIPANT_PERMISSION_UNSPECIFIED: ParticipantPermission
PARTICIPANT_ROLE_ADMINISTRATOR: ParticipantRole
PARTICIPANT_ROLE_OWNER: ParticipantRole
PARTICIPANT_ROLE_PRIVATE_USER: ParticipantRole
PARTICIPANT_ROLE_PUBLIC_USER: ParticipantRole
PARTICIPANT_ROLE_UNSPECIFIED: ParticipantRole
REFERENCE_ACTION_DELETE_SELF: ReferenceAction
REFERENCE_ACTION_NONE: ReferenceAction
REFERENCE_ACTION_UNSPECIFIED: ReferenceAction
REFERENCE_ACTION_VALIDATE: ReferenceAction

class AccessRequester(_message.Message):
    __slots__ = ["requested", "user_record_name"]
    REQUESTED_FIELD_NUMBER: _ClassVar[int]
    USER_RECORD_NAME_FIELD_NUMBER: _ClassVar[int]
    requested: _timestamp_pb2.Timestamp
    user_record_name: str
    def __init__(self, user_record_name: _Optional[str] = ..., requested: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Asset(_message.Message):
    __slots__ = ["checksum", "size"]
    CHECKSUM_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    checksum: bytes
    size: int
    def __init__(self, checksum: _Optional[bytes] = ..., size: _Optional[int] = ...) -> None: ...

class AssetList(_message.Message):
    __slots__ = ["values"]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedCompositeFieldContainer[Asset]
    def __init__(self, values: _Optional[_Iterable[_Union[Asset, _Mapping]]] = ...) -> None: ...

class BytesList(_message.Message):
    __slots__ = ["values"]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, values: _Optional[_Iterable[bytes]] = ...) -> None: ...

class DoubleList(_message.Message):
    __slots__ = ["values"]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, values: _Optional[_Iterable[float]] = ...) -> None: ...

class EncryptedValue(_message.Message):
    __slots__ = ["key_id", "sealed", "type"]
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    SEALED_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    key_id: bytes
    sealed: bytes
    type: EncryptedType
    def __init__(self, type: _Optional[_Union[EncryptedType, str]] = ..., key_id: _Optional[bytes] = ..., sealed: _Optional[bytes] = ...) -> None: ...

class FieldValue(_message.Message):
    __slots__ = ["asset_list_value", "asset_value", "bytes_list_value", "bytes_value", "double_list_value", "double_value", "encrypted_value", "int64_list_value", "int64_value", "location_list_value", "location_value", "reference_list_value", "reference_value", "string_list_value", "string_value", "timestamp_list_value", "timestamp_value", "unknown_list_value"]
    ASSET_LIST_VALUE_FIELD_NUMBER: _ClassVar[int]
    ASSET_VALUE_FIELD_NUMBER: _ClassVar[int]
    BYTES_LIST_VALUE_FIELD_NUMBER: _ClassVar[int]
    BYTES_VALUE_FIELD_NUMBER: _ClassVar[int]
    DOUBLE_LIST_VALUE_FIELD_NUMBER: _ClassVar[int]
    DOUBLE_VALUE_FIELD_NUMBER: _ClassVar[int]
    ENCRYPTED_VALUE_FIELD_NUMBER: _ClassVar[int]
    INT64_LIST_VALUE_FIELD_NUMBER: _ClassVar[int]
    INT64_VALUE_FIELD_NUMBER: _ClassVar[int]
    LOCATION_LIST_VALUE_FIELD_NUMBER: _ClassVar[int]
    LOCATION_VALUE_FIELD_NUMBER: _ClassVar[int]
    REFERENCE_LIST_VALUE_FIELD_NUMBER: _ClassVar[int]
    REFERENCE_VALUE_FIELD_NUMBER: _ClassVar[int]
    STRING_LIST_VALUE_FIELD_NUMBER: _ClassVar[int]
    STRING_VALUE_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_LIST_VALUE_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_VALUE_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_LIST_VALUE_FIELD_NUMBER: _ClassVar[int]
    asset_list_value: AssetList
    asset_value: Asset
    bytes_list_value: BytesList
    bytes_value: bytes
    double_list_value: DoubleList
    double_value: float
    encrypted_value: EncryptedValue
    int64_list_value: Int64List
    int64_value: int
    location_list_value: LocationList
    location_value: Location
    reference_list_value: ReferenceList
    reference_value: Reference
    string_list_value: StringList
    string_value: str
    timestamp_list_value: TimestampList
    timestamp_value: _timestamp_pb2.Timestamp
    unknown_list_value: UnknownList
    def __init__(self, string_value: _Optional[str] = ..., int64_value: _Optional[int] = ..., double_value: _Optional[float] = ..., bytes_value: _Optional[bytes] = ..., timestamp_value: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., location_value: _Optional[_Union[Location, _Mapping]] = ..., reference_value: _Optional[_Union[Reference, _Mapping]] = ..., asset_value: _Optional[_Union[Asset, _Mapping]] = ..., string_list_value: _Optional[_Union[StringList, _Mapping]] = ..., int64_list_value: _Optional[_Union[Int64List, _Mapping]] = ..., double_list_value: _Optional[_Union[DoubleList, _Mapping]] = ..., bytes_list_value: _Optional[_Union[BytesList, _Mapping]] = ..., timestamp_list_value: _Optional[_Union[TimestampList, _Mapping]] = ..., location_list_value: _Optional[_Union[LocationList, _Mapping]] = ..., reference_list_value: _Optional[_Union[ReferenceList, _Mapping]] = ..., asset_list_value: _Optional[_Union[AssetList, _Mapping]] = ..., unknown_list_value: _Optional[_Union[UnknownList, _Mapping]] = ..., encrypted_value: _Optional[_Union[EncryptedValue, _Mapping]] = ...) -> None: ...

class Int64List(_message.Message):
    __slots__ = ["values"]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, values: _Optional[_Iterable[int]] = ...) -> None: ...

class Location(_message.Message):
    __slots__ = ["altitude", "course", "horizontal_accuracy", "latitude", "longitude", "speed", "timestamp", "vertical_accuracy"]
    ALTITUDE_FIELD_NUMBER: _ClassVar[int]
    COURSE_FIELD_NUMBER: _ClassVar[int]
    HORIZONTAL_ACCURACY_FIELD_NUMBER: _ClassVar[int]
    LATITUDE_FIELD_NUMBER: _ClassVar[int]
    LONGITUDE_FIELD_NUMBER: _ClassVar[int]
    SPEED_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    VERTICAL_ACCURACY_FIELD_NUMBER: _ClassVar[int]
    altitude: float
    course: float
    horizontal_accuracy: float
    latitude: float
    longitude: float
    speed: float
    timestamp: _timestamp_pb2.Timestamp
    vertical_accuracy: float
    def __init__(self, latitude: _Optional[float] = ..., longitude: _Optional[float] = ..., horizontal_accuracy: _Optional[float] = ..., vertical_accuracy: _Optional[float] = ..., altitude: _Optional[float] = ..., speed: _Optional[float] = ..., course: _Optional[float] = ..., timestamp: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class LocationList(_message.Message):
    __slots__ = ["values"]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedCompositeFieldContainer[Location]
    def __init__(self, values: _Optional[_Iterable[_Union[Location, _Mapping]]] = ...) -> None: ...

class ModificationInfo(_message.Message):
    __slots__ = ["device_id", "timestamp", "user_record_name"]
    DEVICE_ID_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    USER_RECORD_NAME_FIELD_NUMBER: _ClassVar[int]
    device_id: str
    timestamp: _timestamp_pb2.Timestamp
    user_record_name: str
    def __init__(self, timestamp: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., user_record_name: _Optional[str] = ..., device_id: _Optional[str] = ...) -> None: ...

class Participant(_message.Message):
    __slots__ = ["acceptance_status", "expires", "one_time_url", "participant_id", "permission", "role", "user_record_name"]
    ACCEPTANCE_STATUS_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_FIELD_NUMBER: _ClassVar[int]
    ONE_TIME_URL_FIELD_NUMBER: _ClassVar[int]
    PARTICIPANT_ID_FIELD_NUMBER: _ClassVar[int]
    PERMISSION_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    USER_RECORD_NAME_FIELD_NUMBER: _ClassVar[int]
    acceptance_status: AcceptanceStatus
    expires: _timestamp_pb2.Timestamp
    one_time_url: str
    participant_id: str
    permission: ParticipantPermission
    role: ParticipantRole
    user_record_name: str
    def __init__(self, user_record_name: _Optional[str] = ..., role: _Optional[_Union[ParticipantRole, str]] = ..., permission: _Optional[_Union[ParticipantPermission, str]] = ..., acceptance_status: _Optional[_Union[AcceptanceStatus, str]] = ..., participant_id: _Optional[str] = ..., one_time_url: _Optional[str] = ..., expires: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Record(_message.Message):
    __slots__ = ["change_tag", "created", "fields", "modified", "parent", "record_id", "record_type", "share", "share_record_name"]
    class FieldsEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: FieldValue
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[FieldValue, _Mapping]] = ...) -> None: ...
    CHANGE_TAG_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    FIELDS_FIELD_NUMBER: _ClassVar[int]
    MODIFIED_FIELD_NUMBER: _ClassVar[int]
    PARENT_FIELD_NUMBER: _ClassVar[int]
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    RECORD_TYPE_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    SHARE_RECORD_NAME_FIELD_NUMBER: _ClassVar[int]
    change_tag: str
    created: ModificationInfo
    fields: _containers.MessageMap[str, FieldValue]
    modified: ModificationInfo
    parent: Reference
    record_id: _database_pb2.RecordID
    record_type: str
    share: Share
    share_record_name: str
    def __init__(self, record_id: _Optional[_Union[_database_pb2.RecordID, _Mapping]] = ..., record_type: _Optional[str] = ..., fields: _Optional[_Mapping[str, FieldValue]] = ..., change_tag: _Optional[str] = ..., created: _Optional[_Union[ModificationInfo, _Mapping]] = ..., modified: _Optional[_Union[ModificationInfo, _Mapping]] = ..., parent: _Optional[_Union[Reference, _Mapping]] = ..., share: _Optional[_Union[Share, _Mapping]] = ..., share_record_name: _Optional[str] = ...) -> None: ...

class Reference(_message.Message):
    __slots__ = ["action", "record_id"]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    action: ReferenceAction
    record_id: _database_pb2.RecordID
    def __init__(self, record_id: _Optional[_Union[_database_pb2.RecordID, _Mapping]] = ..., action: _Optional[_Union[ReferenceAction, str]] = ...) -> None: ...

class ReferenceList(_message.Message):
    __slots__ = ["values"]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedCompositeFieldContainer[Reference]
    def __init__(self, values: _Optional[_Iterable[_Union[Reference, _Mapping]]] = ...) -> None: ...

class Share(_message.Message):
    __slots__ = ["allows_access_requests", "blocked_user_record_names", "participants", "public_permission", "requesters", "root_record_name", "url"]
    ALLOWS_ACCESS_REQUESTS_FIELD_NUMBER: _ClassVar[int]
    BLOCKED_USER_RECORD_NAMES_FIELD_NUMBER: _ClassVar[int]
    PARTICIPANTS_FIELD_NUMBER: _ClassVar[int]
    PUBLIC_PERMISSION_FIELD_NUMBER: _ClassVar[int]
    REQUESTERS_FIELD_NUMBER: _ClassVar[int]
    ROOT_RECORD_NAME_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    allows_access_requests: bool
    blocked_user_record_names: _containers.RepeatedScalarFieldContainer[str]
    participants: _containers.RepeatedCompositeFieldContainer[Participant]
    public_permission: ParticipantPermission
    requesters: _containers.RepeatedCompositeFieldContainer[AccessRequester]
    root_record_name: str
    url: str
    def __init__(self, root_record_name: _Optional[str] = ..., public_permission: _Optional[_Union[ParticipantPermission, str]] = ..., participants: _Optional[_Iterable[_Union[Participant, _Mapping]]] = ..., url: _Optional[str] = ..., allows_access_requests: bool = ..., requesters: _Optional[_Iterable[_Union[AccessRequester, _Mapping]]] = ..., blocked_user_record_names: _Optional[_Iterable[str]] = ...) -> None: ...

class StringList(_message.Message):
    __slots__ = ["values"]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, values: _Optional[_Iterable[str]] = ...) -> None: ...

class TimestampList(_message.Message):
    __slots__ = ["values"]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedCompositeFieldContainer[_timestamp_pb2.Timestamp]
    def __init__(self, values: _Optional[_Iterable[_Union[_timestamp_pb2.Timestamp, _Mapping]]] = ...) -> None: ...

class UnknownList(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class ReferenceAction(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class EncryptedType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class ParticipantPermission(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class ParticipantRole(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class AcceptanceStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
