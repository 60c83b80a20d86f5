from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from tidings.v1 import database_pb2 as _database_pb2
from tidings.v1 import error_pb2 as _error_pb2
from tidings.v1 import notification_pb2 as _notification_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
SETTLEMENT_DONE: Settlement
SETTLEMENT_EXTENDED: Settlement
SETTLEMENT_RELEASED: Settlement
SETTLEMENT_UNSPECIFIED: Settlement

class Channel(_message.Message):
    __slots__ = ["key", "origin_tag", "position", "subscription_id", "topic"]
    KEY_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_TAG_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIPTION_ID_FIELD_NUMBER: _ClassVar[int]
    TOPIC_FIELD_NUMBER: _ClassVar[int]
    key: bytes
    origin_tag: int
    position: _notification_pb2.SubscriptionPosition
    subscription_id: str
    topic: bytes
    def __init__(self, position: _Optional[_Union[_notification_pb2.SubscriptionPosition, _Mapping]] = ..., topic: _Optional[bytes] = ..., key: _Optional[bytes] = ..., subscription_id: _Optional[str] = ..., origin_tag: _Optional[int] = ...) -> None: ...

class FetchNotificationChangesRequest(_message.Message):
    __slots__ = ["change_token", "container", "environment", "limit", "omits_read_notifications", "wants_badge", "wants_user_info"]
    CHANGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENT_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    OMITS_READ_NOTIFICATIONS_FIELD_NUMBER: _ClassVar[int]
    WANTS_BADGE_FIELD_NUMBER: _ClassVar[int]
    WANTS_USER_INFO_FIELD_NUMBER: _ClassVar[int]
    change_token: bytes
    container: str
    environment: _database_pb2.Environment
    limit: int
    omits_read_notifications: bool
    wants_badge: bool
    wants_user_info: bool
    def __init__(self, container: _Optional[str] = ..., environment: _Optional[_Union[_database_pb2.Environment, str]] = ..., change_token: _Optional[bytes] = ..., limit: _Optional[int] = ..., omits_read_notifications: bool = ..., wants_user_info: bool = ..., wants_badge: bool = ...) -> None: ...

class FetchNotificationChangesResponse(_message.Message):
    __slots__ = ["badge_value", "change_token", "is_split", "more_coming", "notifications"]
    BADGE_VALUE_FIELD_NUMBER: _ClassVar[int]
    CHANGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    IS_SPLIT_FIELD_NUMBER: _ClassVar[int]
    MORE_COMING_FIELD_NUMBER: _ClassVar[int]
    NOTIFICATIONS_FIELD_NUMBER: _ClassVar[int]
    badge_value: int
    change_token: bytes
    is_split: bool
    more_coming: bool
    notifications: _containers.RepeatedCompositeFieldContainer[_notification_pb2.Notification]
    def __init__(self, notifications: _Optional[_Iterable[_Union[_notification_pb2.Notification, _Mapping]]] = ..., change_token: _Optional[bytes] = ..., more_coming: bool = ..., is_split: bool = ..., badge_value: _Optional[int] = ...) -> None: ...

class LeaseNotificationsRequest(_message.Message):
    __slots__ = ["container", "environment", "group", "limit", "starts_at_end", "visibility_timeout"]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENT_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    STARTS_AT_END_FIELD_NUMBER: _ClassVar[int]
    VISIBILITY_TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    container: str
    environment: _database_pb2.Environment
    group: str
    limit: int
    starts_at_end: bool
    visibility_timeout: _duration_pb2.Duration
    def __init__(self, container: _Optional[str] = ..., environment: _Optional[_Union[_database_pb2.Environment, str]] = ..., group: _Optional[str] = ..., limit: _Optional[int] = ..., visibility_timeout: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., starts_at_end: bool = ...) -> None: ...

