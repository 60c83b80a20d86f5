#define _POSIX_C_SOURCE 200809L
#include "tidings.h"

#include "tidings/rpc/v1/error_details.pb-c.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef Tidings__Rpc__V1__ErrorInfo ErrorInfo;
typedef Tidings__Rpc__V1__RequestHeader RequestHeader;
typedef Tidings__Rpc__V1__RequestHeader__MetadataEntry MetadataEntry;

/* How long an endpoint may take to connect if there is another one; how long a call tries to
 * connect again, and the pause between attempts. */
enum { ATTEMPT_MILLISECONDS = 1500, RECONNECT_MILLISECONDS = 3000, PAUSE_MILLISECONDS = 100 };

bool tidings_fail(struct tidings *client, uint32_t status, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  client->status = status;
  if (vsnprintf(client->message, sizeof client->message, format, arguments) < 0)
    client->message[0] = '\0';
  va_end(arguments);
  return false;
}

int64_t tidings_now(void)
{
  struct timespec time = {0};
  (void)clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

long tidings_left(int64_t deadline)
{
  int64_t left = deadline - tidings_now();
  return left > 0 ? (long)left : 0;
}

void *tidings_checked(void *memory)
{
  if (memory != NULL) return memory;
  (void)fputs("out of memory\n", stderr);
  abort();
}

/* Connections */

static bool set_key(void *socket, int option, const char *key)
{
  return key != NULL && strlen(key) == 40 && zmq_setsockopt(socket, option, key, 41) == 0;
}

static bool set_options(struct tidings *client, void *socket)
{
  const struct tidings_options *options = &client->options;
  /* With several endpoints a silent server must be noticed soon. */
  bool is_quick = client->endpoint_count > 1;
  int linger = 0, is_curve = options->server_key != NULL;
  int heartbeat = is_quick ? 1000 : 30000, silence = is_quick ? 2000 : 30000;
  if (zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger) == 0 &&
      zmq_setsockopt(socket, ZMQ_HEARTBEAT_IVL, &heartbeat, sizeof heartbeat) == 0 &&
      zmq_setsockopt(socket, ZMQ_HEARTBEAT_TIMEOUT, &silence, sizeof silence) == 0 &&
      (!is_curve ||
       (set_key(socket, ZMQ_CURVE_SERVERKEY, options->server_key) &&
        set_key(socket, ZMQ_CURVE_PUBLICKEY, options->public_key) &&
        set_key(socket, ZMQ_CURVE_SECRETKEY, options->secret_key))))
    return true;
  return tidings_fail(client, TIDINGS_INVALID_ARGUMENT, "%s",
                      is_curve ? "invalid key: expected 40 characters of Z85"
                               : zmq_strerror(errno));
}

void *tidings_socket(struct tidings *client, int kind, void **monitor)
{
  char name[64];
  void *socket = zmq_socket(client->context, kind);
  *monitor = zmq_socket(client->context, ZMQ_PAIR);
  if (socket != NULL && *monitor != NULL) {
    (void)snprintf(name, sizeof name, "inproc://events-%p", socket);
    if (!set_options(client, socket)) goto failed;
    if (zmq_socket_monitor(socket, name, ZMQ_EVENT_ALL) == 0 && zmq_connect(*monitor, name) == 0)
      return socket;
  }
  (void)tidings_fail(client, TIDINGS_INTERNAL, "cannot create a socket: %s", zmq_strerror(errno));
failed:
  tidings_close_socket(socket, *monitor);
  *monitor = NULL;
  return NULL;
}

void tidings_close_socket(void *socket, void *monitor)
{
  if (socket != NULL) (void)zmq_socket_monitor(socket, NULL, 0);
  if (monitor != NULL) (void)zmq_close(monitor);
  if (socket != NULL) (void)zmq_close(socket);
}

int tidings_event(void *monitor, int64_t deadline)
{
  zmq_pollitem_t item = {.socket = monitor, .events = ZMQ_POLLIN};
  uint16_t event = 0;
  uint8_t first[6], second[256]; /* the event with a value, the endpoint */
  if (monitor == NULL || zmq_poll(&item, 1, tidings_left(deadline)) <= 0) return 0;
  if (zmq_recv(monitor, first, sizeof first, ZMQ_DONTWAIT) != sizeof first) return 0;
  if (zmq_recv(monitor, second, sizeof second, ZMQ_DONTWAIT) < 0) return 0;
  memcpy(&event, first, sizeof event);
  return event;
}

