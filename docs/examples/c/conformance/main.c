/* The C client under test: executes tasks that `tidings-conformance` sends to standard input. */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/answers.h"
#include "conformance/invoke.h"
#include "conformance/maps.h"
#include "conformance/texts.h"
#include "inbox.h"
#include "messages.h" /* all of the contract */
#include "sealed_value.h"

typedef Tidings__Conformance__V1__Task Task;
typedef Tidings__Conformance__V1__TaskResult TaskResult;

enum { CONNECT_MILLISECONDS = 10000, FRAME_BYTES_MAX = 256 << 20 };

static const char HAS_ZERO[] = "a string with U+0000, which terminates C strings";

static const ProtobufCMessageDescriptor *const message_types[] = {
#include "messages.inc"
};

/* State that later tasks use. */
struct session {
  struct tidings client;
  struct inbox inbox;
  Task *connect; /* owns the strings of the client's options */
  bool has_inbox;
};

/* Messages */

static void reencode(const ProtobufCMessageDescriptor *type, ProtobufCBinaryData bytes)
{
  ProtobufCMessage *message = protobuf_c_message_unpack(type, NULL, bytes.len, bytes.data);
  enum texts texts = message != NULL ? check_texts(type, bytes.data, bytes.len) : TEXTS_VALID;
  if (message == NULL)
    answer_refused("cannot decode the message");
  else if (texts == TEXTS_INVALID)
    answer_refused("a string is not UTF-8");
  else if (texts == TEXTS_WITH_ZERO)
    answer_unsupported(HAS_ZERO);
  else {
    keep_last_entries(message);
    answer_message(TIDINGS__CONFORMANCE__V1__TASK_RESULT__OUTCOME_ENCODED, message);
  }
  if (message != NULL) protobuf_c_message_free_unpacked(message, NULL);
}

static void round_trip(const Tidings__Conformance__V1__RoundTrip *task)
{
  const ProtobufCMessageDescriptor *type = NULL;
  for (size_t i = 0; i < sizeof message_types / sizeof message_types[0]; i++)
    if (strcmp(message_types[i]->name, task->message_type) == 0) type = message_types[i];
  if (task->from == TIDINGS__CONFORMANCE__V1__ENCODING__ENCODING_JSON ||
      task->to == TIDINGS__CONFORMANCE__V1__ENCODING__ENCODING_JSON)
    answer_unsupported("JSON");
  else if (type == NULL)
    answer_unsupported(task->message_type);
  else
    reencode(type, task->payload);
}

/* Sealed pushes and values */

static const Tidings__Conformance__V1__TaskResult__OutcomeCase OPENED =
    TIDINGS__CONFORMANCE__V1__TASK_RESULT__OUTCOME_OPENED;

static void open_read_marks(const Tidings__V1__Push *push, ProtobufCBinaryData key)
{
  size_t size = 0;
  uint8_t *bytes = NULL;
  Tidings__V1__ReadMarks *marks = NULL;
  if (push->content_case == TIDINGS__V1__PUSH__CONTENT_SEALED_READ_MARKS)
    bytes = inbox_unseal(push->sealed_read_marks, key, &size);
  if (bytes != NULL) marks = tidings__v1__read_marks__unpack(NULL, size, bytes);
  if (push->content_case == TIDINGS__V1__PUSH__CONTENT_READ_MARKS && key.len == 0)
    answer_message(OPENED, &push->read_marks->base);
  else if (marks != NULL)
    answer_message(OPENED, &marks->base);
  else
    answer_refused("cannot open the read marks with this key");
  tidings__v1__read_marks__free_unpacked(marks, NULL);
  free(bytes);
}

static void open_push(const Tidings__Conformance__V1__OpenPush *task)
{
  Tidings__V1__Push *push = tidings__v1__push__unpack(NULL, task->push.len, task->push.data);
  Tidings__V1__Notification *notification = NULL;
  if (push == NULL)
    answer_refused("cannot decode the push");
  else if (push->content_case == TIDINGS__V1__PUSH__CONTENT__NOT_SET)
    answer_bytes(OPENED, NULL, 0); /* a hint */
  else if (task->channel_id[0] == '\0')
    open_read_marks(push, task->key);
  else if ((notification = inbox_content(push, task->key, task->channel_id)) == NULL)
    answer_refused("cannot open with this key, or of another channel or number");
  else if (notification->is_pruned)
    answer_bytes(OPENED, NULL, 0); /* also a hint */
  else
    answer_message(OPENED, &notification->base);
  tidings__v1__notification__free_unpacked(notification, NULL);
  tidings__v1__push__free_unpacked(push, NULL);
}

