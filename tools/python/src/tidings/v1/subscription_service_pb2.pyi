from google.protobuf import timestamp_pb2 as _timestamp_pb2
from tidings.v1 import database_pb2 as _database_pb2
from tidings.v1 import error_pb2 as _error_pb2
from tidings.v1 import notification_pb2 as _notification_pb2
from tidings.v1 import record_pb2 as _record_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ExplainSubscriptionsRequest(_message.Message):
    __slots__ = ["database_id", "is_save", "record_after", "record_before", "record_id", "subscription_ids"]
    DATABASE_ID_FIELD_NUMBER: _ClassVar[int]
    IS_SAVE_FIELD_NUMBER: _ClassVar[int]
    RECORD_AFTER_FIELD_NUMBER: _ClassVar[int]
    RECORD_BEFORE_FIELD_NUMBER: _ClassVar[int]
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIPTION_IDS_FIELD_NUMBER: _ClassVar[int]
    database_id: _database_pb2.DatabaseID
    is_save: bool
    record_after: _record_pb2.Record
    record_before: _record_pb2.Record
    record_id: _database_pb2.RecordID
    subscription_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, database_id: _Optional[_Union[_database_pb2.DatabaseID, _Mapping]] = ..., subscription_ids: _Optional[_Iterable[str]] = ..., record_after: _Optional[_Union[_record_pb2.Record, _Mapping]] = ..., record_before: _Optional[_Union[_record_pb2.Record, _Mapping]] = ..., is_save: bool = ..., record_id: _Optional[_Union[_database_pb2.RecordID, _Mapping]] = ...) -> None: ...

class ExplainSubscriptionsResponse(_message.Message):
    __slots__ = ["explanations"]
    EXPLANATIONS_FIELD_NUMBER: _ClassVar[int]
    explanations: _containers.RepeatedCompositeFieldContainer[SubscriptionExplanation]
    def __init__(self, explanations: _Optional[_Iterable[_Union[SubscriptionExplanation, _Mapping]]] = ...) -> None: ...

class FetchSubscriptionsRequest(_message.Message):
    __slots__ = ["database_id", "subscription_ids", "wants_health"]
    DATABASE_ID_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIPTION_IDS_FIELD_NUMBER: _ClassVar[int]
    WANTS_HEALTH_FIELD_NUMBER: _ClassVar[int]
    database_id: _database_pb2.DatabaseID
    subscription_ids: _containers.RepeatedScalarFieldContainer[str]
    wants_health: bool
    def __init__(self, database_id: _Optional[_Union[_database_pb2.DatabaseID, _Mapping]] = ..., subscription_ids: _Optional[_Iterable[str]] = ..., wants_health: bool = ...) -> None: ...

class FetchSubscriptionsResponse(_message.Message):
    __slots__ = ["results"]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[SubscriptionResult]
    def __init__(self, results: _Optional[_Iterable[_Union[SubscriptionResult, _Mapping]]] = ...) -> None: ...

class ModifySubscriptionsRequest(_message.Message):
    __slots__ = ["database_id", "subscription_ids_to_delete", "subscriptions_to_save"]
    DATABASE_ID_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIPTIONS_TO_SAVE_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIPTION_IDS_TO_DELETE_FIELD_NUMBER: _ClassVar[int]
    database_id: _database_pb2.DatabaseID
    subscription_ids_to_delete: _containers.RepeatedScalarFieldContainer[str]
    subscriptions_to_save: _containers.RepeatedCompositeFieldContainer[_notification_pb2.Subscription]
    def __init__(self, database_id: _Optional[_Union[_database_pb2.DatabaseID, _Mapping]] = ..., subscriptions_to_save: _Optional[_Iterable[_Union[_notification_pb2.Subscription, _Mapping]]] = ..., subscription_ids_to_delete: _Optional[_Iterable[str]] = ...) -> None: ...

class ModifySubscriptionsResponse(_message.Message):
    __slots__ = ["results"]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[SubscriptionResult]
    def __init__(self, results: _Optional[_Iterable[_Union[SubscriptionResult, _Mapping]]] = ...) -> None: ...

class SubscriptionExplanation(_message.Message):
    __slots__ = ["actual_value", "expected_value", "failed_term", "fires", "message", "reason", "subscription_id"]
    ACTUAL_VALUE_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_VALUE_FIELD_NUMBER: _ClassVar[int]
    FAILED_TERM_FIELD_NUMBER: _ClassVar[int]
    FIRES_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIPTION_ID_FIELD_NUMBER: _ClassVar[int]
    actual_value: str
    expected_value: str
    failed_term: str
    fires: bool
    message: str
    reason: _notification_pb2.QueryNotificationReason
    subscription_id: str
    def __init__(self, subscription_id: _Optional[str] = ..., fires: bool = ..., failed_term: _Optional[str] = ..., reason: _Optional[_Union[_notification_pb2.QueryNotificationReason, str]] = ..., expected_value: _Optional[str] = ..., actual_value: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class SubscriptionHealth(_message.Message):
    __slots__ = ["evaluated_count", "fired_count", "lacks_permission", "last_evaluated", "last_fired", "saved", "subscriber_count", "unread_count"]
    EVALUATED_COUNT_FIELD_NUMBER: _ClassVar[int]
    FIRED_COUNT_FIELD_NUMBER: _ClassVar[int]
    LACKS_PERMISSION_FIELD_NUMBER: _ClassVar[int]
    LAST_EVALUATED_FIELD_NUMBER: _ClassVar[int]
    LAST_FIRED_FIELD_NUMBER: _ClassVar[int]
    SAVED_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIBER_COUNT_FIELD_NUMBER: _ClassVar[int]
    UNREAD_COUNT_FIELD_NUMBER: _ClassVar[int]
    evaluated_count: int
    fired_count: int
    lacks_permission: bool
    last_evaluated: _timestamp_pb2.Timestamp
    last_fired: _timestamp_pb2.Timestamp
    saved: _timestamp_pb2.Timestamp
    subscriber_count: int
    unread_count: int
    def __init__(self, saved: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., last_fired: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., fired_count: _Optional[int] = ..., last_evaluated: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., evaluated_count: _Optional[int] = ..., unread_count: _Optional[int] = ..., subscriber_count: _Optional[int] = ..., lacks_permission: bool = ...) -> None: ...

class SubscriptionResult(_message.Message):
    __slots__ = ["deleted", "error", "health", "subscription", "subscription_id"]
    DELETED_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    HEALTH_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIPTION_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIPTION_ID_FIELD_NUMBER: _ClassVar[int]
    deleted: bool
    error: _error_pb2.ItemError
    health: SubscriptionHealth
    subscription: _notification_pb2.Subscription
    subscription_id: str
    def __init__(self, subscription_id: _Optional[str] = ..., subscription: _Optional[_Union[_notification_pb2.Subscription, _Mapping]] = ..., deleted: bool = ..., error: _Optional[_Union[_error_pb2.ItemError, _Mapping]] = ..., health: _Optional[_Union[SubscriptionHealth, _Mapping]] = ...) -> None: ...
