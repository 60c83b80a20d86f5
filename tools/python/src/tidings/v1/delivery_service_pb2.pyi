from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from tidings.v1 import database_pb2 as _database_pb2
from tidings.v1 import error_pb2 as _error_pb2
from tidings.v1 import notification_pb2 as _notification_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class APNSAddress(_message.Message):
    __slots__ = ["device_token", "is_sandbox", "topic"]
    DEVICE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    IS_SANDBOX_FIELD_NUMBER: _ClassVar[int]
    TOPIC_FIELD_NUMBER: _ClassVar[int]
    device_token: bytes
    is_sandbox: bool
    topic: str
    def __init__(self, device_token: _Optional[bytes] = ..., topic: _Optional[str] = ..., is_sandbox: bool = ...) -> None: ...

class AddDeliveryTargetRequest(_message.Message):
    __slots__ = ["address", "container", "environment"]
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENT_FIELD_NUMBER: _ClassVar[int]
    address: DeliveryAddress
    container: str
    environment: _database_pb2.Environment
    def __init__(self, container: _Optional[str] = ..., environment: _Optional[_Union[_database_pb2.Environment, str]] = ..., address: _Optional[_Union[DeliveryAddress, _Mapping]] = ...) -> None: ...

class AddDeliveryTargetResponse(_message.Message):
    __slots__ = ["target", "webhook_secret"]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    WEBHOOK_SECRET_FIELD_NUMBER: _ClassVar[int]
    target: DeliveryTarget
    webhook_secret: str
    def __init__(self, target: _Optional[_Union[DeliveryTarget, _Mapping]] = ..., webhook_secret: _Optional[str] = ...) -> None: ...