static bool wait_until_connected(struct tidings *client, int64_t deadline)
{
  const char *endpoint = client->endpoint;
  bool is_accepted = false;
  for (;;) {
    switch (tidings_event(client->events, deadline)) {
    case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
      return true;
    case ZMQ_EVENT_CONNECTED:
      is_accepted = true;
      break;
    case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
      return tidings_fail(client, TIDINGS_UNAUTHENTICATED,
                          "cannot connect to %s: the server does not admit this key",
                          endpoint);
    case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
      return tidings_fail(client, TIDINGS_UNAVAILABLE,
                          "cannot connect to %s: only one of client and server uses keys",
                          endpoint);
    case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
    case ZMQ_EVENT_CONNECT_RETRIED:
      return tidings_fail(client, TIDINGS_UNAVAILABLE,
                          is_accepted
                              ? "cannot connect to %s: the server closed the connection in the "
                                "handshake; it has another key, or requires authentication"
                              : "cannot reach %s: connection refused",
                          endpoint);
    case 0:
      if (tidings_left(deadline) == 0)
        return tidings_fail(client, TIDINGS_UNAVAILABLE, "cannot reach %s: timed out", endpoint);
      break;
    default:
      break;
    }
  }
}

/* Copies the current endpoint from the list, without spaces. */
static bool choose_endpoint(struct tidings *client)
{
  const char *item = client->options.endpoint;
  for (size_t i = 0; i < client->endpoint_index; i++) item = strchr(item, ',') + 1;
  item += strspn(item, " ");
  size_t length = strcspn(item, ", ");
  if (length == 0 || length >= sizeof client->endpoint)
    return tidings_fail(client, TIDINGS_INVALID_ARGUMENT, "invalid list of endpoints '%s'",
                        client->options.endpoint);
  memcpy(client->endpoint, item, length);
  client->endpoint[length] = '\0';
  return true;
}

static bool connect_once(struct tidings *client, int64_t deadline)
{
  tidings_close_socket(client->calls, client->events);
  client->calls = tidings_socket(client, ZMQ_DEALER, &client->events);
  if (client->calls == NULL) return false;
  if (zmq_connect(client->calls, client->endpoint) != 0)
    return tidings_fail(client, TIDINGS_INVALID_ARGUMENT, "invalid endpoint '%s'",
                        client->endpoint);
  return wait_until_connected(client, deadline);
}

/* Tries each endpoint once, the current one first. */
static bool connect_to_any(struct tidings *client, int64_t deadline)
{
  char problems[sizeof client->message] = "";
  for (size_t left = client->endpoint_count; left > 0; left--) {
    long share = tidings_left(deadline) / (long)left;
    if (client->endpoint_count > 1 && share > ATTEMPT_MILLISECONDS) share = ATTEMPT_MILLISECONDS;
    if (!choose_endpoint(client)) return false;
    client->must_move = !connect_once(client, tidings_now() + share);
    if (!client->must_move) {
      client->connection++;
      return true;
    }
    if (client->status == TIDINGS_INVALID_ARGUMENT) return false;
    size_t used = strlen(problems);
    if (snprintf(problems + used, sizeof problems - used, "%s%s", used > 0 ? "; " : "",
                 client->message) < 0)
      problems[used] = '\0';
    client->endpoint_index = (client->endpoint_index + 1) % client->endpoint_count;
  }
  return tidings_fail(client, client->status, "%s", problems);
}

/* Connects again, to the next endpoint, if the connection was lost or its server drains. Always
 * with a new socket: the old one would still send what it had queued, after its deadline. */
static bool move_if_needed(struct tidings *client, int64_t deadline)
{
  int event = 0;
  while ((event = tidings_event(client->events, 0)) != 0) /* older than the call */
    if (event == ZMQ_EVENT_DISCONNECTED) client->must_move = true;
  if (!client->must_move) return true;
  int64_t end = tidings_now() + RECONNECT_MILLISECONDS;
  if (end > deadline) end = deadline;
  client->endpoint_index = (client->endpoint_index + 1) % client->endpoint_count;
  while (!connect_to_any(client, end)) {
    if (client->status != TIDINGS_UNAVAILABLE || tidings_left(end) == 0) return false;
    (void)zmq_poll(NULL, 0, PAUSE_MILLISECONDS);
  }
  return true;
}