static void open_value(const Tidings__Conformance__V1__OpenValue *task)
{
  Tidings__V1__EncryptedValue *value =
      tidings__v1__encrypted_value__unpack(NULL, task->value.len, task->value.data);
  Tidings__V1__DatabaseID *database =
      tidings__v1__database_id__unpack(NULL, task->database_id.len, task->database_id.data);
  Tidings__V1__RecordID *record =
      tidings__v1__record_id__unpack(NULL, task->record_id.len, task->record_id.data);
  char *ring = tidings_checked(calloc(1, task->key_ring.len + 1));
  if (task->key_ring.len > 0) memcpy(ring, task->key_ring.data, task->key_ring.len);
  struct value_location location = {database, record, task->field, task->user};
  Tidings__V1__FieldValue *opened = value != NULL && database != NULL && record != NULL
                                        ? sealed_value_open(ring, value, &location)
                                        : NULL;
  if (opened != NULL) answer_message(OPENED, &opened->base);
  else answer_refused("cannot open the value at this location with these keys");
  tidings__v1__field_value__free_unpacked(opened, NULL);
  tidings__v1__encrypted_value__free_unpacked(value, NULL);
  tidings__v1__database_id__free_unpacked(database, NULL);
  tidings__v1__record_id__free_unpacked(record, NULL);
  free(ring);
}

/* Calls */

static const char *text_or_null(const char *text)
{
  return text[0] != '\0' ? text : NULL;
}

static void disconnect(struct session *session)
{
  if (session->has_inbox) inbox_close(&session->inbox);
  session->has_inbox = false;
  tidings_close(&session->client);
  tidings__conformance__v1__task__free_unpacked(session->connect, NULL);
  session->connect = NULL;
}

/* Takes ownership of the task. */
static void connect_to(struct session *session, Task *task)
{
  disconnect(session);
  session->connect = task;
  struct tidings_options options = {
      .endpoint = task->connect->endpoint,
      .server_key = text_or_null(task->connect->server_key),
      .public_key = task->connect->public_key,
      .secret_key = task->connect->secret_key,
      .user = text_or_null(task->connect->user),
      .device = text_or_null(task->connect->device),
  };
  if (tidings_connect(&session->client, &options, CONNECT_MILLISECONDS))
    answer_yes(TIDINGS__CONFORMANCE__V1__TASK_RESULT__OUTCOME_CONNECTED);
  else
    answer_refused(session->client.message);
}

/* The inbox */

static void start_inbox(struct session *session, const Tidings__Conformance__V1__StartInbox *task)
{
  if (session->has_inbox) inbox_close(&session->inbox);
  session->has_inbox = true;
  if (inbox_open(&session->inbox, &session->client, task->container,
                 (Tidings__V1__Environment)task->environment, task->position.data,
                 task->position.len))
    answer_yes(TIDINGS__CONFORMANCE__V1__TASK_RESULT__OUTCOME_STARTED);
  else
    answer_refused(session->client.message);
}

static void take_notifications(struct session *session,
                               const Tidings__Conformance__V1__TakeNotifications *task)
{
  TaskResult outcome = TIDINGS__CONFORMANCE__V1__TASK_RESULT__INIT;
  Tidings__Conformance__V1__NotificationList list =
      TIDINGS__CONFORMANCE__V1__NOTIFICATION_LIST__INIT;
  int64_t deadline = tidings_now() + task->timeout_ms;
  while (list.n_notifications < task->count) {
    const Tidings__V1__Notification *next = inbox_next(&session->inbox, deadline);
    if (next == NULL && tidings_left(deadline) == 0) break;
    if (next == NULL) continue; /* failures are retried until the deadline */
    size_t size = tidings__v1__notification__get_packed_size(next);
    uint8_t *bytes = tidings_checked(malloc(size + 1));
    (void)tidings__v1__notification__pack(next, bytes);
    list.notifications = tidings_checked(
        realloc(list.notifications, (list.n_notifications + 1) * sizeof *list.notifications));
    list.notifications[list.n_notifications++] =
        (ProtobufCBinaryData){.len = size, .data = bytes};
  }
  outcome.outcome_case = TIDINGS__CONFORMANCE__V1__TASK_RESULT__OUTCOME_NOTIFICATIONS;
  outcome.notifications = &list;
  answer(&outcome);
  for (size_t i = 0; i < list.n_notifications; i++) free(list.notifications[i].data);
  free(list.notifications);
}

static void stop_inbox(struct session *session)
{
  size_t size = 0;
  uint8_t *position = inbox_position(&session->inbox, &size);
  answer_bytes(TIDINGS__CONFORMANCE__V1__TASK_RESULT__OUTCOME_POSITION, position, size);
  free(position);
  inbox_close(&session->inbox);
  session->has_inbox = false;
}

