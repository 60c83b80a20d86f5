from google.protobuf import timestamp_pb2 as _timestamp_pb2
from tidings.v1 import database_pb2 as _database_pb2
from tidings.v1 import predicate_pb2 as _predicate_pb2
from tidings.v1 import record_pb2 as _record_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
NOTIFICATION_TYPE_DATABASE: NotificationType
NOTIFICATION_TYPE_QUERY: NotificationType
NOTIFICATION_TYPE_READ_NOTIFICATION: NotificationType
NOTIFICATION_TYPE_RECORD_ZONE: NotificationType
NOTIFICATION_TYPE_UNSPECIFIED: NotificationType
QUERY_NOTIFICATION_REASON_RECORD_CREATED: QueryNotificationReason
QUERY_NOTIFICATION_REASON_RECORD_DELETED: QueryNotificationReason
QUERY_NOTIFICATION_REASON_RECORD_ENTERED: QueryNotificationReason
QUERY_NOTIFICATION_REASON_RECORD_LEFT: QueryNotificationReason
QUERY_NOTIFICATION_REASON_RECORD_UPDATED: QueryNotificationReason
QUERY_NOTIFICATION_REASON_UNSPECIFIED: QueryNotificationReason
SUBSCRIPTION_TYPE_DATABASE: SubscriptionType
SUBSCRIPTION_TYPE_QUERY: SubscriptionType
SUBSCRIPTION_TYPE_RECORD_ZONE: SubscriptionType
SUBSCRIPTION_TYPE_UNSPECIFIED: SubscriptionType

class Notification(_message.Message):
    __slots__ = ["alert_localization_values", "collapse_id", "committed", "database_id", "is_pruned", "notification_id", "notification_info", "omitted_keys", "position", "reason", "record_fields", "record_id", "record_type", "subscription_id", "subtitle_localization_values", "title_localization_values", "type", "user_info_json"]
    class RecordFieldsEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: _record_pb2.FieldValue
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[_record_pb2.FieldValue, _Mapping]] = ...) -> None: ...
    ALERT_LOCALIZATION_VALUES_FIELD_NUMBER: _ClassVar[int]
    COLLAPSE_ID_FIELD_NUMBER: _ClassVar[int]
    COMMITTED_FIELD_NUMBER: _ClassVar[int]
    DATABASE_ID_FIELD_NUMBER: _ClassVar[int]
    IS_PRUNED_FIELD_NUMBER: _ClassVar[int]
    NOTIFICATION_ID_FIELD_NUMBER: _ClassVar[int]
    NOTIFICATION_INFO_FIELD_NUMBER: _ClassVar[int]
    OMITTED_KEYS_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELDS_FIELD_NUMBER: _ClassVar[int]
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    RECORD_TYPE_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIPTION_ID_FIELD_NUMBER: _ClassVar[int]
    SUBTITLE_LOCALIZATION_VALUES_FIELD_NUMBER: _ClassVar[int]
    TITLE_LOCALIZATION_VALUES_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    USER_INFO_JSON_FIELD_NUMBER: _ClassVar[int]
    alert_localization_values: _containers.RepeatedScalarFieldContainer[str]
    collapse_id: str
    committed: _timestamp_pb2.Timestamp
    database_id: _database_pb2.DatabaseID
    is_pruned: bool
    notification_id: str
    notification_info: NotificationInfo
    omitted_keys: _containers.RepeatedScalarFieldContainer[str]
    position: SubscriptionPosition
    reason: QueryNotificationReason
    record_fields: _containers.MessageMap[str, _record_pb2.FieldValue]
    record_id: _database_pb2.RecordID
    record_type: str
    subscription_id: str
    subtitle_localization_values: _containers.RepeatedScalarFieldContainer[str]
    title_localization_values: _containers.RepeatedScalarFieldContainer[str]
    type: NotificationType
    user_info_json: str
    def __init__(self, notification_id: _Optional[str] = ..., type: _Optional[_Union[NotificationType, str]] = ..., subscription_id: _Optional[str] = ..., database_id: _Optional[_Union[_database_pb2.DatabaseID, _Mapping]] = ..., reason: _Optional[_Union[QueryNotificationReason, str]] = ..., record_id: _Optional[_Union[_database_pb2.RecordID, _Mapping]] = ..., record_type: _Optional[str] = ..., record_fields: _Optional[_Mapping[str, _record_pb2.FieldValue]] = ..., notification_info: _Optional[_Union[NotificationInfo, _Mapping]] = ..., committed: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., is_pruned: bool = ..., position: _Optional[_Union[SubscriptionPosition, _Mapping]] = ..., alert_localization_values: _Optional[_Iterable[str]] = ..., title_localization_values: _Optional[_Iterable[str]] = ..., subtitle_localization_values: _Optional[_Iterable[str]] = ..., collapse_id: _Optional[str] = ..., omitted_keys: _Optional[_Iterable[str]] = ..., user_info_json: _Optional[str] = ...) -> None: ...