class LeaseNotificationsResponse(_message.Message):
    __slots__ = ["more_coming", "next_expiry", "notifications"]
    MORE_COMING_FIELD_NUMBER: _ClassVar[int]
    NEXT_EXPIRY_FIELD_NUMBER: _ClassVar[int]
    NOTIFICATIONS_FIELD_NUMBER: _ClassVar[int]
    more_coming: bool
    next_expiry: _duration_pb2.Duration
    notifications: _containers.RepeatedCompositeFieldContainer[LeasedNotification]
    def __init__(self, notifications: _Optional[_Iterable[_Union[LeasedNotification, _Mapping]]] = ..., more_coming: bool = ..., next_expiry: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class LeaseResult(_message.Message):
    __slots__ = ["error", "lease_id", "settled"]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    LEASE_ID_FIELD_NUMBER: _ClassVar[int]
    SETTLED_FIELD_NUMBER: _ClassVar[int]
    error: _error_pb2.ItemError
    lease_id: str
    settled: bool
    def __init__(self, lease_id: _Optional[str] = ..., settled: bool = ..., error: _Optional[_Union[_error_pb2.ItemError, _Mapping]] = ...) -> None: ...

class LeasedNotification(_message.Message):
    __slots__ = ["delivery_count", "expires", "is_own_change", "lease_id", "notification"]
    DELIVERY_COUNT_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_FIELD_NUMBER: _ClassVar[int]
    IS_OWN_CHANGE_FIELD_NUMBER: _ClassVar[int]
    LEASE_ID_FIELD_NUMBER: _ClassVar[int]
    NOTIFICATION_FIELD_NUMBER: _ClassVar[int]
    delivery_count: int
    expires: _timestamp_pb2.Timestamp
    is_own_change: bool
    lease_id: str
    notification: _notification_pb2.Notification
    def __init__(self, notification: _Optional[_Union[_notification_pb2.Notification, _Mapping]] = ..., lease_id: _Optional[str] = ..., expires: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., delivery_count: _Optional[int] = ..., is_own_change: bool = ...) -> None: ...

class MarkNotificationsReadRequest(_message.Message):
    __slots__ = ["container", "environment", "notification_ids"]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENT_FIELD_NUMBER: _ClassVar[int]
    NOTIFICATION_IDS_FIELD_NUMBER: _ClassVar[int]
    container: str
    environment: _database_pb2.Environment
    notification_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, container: _Optional[str] = ..., environment: _Optional[_Union[_database_pb2.Environment, str]] = ..., notification_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class MarkNotificationsReadResponse(_message.Message):
    __slots__ = ["results"]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[NotificationResult]
    def __init__(self, results: _Optional[_Iterable[_Union[NotificationResult, _Mapping]]] = ...) -> None: ...

class ModifyBadgeRequest(_message.Message):
    __slots__ = ["badge_value", "container", "environment"]
    BADGE_VALUE_FIELD_NUMBER: _ClassVar[int]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENT_FIELD_NUMBER: _ClassVar[int]
    badge_value: int
    container: str
    environment: _database_pb2.Environment
    def __init__(self, container: _Optional[str] = ..., environment: _Optional[_Union[_database_pb2.Environment, str]] = ..., badge_value: _Optional[int] = ...) -> None: ...

class ModifyBadgeResponse(_message.Message):
    __slots__ = ["badge_value"]
    BADGE_VALUE_FIELD_NUMBER: _ClassVar[int]
    badge_value: int
    def __init__(self, badge_value: _Optional[int] = ...) -> None: ...

class NotificationDelivery(_message.Message):
    __slots__ = ["device", "fetched"]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    FETCHED_FIELD_NUMBER: _ClassVar[int]
    device: str
    fetched: _timestamp_pb2.Timestamp
    def __init__(self, device: _Optional[str] = ..., fetched: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class NotificationLease(_message.Message):
    __slots__ = ["delivery_count", "device", "group", "leased", "settled"]
    DELIVERY_COUNT_FIELD_NUMBER: _ClassVar[int]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    LEASED_FIELD_NUMBER: _ClassVar[int]
    SETTLED_FIELD_NUMBER: _ClassVar[int]
    delivery_count: int
    device: str
    group: str
    leased: _timestamp_pb2.Timestamp
    settled: _timestamp_pb2.Timestamp
    def __init__(self, group: _Optional[str] = ..., device: _Optional[str] = ..., leased: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., delivery_count: _Optional[int] = ..., settled: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class NotificationResult(_message.Message):
    __slots__ = ["error", "marked_read", "notification_id"]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    MARKED_READ_FIELD_NUMBER: _ClassVar[int]
    NOTIFICATION_ID_FIELD_NUMBER: _ClassVar[int]
    error: _error_pb2.ItemError
    marked_read: bool
    notification_id: str
    def __init__(self, notification_id: _Optional[str] = ..., marked_read: bool = ..., error: _Optional[_Union[_error_pb2.ItemError, _Mapping]] = ...) -> None: ...

class RegisterDeviceRequest(_message.Message):
    __slots__ = ["container", "environment"]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENT_FIELD_NUMBER: _ClassVar[int]
    container: str
    environment: _database_pb2.Environment
    def __init__(self, container: _Optional[str] = ..., environment: _Optional[_Union[_database_pb2.Environment, str]] = ...) -> None: ...

class RegisterDeviceResponse(_message.Message):
    __slots__ = ["channels", "control_key", "control_origin_tag", "control_topic", "incarnation", "push_endpoint", "read_mark_number"]
    CHANNELS_FIELD_NUMBER: _ClassVar[int]
    CONTROL_KEY_FIELD_NUMBER: _ClassVar[int]
    CONTROL_ORIGIN_TAG_FIELD_NUMBER: _ClassVar[int]
    CONTROL_TOPIC_FIELD_NUMBER: _ClassVar[int]
    INCARNATION_FIELD_NUMBER: _ClassVar[int]
    PUSH_ENDPOINT_FIELD_NUMBER: _ClassVar[int]
    READ_MARK_NUMBER_FIELD_NUMBER: _ClassVar[int]
    channels: _containers.RepeatedCompositeFieldContainer[Channel]
    control_key: bytes
    control_origin_tag: int
    control_topic: bytes
    incarnation: str
    push_endpoint: str
    read_mark_number: int
    def __init__(self, push_endpoint: _Optional[str] = ..., control_topic: _Optional[bytes] = ..., channels: _Optional[_Iterable[_Union[Channel, _Mapping]]] = ..., incarnation: _Optional[str] = ..., control_key: _Optional[bytes] = ..., read_mark_number: _Optional[int] = ..., control_origin_tag: _Optional[int] = ...) -> None: ...

class RotateChannelsRequest(_message.Message):
    __slots__ = ["container", "environment"]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENT_FIELD_NUMBER: _ClassVar[int]
    container: str
    environment: _database_pb2.Environment
    def __init__(self, container: _Optional[str] = ..., environment: _Optional[_Union[_database_pb2.Environment, str]] = ...) -> None: ...

class RotateChannelsResponse(_message.Message):
    __slots__ = ["channel_count"]
    CHANNEL_COUNT_FIELD_NUMBER: _ClassVar[int]
    channel_count: int
    def __init__(self, channel_count: _Optional[int] = ...) -> None: ...

class SettleNotificationsRequest(_message.Message):
    __slots__ = ["container", "environment", "group", "lease_ids", "marks_read", "settlement", "visibility_timeout"]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENT_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    LEASE_IDS_FIELD_NUMBER: _ClassVar[int]
    MARKS_READ_FIELD_NUMBER: _ClassVar[int]
    SETTLEMENT_FIELD_NUMBER: _ClassVar[int]
    VISIBILITY_TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    container: str
    environment: _database_pb2.Environment
    group: str
    lease_ids: _containers.RepeatedScalarFieldContainer[str]
    marks_read: bool
    settlement: Settlement
    visibility_timeout: _duration_pb2.Duration
    def __init__(self, container: _Optional[str] = ..., environment: _Optional[_Union[_database_pb2.Environment, str]] = ..., group: _Optional[str] = ..., lease_ids: _Optional[_Iterable[str]] = ..., settlement: _Optional[_Union[Settlement, str]] = ..., marks_read: bool = ..., visibility_timeout: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class SettleNotificationsResponse(_message.Message):
    __slots__ = ["results"]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[LeaseResult]
    def __init__(self, results: _Optional[_Iterable[_Union[LeaseResult, _Mapping]]] = ...) -> None: ...

class TraceNotificationRequest(_message.Message):
    __slots__ = ["container", "environment", "notification_id"]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENT_FIELD_NUMBER: _ClassVar[int]
    NOTIFICATION_ID_FIELD_NUMBER: _ClassVar[int]
    container: str
    environment: _database_pb2.Environment
    notification_id: str
    def __init__(self, container: _Optional[str] = ..., environment: _Optional[_Union[_database_pb2.Environment, str]] = ..., notification_id: _Optional[str] = ...) -> None: ...

class TraceNotificationResponse(_message.Message):
    __slots__ = ["committed", "deliveries", "fetched", "is_coalesced", "is_pruned", "leases", "marked_read", "notification", "origin_device", "published", "read_device"]
    COMMITTED_FIELD_NUMBER: _ClassVar[int]
    DELIVERIES_FIELD_NUMBER: _ClassVar[int]
    FETCHED_FIELD_NUMBER: _ClassVar[int]
    IS_COALESCED_FIELD_NUMBER: _ClassVar[int]
    IS_PRUNED_FIELD_NUMBER: _ClassVar[int]
    LEASES_FIELD_NUMBER: _ClassVar[int]
    MARKED_READ_FIELD_NUMBER: _ClassVar[int]
    NOTIFICATION_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_DEVICE_FIELD_NUMBER: _ClassVar[int]
    PUBLISHED_FIELD_NUMBER: _ClassVar[int]
    READ_DEVICE_FIELD_NUMBER: _ClassVar[int]
    committed: _timestamp_pb2.Timestamp
    deliveries: _containers.RepeatedCompositeFieldContainer[NotificationDelivery]
    fetched: _timestamp_pb2.Timestamp
    is_coalesced: bool
    is_pruned: bool
    leases: _containers.RepeatedCompositeFieldContainer[NotificationLease]
    marked_read: _timestamp_pb2.Timestamp
    notification: _notification_pb2.Notification
    origin_device: str
    published: _timestamp_pb2.Timestamp
    read_device: str
    def __init__(self, committed: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., published: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., fetched: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., marked_read: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., notification: _Optional[_Union[_notification_pb2.Notification, _Mapping]] = ..., origin_device: _Optional[str] = ..., is_coalesced: bool = ..., is_pruned: bool = ..., deliveries: _Optional[_Iterable[_Union[NotificationDelivery, _Mapping]]] = ..., leases: _Optional[_Iterable[_Union[NotificationLease, _Mapping]]] = ..., read_device: _Optional[str] = ...) -> None: ...

class Settlement(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
