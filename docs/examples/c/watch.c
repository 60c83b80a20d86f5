/* A client in one file: saves houses, or prints each notification of expensive ones once. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <sodium.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zmq.h>

#include "messages.h" /* all of proto/, generated */

#define V1(name) Tidings__V1__##name
#define IS(name) .base = PROTOBUF_C_MESSAGE_INIT(&tidings__v1__##name##__descriptor)
#define CALL(service, method, type)                                              \
  call("tidings.v1." #service "Service/" #method, &request,                      \
       &tidings__v1__##type##_response__descriptor)

typedef V1(Notification) Notification;
typedef V1(Push) Push;
typedef V1(RegisterDeviceResponse) Home;

enum { CALL_MILLISECONDS = 10000, CHECK_SECONDS = 60, WAIT_MILLISECONDS = 500 };
enum { OK = 0, DEADLINE_EXCEEDED = 4, RESOURCE_EXHAUSTED = 8, OUT_OF_RANGE = 11, UNAVAILABLE = 14 };

static void *context, *calls, *pushes, *connections;
static const char *endpoint;
static zmq_msg_t frames[2];  /* of the last message received */
static uint32_t call_status; /* of the last call */
static Home *home;
static struct channel { char *id; uint64_t seen; } *channels; /* and the newest event printed */
static size_t n_channels, token_size;
static uint8_t token[1024]; /* where the next fetch continues */
static bool must_register = true, must_read = true, is_listening;
static volatile sig_atomic_t is_stopping;

static void stop(int signal) { is_stopping = signal; }

/* Returns NULL, which converts to false. */
static void *failed(const char *what, const char *why)
{
  (void)fprintf(stderr, "watch: %s: %s\n", what, why);
  return NULL;
}

static void *new_socket(int kind)
{
  static const struct { const char *name; int option; } keys[] = {
      {"TIDINGS_SERVER_KEY", ZMQ_CURVE_SERVERKEY}, {"TIDINGS_PUBLIC_KEY", ZMQ_CURVE_PUBLICKEY},
      {"TIDINGS_SECRET_KEY", ZMQ_CURVE_SECRETKEY}};
  void *socket = zmq_socket(context, kind);
  bool is_set = socket != NULL;
  for (size_t i = 0; i < 3 && is_set; i++)
    if (getenv(keys[i].name) != NULL)
      is_set = zmq_setsockopt(socket, keys[i].option, getenv(keys[i].name),
                              strlen(getenv(keys[i].name)) + 1) == 0;
  if (is_set) return socket;
  if (socket != NULL) (void)zmq_close(socket);
  return failed("no socket: check that keys are 40 characters of Z85", zmq_strerror(errno));
}

static bool open_calls(void)
{
  calls = new_socket(ZMQ_DEALER);
  if (calls == NULL) return false;
  return zmq_connect(calls, endpoint) == 0 || failed(endpoint, zmq_strerror(errno));
}

/* Without an answer the socket is closed as well: it may have the request in its queue, and would
 * send it whenever there is a connection again. */
static void *unanswered(const char *method)
{
  (void)zmq_close(calls);
  calls = NULL;
  return failed(method, "no response: check that the server runs and the keys are right");
}

/* Waits until the deadline, which restarts after a stray response. */
static bool wait_for_response(void)
{
  return zmq_poll(&(zmq_pollitem_t){.socket = calls, .events = ZMQ_POLLIN}, 1,
                  CALL_MILLISECONDS) > 0;
}

static bool send_frame(const void *message, int flags)
{
  zmq_msg_t frame;
  if (zmq_msg_init_size(&frame, protobuf_c_message_get_packed_size(message)) != 0) return false;
  (void)protobuf_c_message_pack(message, zmq_msg_data(&frame));
  bool is_sent = zmq_msg_send(&frame, calls, flags | ZMQ_DONTWAIT) >= 0;
  return zmq_msg_close(&frame) == 0 && is_sent;
}

static bool receive(void *socket)
{
  return zmq_msg_recv(&frames[0], socket, ZMQ_DONTWAIT) >= 0 && zmq_msg_more(&frames[0]) &&
         zmq_msg_recv(&frames[1], socket, ZMQ_DONTWAIT) >= 0;
}

static void *unpack(const ProtobufCMessageDescriptor *type, zmq_msg_t *frame)
{
  return protobuf_c_message_unpack(type, NULL, zmq_msg_size(frame), zmq_msg_data(frame));
}

/* Returns the response, which the caller frees; prints the error and returns NULL on failure. */
static void *call(char *method, const void *request, const ProtobufCMessageDescriptor *type)
{
  static uint64_t call_id;
  Tidings__Rpc__V1__RequestHeader__MetadataEntry user =
      TIDINGS__RPC__V1__REQUEST_HEADER__METADATA_ENTRY__INIT;
  Tidings__Rpc__V1__RequestHeader header = TIDINGS__RPC__V1__REQUEST_HEADER__INIT;
  Tidings__Rpc__V1__ResponseHeader *response = NULL;
  void *answer = NULL;
  header.call_id = ++call_id;
  header.method = method;
  header.timeout_ms = CALL_MILLISECONDS;
  user.key = "tidings-user";
  user.value = getenv("TIDINGS_USER");
  header.metadata = (Tidings__Rpc__V1__RequestHeader__MetadataEntry *[]){&user};
  header.n_metadata = user.value != NULL; /* not needed with a key */
  call_status = DEADLINE_EXCEEDED;
  if (calls == NULL && !open_calls()) return NULL;
  if (!send_frame(&header, ZMQ_SNDMORE) || !send_frame(request, 0)) return unanswered(method);
  do {
    tidings__rpc__v1__response_header__free_unpacked(response, NULL);
    response = NULL;
    if (!wait_for_response()) return unanswered(method);
    if (receive(calls))
      response = unpack(&tidings__rpc__v1__response_header__descriptor, &frames[0]);
  } while (response == NULL || response->call_id != header.call_id);
  call_status = response->status;
  if (call_status == OK) answer = unpack(type, &frames[1]);
  if (answer == NULL) (void)fprintf(stderr, "status %" PRIu32 ", ", call_status);
  if (answer == NULL) (void)failed(method, response->message);
  tidings__rpc__v1__response_header__free_unpacked(response, NULL);
  return answer;
}

/* A call has one status, and each of its items has its own result. */
static bool finish(void *response, const V1(ItemError) *error)
{
  bool is_done = response != NULL && error == NULL;
  if (error != NULL) (void)failed("not saved", error->message);
  protobuf_c_message_free_unpacked(response, NULL);
  return is_done;
}

static bool save(char *name, const char *price)
{
  char *end_of_price = NULL;
  long long number = strtoll(price, &end_of_price, 10);
  if (end_of_price == price || *end_of_price != '\0') return failed(price, "expected an integer");
  V1(DatabaseID) database = {IS(database_id)};
  V1(RecordID) id = {IS(record_id), .record_name = name};
  V1(FieldValue) value = {IS(field_value), .int64_value = number,
      .value_case = TIDINGS__V1__FIELD_VALUE__VALUE_INT64_VALUE};
  V1(Record__FieldsEntry) field = {IS(record__fields_entry), .key = "price", .value = &value};
  V1(Record) record = {IS(record), .record_id = &id, .record_type = "Houses", .n_fields = 1,
      .fields = (V1(Record__FieldsEntry) *[]){&field}};
  V1(ModifyRecordsRequest) request = {IS(modify_records_request), .database_id = &database,
      .n_records_to_save = 1, .records_to_save = (V1(Record) *[]){&record},
      .save_policy = TIDINGS__V1__SAVE_POLICY__SAVE_POLICY_CHANGED_KEYS};
  V1(ModifyRecordsResponse) *response = CALL(Record, ModifyRecords, modify_records);
  return finish(response, response != NULL && response->n_results > 0 &&
      response->results[0]->outcome_case ==
      TIDINGS__V1__RECORD_RESULT__OUTCOME_ERROR ? response->results[0]->error : NULL);
}

static bool subscribe(void)
{
  V1(DatabaseID) database = {IS(database_id)};
  V1(Predicate) predicate = {IS(predicate), .text = "price > 100000"};
  V1(Subscription) pricey = {IS(subscription), .subscription_id = "pricey",
      .type = TIDINGS__V1__SUBSCRIPTION_TYPE__SUBSCRIPTION_TYPE_QUERY, .record_type = "Houses",
      .predicate = &predicate, .fires_on_record_creation = true, .fires_on_record_update = true};
  V1(ModifySubscriptionsRequest) request = {IS(modify_subscriptions_request),
      .database_id = &database, .n_subscriptions_to_save = 1,
      .subscriptions_to_save = (V1(Subscription) *[]){&pricey}};
  V1(ModifySubscriptionsResponse) *response =
      CALL(Subscription, ModifySubscriptions, modify_subscriptions);
  const V1(ItemError) *error = response != NULL && response->n_results > 0 &&
      response->results[0]->outcome_case ==
      TIDINGS__V1__SUBSCRIPTION_RESULT__OUTCOME_ERROR ? response->results[0]->error : NULL;
  /* An equivalent subscription with another ID serves the same purpose. */
  return finish(response, error != NULL && *error->existing_subscription_id != 0 ? NULL : error);
}

static uint64_t *seen_of(const V1(SubscriptionPosition) *at)
{
  size_t i = 0;
  while (i < n_channels && strcmp(channels[i].id, at->channel_id) != 0) i++;
  if (i < n_channels) return &channels[i].seen;
  if ((channels = realloc(channels, ++n_channels * sizeof *channels)) == NULL) abort();
  channels[i] = (struct channel){.id = strdup(at->channel_id)};
  if (channels[i].id == NULL) abort();
  return &channels[i].seen;
}

static bool show(const Notification *notification, const char *way)
{
  const V1(SubscriptionPosition) *at = notification->position;
  if (at == NULL || at->sequence_number <= *seen_of(at)) return true; /* already printed */
  const char *name = notification->record_id != NULL ? notification->record_id->record_name : "";
  if (printf("%s-%" PRIu64 " %s (%s)\n", at->channel_id, at->sequence_number, name, way) < 0 ||
      fflush(stdout) != 0)
    return failed("output", strerror(errno));
  *seen_of(at) = at->sequence_number;
  return true;
}

static bool listen_to(ProtobufCBinaryData topic)
{
  return zmq_setsockopt(pushes, ZMQ_SUBSCRIBE, topic.data, topic.len) == 0;
}

/* Only adds topics: subscribing twice has no effect, and a push of a deleted channel causes a read
 * of the log, like any other unexpected push. */
static bool register_device(void)
{
  V1(RegisterDeviceRequest) request = {IS(register_device_request)};
  Home *answer = CALL(Notification, RegisterDevice, register_device);
  if (answer == NULL) return false;
  bool is_done = (home != NULL || zmq_connect(pushes, answer->push_endpoint) == 0) &&
                 listen_to(answer->control_topic);
  tidings__v1__register_device_response__free_unpacked(home, NULL);
  home = answer;
  for (size_t i = 0; i < home->n_channels; i++)
    is_done = is_done && home->channels[i]->position != NULL && listen_to(home->channels[i]->topic);
  must_register = !is_done;
  must_read = true; /* the log contains what happened before the topics were subscribed to */
  return is_done || failed("topics", zmq_strerror(errno));
}

/* Stores the token after the lines are printed, so a crash may repeat lines. Lines of pushes are
 * covered by the token only after the next read of the log, within a minute or at the end. */
static bool store(const char *path, ProtobufCBinaryData new_token)
{
  char new_path[4096];
  if (new_token.len > sizeof token ||
      (size_t)snprintf(new_path, sizeof new_path, "%s.new", path) >= sizeof new_path)
    return failed(path, "too long");
  memcpy(token, new_token.data, token_size = new_token.len);
  FILE *file = fopen(new_path, "wb");
  bool is_written = file != NULL && fwrite(token, 1, token_size, file) == token_size;
  if (file != NULL && fclose(file) != 0) is_written = false;
  return (is_written && rename(new_path, path) == 0) || failed(path, strerror(errno));
}

static bool read_log(const char *path)
{
  bool is_done = true;
  for (bool has_more = true; has_more && is_done;) {
    V1(FetchNotificationChangesRequest) request = {IS(fetch_notification_changes_request),
        .change_token = {token_size, token}, .omits_read_notifications = true};
    V1(FetchNotificationChangesResponse) *page =
        CALL(Notification, FetchNotificationChanges, fetch_notification_changes);
    if (page == NULL) return false;
    for (size_t i = 0; i < page->n_notifications && is_done; i++)
      is_done = show(page->notifications[i], "log");
    is_done = is_done && store(path, page->change_token);
    has_more = page->more_coming;
    tidings__v1__fetch_notification_changes_response__free_unpacked(page, NULL);
  }
  /* Announced events are in the log; those that are not there are not for this device. */
  for (size_t i = 0; i < home->n_channels && is_done; i++)
    if (*seen_of(home->channels[i]->position) < home->channels[i]->position->sequence_number)
      *seen_of(home->channels[i]->position) = home->channels[i]->position->sequence_number;
  must_read = !is_done;
  return is_done;
}

/* The notification in a push, which the caller frees; NULL if there is none of this channel. */
static Notification *open_push(Push *push, const V1(Channel) *channel)
{
  const size_t nonce = crypto_secretbox_NONCEBYTES, mac = crypto_secretbox_MACBYTES;
  ProtobufCBinaryData sealed = push->sealed_notification, key = channel->key;
  Notification *notification = NULL;
  if (push->content_case == TIDINGS__V1__PUSH__CONTENT_NOTIFICATION && key.len == 0) {
    notification = push->notification;
    push->content_case = TIDINGS__V1__PUSH__CONTENT__NOT_SET;
  } else if (push->content_case == TIDINGS__V1__PUSH__CONTENT_SEALED_NOTIFICATION &&
             key.len == crypto_secretbox_KEYBYTES && sealed.len >= nonce + mac &&
             crypto_secretbox_open_easy(sealed.data + nonce, sealed.data + nonce,
                                        sealed.len - nonce, sealed.data, key.data) == 0) {
    notification = tidings__v1__notification__unpack(NULL, sealed.len - nonce - mac,
                                                     sealed.data + nonce);
  }
  if (notification != NULL && notification->position != NULL &&
      strcmp(notification->position->channel_id, channel->position->channel_id) == 0 &&
      notification->position->sequence_number == push->sequence_number && !notification->is_pruned)
    return notification;
  tidings__v1__notification__free_unpacked(notification, NULL);
  return NULL;
}

/* Prints the notification in a push if it is the next event; otherwise the log must be read. */
static void receive_push(void)
{
  Push *push = receive(pushes) ? unpack(&tidings__v1__push__descriptor, &frames[1]) : NULL;
  bool is_delivered = false;
  if (push == NULL) return;
  if (push->content_case == TIDINGS__V1__PUSH__CONTENT_CHANNELS_CHANGED) must_register = true;
  for (size_t i = 0; i < home->n_channels; i++) {
    V1(Channel) *channel = home->channels[i];
    if (channel->topic.len != zmq_msg_size(&frames[0]) ||
        memcmp(channel->topic.data, zmq_msg_data(&frames[0]), channel->topic.len) != 0) continue;
    if (!is_listening) (void)fputs("watch: listening\n", stderr);
    is_listening = true;
    uint64_t seen = *seen_of(channel->position), number = push->sequence_number;
    if (number > seen) channel->position->sequence_number = number;
    bool is_next = push->previous_sequence_number == seen && number == seen + 1;
    Notification *notification = is_next ? open_push(push, channel) : NULL;
    is_delivered = number <= seen || (notification != NULL && show(notification, "push"));
    tidings__v1__notification__free_unpacked(notification, NULL);
  }
  must_read = must_read || !is_delivered;
  tidings__v1__push__free_unpacked(push, NULL);
}

static bool follow(const char *path)
{
  FILE *file = fopen(path, "rb");
  if (file != NULL) token_size = fread(token, 1, sizeof token, file);
  if (file != NULL && fclose(file) != 0) return failed(path, strerror(errno));
  if (puts("subscribed to price > 100000") < 0 || fflush(stdout) != 0) return false;
  for (time_t check = time(NULL); !is_stopping;) {
    zmq_pollitem_t items[] = {{.socket = pushes, .events = ZMQ_POLLIN},
                              {.socket = connections, .events = ZMQ_POLLIN}};
    call_status = OK;
    if ((must_register && !register_device()) || (must_read && !read_log(path))) {
      if (call_status == OUT_OF_RANGE && token_size > 0) token_size = 0; /* expired: read all */
      else if (call_status != UNAVAILABLE && call_status != DEADLINE_EXCEEDED &&
               call_status != RESOURCE_EXHAUSTED) return false;
    }
    if (zmq_poll(items, 2, WAIT_MILLISECONDS) < 0) continue; /* a signal */
    if (items[0].revents != 0) receive_push();
    if (items[1].revents != 0 && receive(connections)) must_register = true;
    if (time(NULL) - check >= CHECK_SECONDS) must_register = true, check = time(NULL);
  }
  return home == NULL || read_log(path);
}

static bool run(int count, char *words[])
{
  const char *events = "inproc://connections";
  endpoint = getenv("TIDINGS_ENDPOINT");
  if (endpoint == NULL) endpoint = "tcp://127.0.0.1:5570";
  if (signal(SIGINT, stop) == SIG_ERR || signal(SIGTERM, stop) == SIG_ERR || sodium_init() < 0 ||
      (context = zmq_ctx_new()) == NULL || zmq_ctx_set(context, ZMQ_BLOCKY, 0) != 0)
    return failed("start", strerror(errno));
  if (!open_calls() || (pushes = new_socket(ZMQ_SUB)) == NULL) return false;
  if (zmq_socket_monitor(pushes, events, ZMQ_EVENT_HANDSHAKE_SUCCEEDED) != 0 ||
      (connections = zmq_socket(context, ZMQ_PAIR)) == NULL ||
      zmq_connect(connections, events) != 0)
    return failed("connecting", zmq_strerror(errno));
  if (count == 4 && strcmp(words[1], "save") == 0) return save(words[2], words[3]);
  if (count == 2) return subscribe() && follow(words[1]);
  return failed("usage", "watch FILE | watch save NAME PRICE");
}

int main(int count, char *words[])
{
  (void)zmq_msg_init(&frames[0]);
  (void)zmq_msg_init(&frames[1]);
  bool is_done = run(count, words);
  (void)zmq_msg_close(&frames[0]);
  (void)zmq_msg_close(&frames[1]);
  tidings__v1__register_device_response__free_unpacked(home, NULL);
  for (size_t i = 0; i < n_channels; i++) free(channels[i].id);
  free(channels);
  void *sockets[] = {connections, pushes, calls};
  /* Stop the monitor before its socket is closed; otherwise libzmq's thread blocks permanently. */
  if (pushes != NULL) (void)zmq_socket_monitor(pushes, NULL, 0);
  for (size_t i = 0; i < 3; i++)
    if (sockets[i] != NULL) (void)zmq_close(sockets[i]);
  if (context != NULL) (void)zmq_ctx_term(context);
  return is_done ? 0 : 1;
}
