from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
ERROR_CODE_ACCOUNT_TEMPORARILY_UNAVAILABLE: ErrorCode
ERROR_CODE_ALREADY_SHARED: ErrorCode
ERROR_CODE_ASSET_FILE_MODIFIED: ErrorCode
ERROR_CODE_ASSET_FILE_NOT_FOUND: ErrorCode
ERROR_CODE_ASSET_NOT_AVAILABLE: ErrorCode
ERROR_CODE_BAD_CONTAINER: ErrorCode
ERROR_CODE_BAD_DATABASE: ErrorCode
ERROR_CODE_BATCH_REQUEST_FAILED: ErrorCode
ERROR_CODE_CHANGE_TOKEN_EXPIRED: ErrorCode
ERROR_CODE_CONSTRAINT_VIOLATION: ErrorCode
ERROR_CODE_INCOMPATIBLE_VERSION: ErrorCode
ERROR_CODE_INTERNAL_ERROR: ErrorCode
ERROR_CODE_INVALID_ARGUMENTS: ErrorCode
ERROR_CODE_LIMIT_EXCEEDED: ErrorCode
ERROR_CODE_MANAGED_ACCOUNT_RESTRICTED: ErrorCode
ERROR_CODE_MISSING_ENTITLEMENT: ErrorCode
ERROR_CODE_NETWORK_FAILURE: ErrorCode
ERROR_CODE_NETWORK_UNAVAILABLE: ErrorCode
ERROR_CODE_NOT_AUTHENTICATED: ErrorCode
ERROR_CODE_OPERATION_CANCELLED: ErrorCode
ERROR_CODE_PARTIAL_FAILURE: ErrorCode
ERROR_CODE_PARTICIPANT_ALREADY_INVITED: ErrorCode
ERROR_CODE_PARTICIPANT_MAY_NEED_VERIFICATION: ErrorCode
ERROR_CODE_PERMISSION_FAILURE: ErrorCode
ERROR_CODE_QUOTA_EXCEEDED: ErrorCode
ERROR_CODE_REFERENCE_VIOLATION: ErrorCode
ERROR_CODE_REQUEST_RATE_LIMITED: ErrorCode
ERROR_CODE_RESULTS_TRUNCATED: ErrorCode
ERROR_CODE_SERVER_RECORD_CHANGED: ErrorCode
ERROR_CODE_SERVER_REJECTED_REQUEST: ErrorCode
ERROR_CODE_SERVER_RESPONSE_LOST: ErrorCode
ERROR_CODE_SERVICE_UNAVAILABLE: ErrorCode
ERROR_CODE_TOO_MANY_PARTICIPANTS: ErrorCode
ERROR_CODE_UNKNOWN_ITEM: ErrorCode
ERROR_CODE_UNSPECIFIED: ErrorCode
ERROR_CODE_USER_DELETED_ZONE: ErrorCode
ERROR_CODE_ZONE_BUSY: ErrorCode
ERROR_CODE_ZONE_NOT_FOUND: ErrorCode

class ItemError(_message.Message):
    __slots__ = ["code", "existing_subscription_id", "message", "retry_after"]
    CODE_FIELD_NUMBER: _ClassVar[int]
    EXISTING_SUBSCRIPTION_ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    RETRY_AFTER_FIELD_NUMBER: _ClassVar[int]
    code: ErrorCode
    existing_subscription_id: str
    message: str
    retry_after: _duration_pb2.Duration
    def __init__(self, code: _Optional[_Union[ErrorCode, str]] = ..., message: _Optional[str] = ..., retry_after: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., existing_subscription_id: _Optional[str] = ...) -> None: ...

class ErrorCode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