class AwaitDeliveriesRequest(_message.Message):
    __slots__ = ["generation", "timeout"]
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    generation: int
    timeout: _duration_pb2.Duration
    def __init__(self, generation: _Optional[int] = ..., timeout: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class AwaitDeliveriesResponse(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class DeadLetter(_message.Message):
    __slots__ = ["attempt_count", "dead_letter_id", "given_up", "notification", "reason", "target_id"]
    ATTEMPT_COUNT_FIELD_NUMBER: _ClassVar[int]
    DEAD_LETTER_ID_FIELD_NUMBER: _ClassVar[int]
    GIVEN_UP_FIELD_NUMBER: _ClassVar[int]
    NOTIFICATION_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    TARGET_ID_FIELD_NUMBER: _ClassVar[int]
    attempt_count: int
    dead_letter_id: str
    given_up: _timestamp_pb2.Timestamp
    notification: _notification_pb2.Notification
    reason: str
    target_id: str
    def __init__(self, dead_letter_id: _Optional[str] = ..., target_id: _Optional[str] = ..., notification: _Optional[_Union[_notification_pb2.Notification, _Mapping]] = ..., given_up: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., attempt_count: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class Delivery(_message.Message):
    __slots__ = ["address", "attempt_count", "created", "delivery_id", "is_test", "lease_id", "notification", "target_added", "target_id", "user_name"]
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_COUNT_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    DELIVERY_ID_FIELD_NUMBER: _ClassVar[int]
    IS_TEST_FIELD_NUMBER: _ClassVar[int]
    LEASE_ID_FIELD_NUMBER: _ClassVar[int]
    NOTIFICATION_FIELD_NUMBER: _ClassVar[int]
    TARGET_ADDED_FIELD_NUMBER: _ClassVar[int]
    TARGET_ID_FIELD_NUMBER: _ClassVar[int]
    USER_NAME_FIELD_NUMBER: _ClassVar[int]
    address: DeliveryAddress
    attempt_count: int
    created: _timestamp_pb2.Timestamp
    delivery_id: str
    is_test: bool
    lease_id: str
    notification: _notification_pb2.Notification
    target_added: _timestamp_pb2.Timestamp
    target_id: str
    user_name: str
    def __init__(self, lease_id: _Optional[str] = ..., delivery_id: _Optional[str] = ..., target_id: _Optional[str] = ..., user_name: _Optional[str] = ..., address: _Optional[_Union[DeliveryAddress, _Mapping]] = ..., notification: _Optional[_Union[_notification_pb2.Notification, _Mapping]] = ..., is_test: bool = ..., attempt_count: _Optional[int] = ..., created: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., target_added: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class DeliveryAddress(_message.Message):
    __slots__ = ["apns", "fcm", "web_push", "webhook"]
    APNS_FIELD_NUMBER: _ClassVar[int]
    FCM_FIELD_NUMBER: _ClassVar[int]
    WEBHOOK_FIELD_NUMBER: _ClassVar[int]
    WEB_PUSH_FIELD_NUMBER: _ClassVar[int]
    apns: APNSAddress
    fcm: FCMAddress
    web_push: WebPushAddress
    webhook: WebhookAddress
    def __init__(self, webhook: _Optional[_Union[WebhookAddress, _Mapping]] = ..., web_push: _Optional[_Union[WebPushAddress, _Mapping]] = ..., apns: _Optional[_Union[APNSAddress, _Mapping]] = ..., fcm: _Optional[_Union[FCMAddress, _Mapping]] = ...) -> None: ...

class DeliverySettlement(_message.Message):
    __slots__ = ["error", "given_up", "lease_id", "postponed", "retry_after", "sent", "target_added", "target_gone"]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    GIVEN_UP_FIELD_NUMBER: _ClassVar[int]
    LEASE_ID_FIELD_NUMBER: _ClassVar[int]
    POSTPONED_FIELD_NUMBER: _ClassVar[int]
    RETRY_AFTER_FIELD_NUMBER: _ClassVar[int]
    SENT_FIELD_NUMBER: _ClassVar[int]
    TARGET_ADDED_FIELD_NUMBER: _ClassVar[int]
    TARGET_GONE_FIELD_NUMBER: _ClassVar[int]
    error: str
    given_up: bool
    lease_id: str
    postponed: _duration_pb2.Duration
    retry_after: _duration_pb2.Duration
    sent: bool
    target_added: _timestamp_pb2.Timestamp
    target_gone: bool
    def __init__(self, lease_id: _Optional[str] = ..., sent: bool = ..., retry_after: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., given_up: bool = ..., target_gone: bool = ..., postponed: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., error: _Optional[str] = ..., target_added: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class DeliveryTarget(_message.Message):
    __slots__ = ["address", "created", "dead_letter_count", "device", "failing_since", "last_error", "target_id", "waiting_count"]
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    DEAD_LETTER_COUNT_FIELD_NUMBER: _ClassVar[int]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    FAILING_SINCE_FIELD_NUMBER: _ClassVar[int]
    LAST_ERROR_FIELD_NUMBER: _ClassVar[int]
    TARGET_ID_FIELD_NUMBER: _ClassVar[int]
    WAITING_COUNT_FIELD_NUMBER: _ClassVar[int]
    address: DeliveryAddress
    created: _timestamp_pb2.Timestamp
    dead_letter_count: int
    device: str
    failing_since: _timestamp_pb2.Timestamp
    last_error: str
    target_id: str
    waiting_count: int
    def __init__(self, target_id: _Optional[str] = ..., device: _Optional[str] = ..., address: _Optional[_Union[DeliveryAddress, _Mapping]] = ..., created: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., failing_since: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., last_error: _Optional[str] = ..., waiting_count: _Optional[int] = ..., dead_letter_count: _Optional[int] = ...) -> None: ...

class FCMAddress(_message.Message):
    __slots__ = ["registration_token"]
    REGISTRATION_TOKEN_FIELD_NUMBER: _ClassVar[int]
    registration_token: str
    def __init__(self, registration_token: _Optional[str] = ...) -> None: ...

class FetchDeadLettersRequest(_message.Message):
    __slots__ = ["container", "cursor", "environment", "limit", "target_id"]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENT_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    TARGET_ID_FIELD_NUMBER: _ClassVar[int]
    container: str
    cursor: str
    environment: _database_pb2.Environment
    limit: int
    target_id: str
    def __init__(self, target_id: _Optional[str] = ..., container: _Optional[str] = ..., environment: _Optional[_Union[_database_pb2.Environment, str]] = ..., cursor: _Optional[str] = ..., limit: _Optional[int] = ...) -> None: ...

class FetchDeadLettersResponse(_message.Message):
    __slots__ = ["cursor", "dead_letters"]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    DEAD_LETTERS_FIELD_NUMBER: _ClassVar[int]
    cursor: str
    dead_letters: _containers.RepeatedCompositeFieldContainer[DeadLetter]
    def __init__(self, dead_letters: _Optional[_Iterable[_Union[DeadLetter, _Mapping]]] = ..., cursor: _Optional[str] = ...) -> None: ...

class FetchDeliveryTargetsRequest(_message.Message):
    __slots__ = ["container", "environment"]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENT_FIELD_NUMBER: _ClassVar[int]
    container: str
    environment: _database_pb2.Environment
    def __init__(self, container: _Optional[str] = ..., environment: _Optional[_Union[_database_pb2.Environment, str]] = ...) -> None: ...

class FetchDeliveryTargetsResponse(_message.Message):
    __slots__ = ["targets"]
    TARGETS_FIELD_NUMBER: _ClassVar[int]
    targets: _containers.RepeatedCompositeFieldContainer[DeliveryTarget]
    def __init__(self, targets: _Optional[_Iterable[_Union[DeliveryTarget, _Mapping]]] = ...) -> None: ...

class LeaseDeliveriesRequest(_message.Message):
    __slots__ = ["limit", "visibility_timeout"]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    VISIBILITY_TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    limit: int
    visibility_timeout: _duration_pb2.Duration
    def __init__(self, limit: _Optional[int] = ..., visibility_timeout: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class LeaseDeliveriesResponse(_message.Message):
    __slots__ = ["deliveries", "generation", "more_coming", "next_due"]
    DELIVERIES_FIELD_NUMBER: _ClassVar[int]
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    MORE_COMING_FIELD_NUMBER: _ClassVar[int]
    NEXT_DUE_FIELD_NUMBER: _ClassVar[int]
    deliveries: _containers.RepeatedCompositeFieldContainer[Delivery]
    generation: int
    more_coming: bool
    next_due: _duration_pb2.Duration
    def __init__(self, deliveries: _Optional[_Iterable[_Union[Delivery, _Mapping]]] = ..., more_coming: bool = ..., next_due: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., generation: _Optional[int] = ...) -> None: ...

class RemoveDeliveryTargetRequest(_message.Message):
    __slots__ = ["target_id"]
    TARGET_ID_FIELD_NUMBER: _ClassVar[int]
    target_id: str
    def __init__(self, target_id: _Optional[str] = ...) -> None: ...

class RemoveDeliveryTargetResponse(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class ResendDeadLettersRequest(_message.Message):
    __slots__ = ["dead_letter_ids"]
    DEAD_LETTER_IDS_FIELD_NUMBER: _ClassVar[int]
    dead_letter_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, dead_letter_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class ResendDeadLettersResponse(_message.Message):
    __slots__ = ["results"]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[ResendResult]
    def __init__(self, results: _Optional[_Iterable[_Union[ResendResult, _Mapping]]] = ...) -> None: ...

class ResendResult(_message.Message):
    __slots__ = ["dead_letter_id", "error", "resent"]
    DEAD_LETTER_ID_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    RESENT_FIELD_NUMBER: _ClassVar[int]
    dead_letter_id: str
    error: _error_pb2.ItemError
    resent: bool
    def __init__(self, dead_letter_id: _Optional[str] = ..., resent: bool = ..., error: _Optional[_Union[_error_pb2.ItemError, _Mapping]] = ...) -> None: ...

class SettleDeliveriesRequest(_message.Message):
    __slots__ = ["settlements"]
    SETTLEMENTS_FIELD_NUMBER: _ClassVar[int]
    settlements: _containers.RepeatedCompositeFieldContainer[DeliverySettlement]
    def __init__(self, settlements: _Optional[_Iterable[_Union[DeliverySettlement, _Mapping]]] = ...) -> None: ...

class SettleDeliveriesResponse(_message.Message):
    __slots__ = ["lost_count"]
    LOST_COUNT_FIELD_NUMBER: _ClassVar[int]
    lost_count: int
    def __init__(self, lost_count: _Optional[int] = ...) -> None: ...

class TestDeliveryTargetRequest(_message.Message):
    __slots__ = ["target_id"]
    TARGET_ID_FIELD_NUMBER: _ClassVar[int]
    target_id: str
    def __init__(self, target_id: _Optional[str] = ...) -> None: ...

class TestDeliveryTargetResponse(_message.Message):
    __slots__ = ["delivery_id"]
    DELIVERY_ID_FIELD_NUMBER: _ClassVar[int]
    delivery_id: str
    def __init__(self, delivery_id: _Optional[str] = ...) -> None: ...

class WebPushAddress(_message.Message):
    __slots__ = ["auth_secret", "endpoint", "public_key"]
    AUTH_SECRET_FIELD_NUMBER: _ClassVar[int]
    ENDPOINT_FIELD_NUMBER: _ClassVar[int]
    PUBLIC_KEY_FIELD_NUMBER: _ClassVar[int]
    auth_secret: bytes
    endpoint: str
    public_key: bytes
    def __init__(self, endpoint: _Optional[str] = ..., public_key: _Optional[bytes] = ..., auth_secret: _Optional[bytes] = ...) -> None: ...

class WebhookAddress(_message.Message):
    __slots__ = ["previous_secret", "previous_secret_expires", "secret", "url"]
    PREVIOUS_SECRET_EXPIRES_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_SECRET_FIELD_NUMBER: _ClassVar[int]
    SECRET_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    previous_secret: str
    previous_secret_expires: _timestamp_pb2.Timestamp
    secret: str
    url: str
    def __init__(self, url: _Optional[str] = ..., secret: _Optional[str] = ..., previous_secret: _Optional[str] = ..., previous_secret_expires: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...