bool tidings_connect(struct tidings *client, const struct tidings_options *options, int timeout_ms)
{
  *client = (struct tidings){
      .options = *options, .endpoint_count = 1, .context = zmq_ctx_new()};
  if (client->context == NULL)
    return tidings_fail(client, TIDINGS_INTERNAL, "no context: %s", zmq_strerror(errno));
  for (const char *comma = options->endpoint; (comma = strchr(comma, ',')) != NULL; comma++)
    client->endpoint_count++;
  return connect_to_any(client, tidings_now() + timeout_ms);
}

void tidings_close(struct tidings *client)
{
  tidings_close_socket(client->calls, client->events);
  if (client->context != NULL) (void)zmq_ctx_term(client->context);
  client->calls = client->events = client->context = NULL;
}

/* Calls */

static bool send_frame(void *socket, const void *bytes, size_t size, int flags)
{
  return zmq_send(socket, size > 0 ? bytes : "", size, flags | ZMQ_DONTWAIT) >= 0;
}

bool tidings_send(struct tidings *client, RequestHeader *header, const void *body, size_t size,
                  int64_t deadline)
{
  MetadataEntry user = TIDINGS__RPC__V1__REQUEST_HEADER__METADATA_ENTRY__INIT, device = user;
  MetadataEntry *entries[2];
  if (header->call_id == 0) {
    header->call_id = ++client->call_id;
    if (!move_if_needed(client, deadline)) return false;
  }
  zmq_pollitem_t item = {.socket = client->calls, .events = ZMQ_POLLOUT};
  bool is_named = header->n_metadata > 0;
  if (!is_named) {
    user.key = "tidings-user", user.value = (char *)client->options.user;
    device.key = "tidings-device", device.value = (char *)client->options.device;
    header->metadata = entries;
    if (user.value != NULL) entries[header->n_metadata++] = &user;
    if (device.value != NULL) entries[header->n_metadata++] = &device;
  }
  size_t header_size = tidings__rpc__v1__request_header__get_packed_size(header);
  uint8_t *bytes = tidings_checked(malloc(header_size + 1));
  (void)tidings__rpc__v1__request_header__pack(header, bytes);
  if (!is_named) header->n_metadata = 0, header->metadata = NULL;
  while (zmq_poll(&item, 1, tidings_left(deadline)) < 0 && errno == EINTR) continue;
  bool is_sent = send_frame(client->calls, bytes, header_size, ZMQ_SNDMORE) &&
                 send_frame(client->calls, body, size, 0);
  free(bytes);
  if (!is_sent) client->must_move = true;
  return is_sent || tidings_fail(client, TIDINGS_UNAVAILABLE, "cannot reach %s: not connected",
                                 client->endpoint);
}

/* Receives a message of two frames; ignores further frames, which no server sends. */
static bool receive_frames(void *socket, zmq_msg_t *header, zmq_msg_t *body)
{
  if (zmq_msg_recv(header, socket, ZMQ_DONTWAIT) < 0 || !zmq_msg_more(header) ||
      zmq_msg_recv(body, socket, ZMQ_DONTWAIT) < 0)
    return false;
  while (zmq_msg_more(body))
    if (zmq_msg_recv(body, socket, ZMQ_DONTWAIT) < 0) return false;
  return true;
}

bool tidings_receive(struct tidings *client, struct tidings_response *response, int64_t deadline)
{
  zmq_pollitem_t items[] = {{.socket = client->calls, .events = ZMQ_POLLIN},
                            {.socket = client->events, .events = ZMQ_POLLIN}};
  const char *endpoint = client->endpoint;
  bool is_lost = false;
  zmq_msg_t header;
  for (;;) {
    long wait = is_lost ? 0 : tidings_left(deadline);
    while (zmq_poll(items, 2, wait) < 0 && errno == EINTR) continue;
    if (items[0].revents == 0 && is_lost) {
      client->must_move = true;
      return tidings_fail(client, TIDINGS_UNAVAILABLE, "no response from %s: connection closed",
                          endpoint);
    }
    if (items[0].revents == 0 && items[1].revents == 0)
      return tidings_fail(client, TIDINGS_DEADLINE_EXCEEDED, "no response from %s: timed out",
                          endpoint);
    if (items[0].revents == 0) {
      /* What arrived before the loss is received first. */
      is_lost = tidings_event(client->events, 0) == ZMQ_EVENT_DISCONNECTED;
      continue;
    }
    (void)zmq_msg_init(&header);
    (void)zmq_msg_init(&response->body);
    response->header = receive_frames(client->calls, &header, &response->body)
                           ? tidings__rpc__v1__response_header__unpack(
                                 NULL, zmq_msg_size(&header), zmq_msg_data(&header))
                           : NULL;
    (void)zmq_msg_close(&header);
    if (response->header != NULL) return true;
    (void)zmq_msg_close(&response->body);
  }
}