class NotificationInfo(_message.Message):
    __slots__ = ["alert_action_localization_key", "alert_body", "alert_launch_image", "alert_localization_args", "alert_localization_key", "category", "collapse_id_key", "desired_keys", "should_badge", "should_send_content_available", "should_send_mutable_content", "sound_name", "subtitle", "subtitle_localization_args", "subtitle_localization_key", "title", "title_localization_args", "title_localization_key"]
    ALERT_ACTION_LOCALIZATION_KEY_FIELD_NUMBER: _ClassVar[int]
    ALERT_BODY_FIELD_NUMBER: _ClassVar[int]
    ALERT_LAUNCH_IMAGE_FIELD_NUMBER: _ClassVar[int]
    ALERT_LOCALIZATION_ARGS_FIELD_NUMBER: _ClassVar[int]
    ALERT_LOCALIZATION_KEY_FIELD_NUMBER: _ClassVar[int]
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    COLLAPSE_ID_KEY_FIELD_NUMBER: _ClassVar[int]
    DESIRED_KEYS_FIELD_NUMBER: _ClassVar[int]
    SHOULD_BADGE_FIELD_NUMBER: _ClassVar[int]
    SHOULD_SEND_CONTENT_AVAILABLE_FIELD_NUMBER: _ClassVar[int]
    SHOULD_SEND_MUTABLE_CONTENT_FIELD_NUMBER: _ClassVar[int]
    SOUND_NAME_FIELD_NUMBER: _ClassVar[int]
    SUBTITLE_FIELD_NUMBER: _ClassVar[int]
    SUBTITLE_LOCALIZATION_ARGS_FIELD_NUMBER: _ClassVar[int]
    SUBTITLE_LOCALIZATION_KEY_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    TITLE_LOCALIZATION_ARGS_FIELD_NUMBER: _ClassVar[int]
    TITLE_LOCALIZATION_KEY_FIELD_NUMBER: _ClassVar[int]
    alert_action_localization_key: str
    alert_body: str
    alert_launch_image: str
    alert_localization_args: _containers.RepeatedScalarFieldContainer[str]
    alert_localization_key: str
    category: str
    collapse_id_key: str
    desired_keys: _containers.RepeatedScalarFieldContainer[str]
    should_badge: bool
    should_send_content_available: bool
    should_send_mutable_content: bool
    sound_name: str
    subtitle: str
    subtitle_localization_args: _containers.RepeatedScalarFieldContainer[str]
    subtitle_localization_key: str
    title: str
    title_localization_args: _containers.RepeatedScalarFieldContainer[str]
    title_localization_key: str
    def __init__(self, alert_body: _Optional[str] = ..., alert_localization_key: _Optional[str] = ..., alert_localization_args: _Optional[_Iterable[str]] = ..., title: _Optional[str] = ..., title_localization_key: _Optional[str] = ..., title_localization_args: _Optional[_Iterable[str]] = ..., subtitle: _Optional[str] = ..., subtitle_localization_key: _Optional[str] = ..., subtitle_localization_args: _Optional[_Iterable[str]] = ..., alert_action_localization_key: _Optional[str] = ..., alert_launch_image: _Optional[str] = ..., sound_name: _Optional[str] = ..., desired_keys: _Optional[_Iterable[str]] = ..., should_badge: bool = ..., should_send_content_available: bool = ..., should_send_mutable_content: bool = ..., category: _Optional[str] = ..., collapse_id_key: _Optional[str] = ...) -> None: ...