/* Tasks */

static void describe(void)
{
  Tidings__Conformance__V1__Feature features[] = {
      TIDINGS__CONFORMANCE__V1__FEATURE__FEATURE_STREAMS,
      TIDINGS__CONFORMANCE__V1__FEATURE__FEATURE_CANCEL,
      TIDINGS__CONFORMANCE__V1__FEATURE__FEATURE_DEADLINES,
      TIDINGS__CONFORMANCE__V1__FEATURE__FEATURE_CURVE,
      TIDINGS__CONFORMANCE__V1__FEATURE__FEATURE_SEALED_PUSHES,
      TIDINGS__CONFORMANCE__V1__FEATURE__FEATURE_INBOX,
      TIDINGS__CONFORMANCE__V1__FEATURE__FEATURE_ENCRYPTED_VALUES,
      TIDINGS__CONFORMANCE__V1__FEATURE__FEATURE_UNKNOWN_FIELDS,
  };
  TaskResult result = TIDINGS__CONFORMANCE__V1__TASK_RESULT__INIT;
  Tidings__Conformance__V1__Description description =
      TIDINGS__CONFORMANCE__V1__DESCRIPTION__INIT;
  description.name = "C, docs/examples/c";
  description.n_features = sizeof features / sizeof features[0];
  description.features = features;
  result.outcome_case = TIDINGS__CONFORMANCE__V1__TASK_RESULT__OUTCOME_DESCRIPTION;
  result.description = &description;
  answer(&result);
}

/* Executes a task; returns whether the session keeps it. */
static bool perform(struct session *session, Task *task)
{
  switch (task->action_case) {
  case TIDINGS__CONFORMANCE__V1__TASK__ACTION_DESCRIBE:
    describe();
    break;
  case TIDINGS__CONFORMANCE__V1__TASK__ACTION_ROUND_TRIP:
    round_trip(task->round_trip);
    break;
  case TIDINGS__CONFORMANCE__V1__TASK__ACTION_OPEN_PUSH:
    open_push(task->open_push);
    break;
  case TIDINGS__CONFORMANCE__V1__TASK__ACTION_OPEN_VALUE:
    open_value(task->open_value);
    break;
  case TIDINGS__CONFORMANCE__V1__TASK__ACTION_CONNECT:
    connect_to(session, task);
    return true;
  case TIDINGS__CONFORMANCE__V1__TASK__ACTION_INVOKE:
    if (session->connect == NULL) answer_failed("Invoke without Connect");
    else invoke(&session->client, task->invoke);
    break;
  case TIDINGS__CONFORMANCE__V1__TASK__ACTION_START_INBOX:
    if (session->connect == NULL) answer_failed("StartInbox without Connect");
    else start_inbox(session, task->start_inbox);
    break;
  case TIDINGS__CONFORMANCE__V1__TASK__ACTION_TAKE_NOTIFICATIONS:
    if (!session->has_inbox) answer_failed("TakeNotifications without StartInbox");
    else take_notifications(session, task->take_notifications);
    break;
  case TIDINGS__CONFORMANCE__V1__TASK__ACTION_STOP_INBOX:
    if (!session->has_inbox) answer_failed("StopInbox without StartInbox");
    else stop_inbox(session);
    break;
  default:
    answer_unsupported("unknown task");
  }
  return false;
}

int main(void)
{
  struct session session = {0};
  uint8_t prefix[4];
  if (sodium_init() < 0) return 1;
  while (fread(prefix, 1, sizeof prefix, stdin) == sizeof prefix) {
    size_t size = (size_t)prefix[0] << 24 | (size_t)prefix[1] << 16 | (size_t)prefix[2] << 8 |
                  (size_t)prefix[3];
    if (size > FRAME_BYTES_MAX) break;
    uint8_t *bytes = tidings_checked(malloc(size + 1));
    if (fread(bytes, 1, size, stdin) != size) {
      free(bytes);
      break;
    }
    Task *task = tidings__conformance__v1__task__unpack(NULL, size, bytes);
    bool is_kept = false;
    if (task == NULL)
      answer_failed("cannot decode the task");
    else if (check_texts(task->base.descriptor, bytes, size) == TEXTS_WITH_ZERO)
      answer_unsupported(HAS_ZERO);
    else
      is_kept = perform(&session, task);
    if (!is_kept) tidings__conformance__v1__task__free_unpacked(task, NULL);
    free(bytes);
  }
  disconnect(&session);
  return 0;
}