void tidings_response_free(struct tidings_response *response)
{
  tidings__rpc__v1__response_header__free_unpacked(response->header, NULL);
  (void)zmq_msg_close(&response->body);
}

/* Whether the server drains: it did not begin the call, and another node may. */
static bool is_draining(const Tidings__Rpc__V1__ResponseHeader *header)
{
  bool is_so = false;
  for (size_t i = 0; header->status == TIDINGS_UNAVAILABLE && i < header->n_details; i++) {
    const Google__Protobuf__Any *detail = header->details[i];
    const char *name = strrchr(detail->type_url, '/');
    if (name == NULL || strcmp(name, "/tidings.rpc.v1.ErrorInfo") != 0) continue;
    ErrorInfo *info =
        tidings__rpc__v1__error_info__unpack(NULL, detail->value.len, detail->value.data);
    is_so = is_so || (info != NULL && strcmp(info->reason, "DRAINING") == 0);
    tidings__rpc__v1__error_info__free_unpacked(info, NULL);
  }
  return is_so;
}

/* Decodes the body of a response. */
static void *answer_of(struct tidings *client, struct tidings_response *response,
                       const ProtobufCMessageDescriptor *type)
{
  void *answer = NULL;
  client->is_draining = is_draining(response->header);
  if (client->is_draining && client->endpoint_count > 1) client->must_move = true;
  if (response->header->status != TIDINGS_OK)
    (void)tidings_fail(client, response->header->status, "%s", response->header->message);
  else if ((answer = protobuf_c_message_unpack(type, NULL, zmq_msg_size(&response->body),
                                               zmq_msg_data(&response->body))) == NULL)
    (void)tidings_fail(client, TIDINGS_INTERNAL, "cannot decode the response as %s", type->name);
  return answer;
}

static void *call_once(struct tidings *client, const ProtobufCServiceDescriptor *service,
                       const char *method, const void *request, const char *key,
                       uint32_t timeout_ms)
{
  const ProtobufCMethodDescriptor *descriptor =
      protobuf_c_service_descriptor_get_method_by_name(service, method);
  RequestHeader header = TIDINGS__RPC__V1__REQUEST_HEADER__INIT;
  struct tidings_response response;
  char name[256];
  if (descriptor == NULL || (size_t)snprintf(name, sizeof name, "%s/%s", service->name, method) >=
                                sizeof name) {
    (void)tidings_fail(client, TIDINGS_INVALID_ARGUMENT, "service %s has no method '%s'",
                       service->name, method);
    return NULL;
  }
  int64_t deadline = tidings_now() + timeout_ms;
  size_t size = protobuf_c_message_get_packed_size(request);
  uint8_t *body = tidings_checked(malloc(size + 1));
  (void)protobuf_c_message_pack(request, body);
  header.method = name;
  header.timeout_ms = timeout_ms;
  if (key != NULL) header.idempotency_key = (char *)key;
  bool is_sent = tidings_send(client, &header, body, size, deadline);
  free(body);
  while (is_sent && tidings_receive(client, &response, deadline)) {
    /* Responses to earlier calls that timed out are ignored. */
    bool is_mine = response.header->call_id == header.call_id;
    void *answer = is_mine ? answer_of(client, &response, descriptor->output) : NULL;
    tidings_response_free(&response);
    if (is_mine) return answer;
  }
  return NULL;
}

void *tidings_call(struct tidings *client, const ProtobufCServiceDescriptor *service,
                   const char *method, const void *request, const char *key, uint32_t timeout_ms)
{
  int64_t end = tidings_now() + timeout_ms;
  for (size_t nodes = client->endpoint_count;; nodes--) {
    client->is_draining = false;
    void *answer = call_once(client, service, method, request, key, timeout_ms);
    /* A node that drains did not begin the call: the next one gets it. */
    if (!client->is_draining || nodes <= 1 || tidings_left(end) == 0) return answer;
    timeout_ms = (uint32_t)tidings_left(end);
  }
}