class Push(_message.Message):
    __slots__ = ["channels_changed", "notification", "origin_tag", "previous_sequence_number", "published", "read_marks", "sealed_notification", "sealed_read_marks", "sequence_number", "trace_parent", "work_released"]
    CHANNELS_CHANGED_FIELD_NUMBER: _ClassVar[int]
    NOTIFICATION_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_TAG_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_SEQUENCE_NUMBER_FIELD_NUMBER: _ClassVar[int]
    PUBLISHED_FIELD_NUMBER: _ClassVar[int]
    READ_MARKS_FIELD_NUMBER: _ClassVar[int]
    SEALED_NOTIFICATION_FIELD_NUMBER: _ClassVar[int]
    SEALED_READ_MARKS_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_NUMBER_FIELD_NUMBER: _ClassVar[int]
    TRACE_PARENT_FIELD_NUMBER: _ClassVar[int]
    WORK_RELEASED_FIELD_NUMBER: _ClassVar[int]
    channels_changed: bool
    notification: Notification
    origin_tag: int
    previous_sequence_number: int
    published: _timestamp_pb2.Timestamp
    read_marks: ReadMarks
    sealed_notification: bytes
    sealed_read_marks: bytes
    sequence_number: int
    trace_parent: str
    work_released: bool
    def __init__(self, sequence_number: _Optional[int] = ..., previous_sequence_number: _Optional[int] = ..., published: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., origin_tag: _Optional[int] = ..., notification: _Optional[_Union[Notification, _Mapping]] = ..., sealed_notification: _Optional[bytes] = ..., channels_changed: bool = ..., read_marks: _Optional[_Union[ReadMarks, _Mapping]] = ..., sealed_read_marks: _Optional[bytes] = ..., work_released: bool = ..., trace_parent: _Optional[str] = ...) -> None: ...

class ReadMarks(_message.Message):
    __slots__ = ["notification_ids"]
    NOTIFICATION_IDS_FIELD_NUMBER: _ClassVar[int]
    notification_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, notification_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class Subscription(_message.Message):
    __slots__ = ["effective", "fires_on_record_creation", "fires_on_record_deletion", "fires_on_record_enter", "fires_on_record_leave", "fires_on_record_update", "fires_once", "notification_info", "predicate", "record_type", "subscription_id", "type", "zone_id"]
    EFFECTIVE_FIELD_NUMBER: _ClassVar[int]
    FIRES_ONCE_FIELD_NUMBER: _ClassVar[int]
    FIRES_ON_RECORD_CREATION_FIELD_NUMBER: _ClassVar[int]
    FIRES_ON_RECORD_DELETION_FIELD_NUMBER: _ClassVar[int]
    FIRES_ON_RECORD_ENTER_FIELD_NUMBER: _ClassVar[int]
    FIRES_ON_RECORD_LEAVE_FIELD_NUMBER: _ClassVar[int]
    FIRES_ON_RECORD_UPDATE_FIELD_NUMBER: _ClassVar[int]
    NOTIFICATION_INFO_FIELD_NUMBER: _ClassVar[int]
    PREDICATE_FIELD_NUMBER: _ClassVar[int]
    RECORD_TYPE_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIPTION_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    ZONE_ID_FIELD_NUMBER: _ClassVar[int]
    effective: SubscriptionPosition
    fires_on_record_creation: bool
    fires_on_record_deletion: bool
    fires_on_record_enter: bool
    fires_on_record_leave: bool
    fires_on_record_update: bool
    fires_once: bool
    notification_info: NotificationInfo
    predicate: _predicate_pb2.Predicate
    record_type: str
    subscription_id: str
    type: SubscriptionType
    zone_id: _database_pb2.ZoneID
    def __init__(self, subscription_id: _Optional[str] = ..., type: _Optional[_Union[SubscriptionType, str]] = ..., record_type: _Optional[str] = ..., predicate: _Optional[_Union[_predicate_pb2.Predicate, _Mapping]] = ..., zone_id: _Optional[_Union[_database_pb2.ZoneID, _Mapping]] = ..., fires_on_record_creation: bool = ..., fires_on_record_update: bool = ..., fires_on_record_deletion: bool = ..., fires_once: bool = ..., notification_info: _Optional[_Union[NotificationInfo, _Mapping]] = ..., effective: _Optional[_Union[SubscriptionPosition, _Mapping]] = ..., fires_on_record_enter: bool = ..., fires_on_record_leave: bool = ...) -> None: ...

class SubscriptionPosition(_message.Message):
    __slots__ = ["channel_id", "sequence_number"]
    CHANNEL_ID_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_NUMBER_FIELD_NUMBER: _ClassVar[int]
    channel_id: str
    sequence_number: int
    def __init__(self, channel_id: _Optional[str] = ..., sequence_number: _Optional[int] = ...) -> None: ...

class SubscriptionType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class NotificationType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class QueryNotificationReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
