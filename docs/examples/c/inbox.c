#include "inbox.h"

#include <errno.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef Tidings__V1__Channel Channel;
typedef Tidings__V1__FetchNotificationChangesRequest LogRequest;
typedef Tidings__V1__FetchNotificationChangesResponse LogPage;
typedef Tidings__V1__Notification Notification;
typedef Tidings__V1__Push Push;
typedef Tidings__V1__RegisterDeviceRequest RegisterRequest;
typedef Tidings__V1__RegisterDeviceResponse RegisterResponse;
typedef Tidings__V1__SubscriptionPosition Position;

static const Tidings__V1__NotificationType READ_MARK =
    TIDINGS__V1__NOTIFICATION_TYPE__NOTIFICATION_TYPE_READ_NOTIFICATION;

enum { CALL_MILLISECONDS = 10000, RECONCILE_MILLISECONDS = 60000, REFUSED_MILLISECONDS = 1000 };

/* Values */

static bool is_same(ProtobufCBinaryData bytes, const void *data, size_t size)
{
  return bytes.len == size && memcmp(bytes.data, data, size) == 0;
}

static char *copy_text(const char *text)
{
  size_t size = strlen(text) + 1;
  return memcpy(tidings_checked(malloc(size)), text, size);
}

static void set_token(struct inbox *inbox, ProtobufCBinaryData token)
{
  uint8_t *bytes = tidings_checked(malloc(token.len + 1));
  if (token.len > 0) memcpy(bytes, token.data, token.len);
  free(inbox->token.data);
  inbox->token = (ProtobufCBinaryData){.len = token.len, .data = bytes};
}

/* Returns the state of a channel. There are few, so a linear search is fast enough. */
static struct inbox_channel *find_channel(struct inbox *inbox, const char *id, bool *is_new)
{
  for (size_t i = 0; i < inbox->n_channels; i++)
    if (strcmp(inbox->channels[i].id, id) == 0) return &inbox->channels[i];
  inbox->channels = tidings_checked(
      realloc(inbox->channels, (inbox->n_channels + 1) * sizeof *inbox->channels));
  if (is_new != NULL) *is_new = true;
  inbox->channels[inbox->n_channels] = (struct inbox_channel){.id = copy_text(id)};
  return &inbox->channels[inbox->n_channels++];
}

/* A position is encoded as a page of the log without content: the token, and what was delivered
 * after it, as the newest number of each channel and the ids of read marks. */
bool inbox_open(struct inbox *inbox, struct tidings *client, const char *container,
                Tidings__V1__Environment environment, const void *position, size_t size)
{
  *inbox = (struct inbox){.client = client,
                          .container = copy_text(container),
                          .environment = environment,
                          .must_register = true};
  LogPage *page =
      tidings__v1__fetch_notification_changes_response__unpack(NULL, size, position);
  inbox->resumed = page;
  if (page == NULL || sodium_init() < 0)
    return tidings_fail(client, TIDINGS_INVALID_ARGUMENT, "cannot decode the position");
  set_token(inbox, page->change_token);
  for (size_t i = 0; i < page->n_notifications; i++) {
    const Position *at = page->notifications[i]->position;
    if (at == NULL) continue;
    struct inbox_channel *channel = find_channel(inbox, at->channel_id, NULL);
    channel->seen = at->sequence_number;
    channel->is_beyond = true;
  }
  return true;
}

/* Adds the read marks among the first notifications of a page. */
static void add_read_marks(LogPage *position, const LogPage *page, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (page->notifications[i]->type == READ_MARK)
      position->notifications[position->n_notifications++] = page->notifications[i];
}

uint8_t *inbox_position(const struct inbox *inbox, size_t *size)
{
  LogPage position = TIDINGS__V1__FETCH_NOTIFICATION_CHANGES_RESPONSE__INIT;
  size_t n_page = inbox->page != NULL ? inbox->page_next : 0;
  size_t n_resumed = inbox->resumed != NULL ? inbox->resumed->n_notifications : 0;
  size_t room = inbox->n_channels + 1;
  Position *positions = tidings_checked(calloc(room, sizeof *positions));
  Notification *items = tidings_checked(calloc(room, sizeof *items));
  position.notifications =
      tidings_checked(calloc(room + n_page + n_resumed, sizeof(Notification *)));
  position.change_token = inbox->token;
  for (size_t i = 0; i < inbox->n_channels; i++) {
    if (!inbox->channels[i].is_beyond) continue;
    tidings__v1__subscription_position__init(&positions[i]);
    tidings__v1__notification__init(&items[i]);
    positions[i].channel_id = inbox->channels[i].id;
    positions[i].sequence_number = inbox->channels[i].seen;
    items[i].position = &positions[i];
    position.notifications[position.n_notifications++] = &items[i];
  }
  add_read_marks(&position, inbox->resumed, n_resumed);
  add_read_marks(&position, inbox->page, n_page);
  *size = protobuf_c_message_get_packed_size(&position.base);
  uint8_t *bytes = tidings_checked(malloc(*size + 1));
  (void)protobuf_c_message_pack(&position.base, bytes);
  free(position.notifications);
  free(items);
  free(positions);
  return bytes;
}

void inbox_close(struct inbox *inbox)
{
  tidings_close_socket(inbox->pushes, inbox->events);
  tidings__v1__register_device_response__free_unpacked(inbox->home, NULL);
  tidings__v1__fetch_notification_changes_response__free_unpacked(inbox->page, NULL);
  tidings__v1__fetch_notification_changes_response__free_unpacked(inbox->resumed, NULL);
  tidings__v1__notification__free_unpacked(inbox->pushed, NULL);
  for (size_t i = 0; i < inbox->n_channels; i++) free(inbox->channels[i].id);
  free(inbox->channels);
  free(inbox->token.data);
  free(inbox->container);
  *inbox = (struct inbox){0};
}

/* Sealed pushes */

uint8_t *inbox_unseal(ProtobufCBinaryData sealed, ProtobufCBinaryData key, size_t *size)
{
  const size_t nonce_size = crypto_secretbox_NONCEBYTES;
  if (key.len != crypto_secretbox_KEYBYTES || sealed.len < nonce_size + crypto_secretbox_MACBYTES)
    return NULL;
  *size = sealed.len - nonce_size - crypto_secretbox_MACBYTES;
  uint8_t *message = tidings_checked(malloc(*size + 1));
  if (crypto_secretbox_open_easy(message, sealed.data + nonce_size, sealed.len - nonce_size,
                                 sealed.data, key.data) == 0)
    return message;
  free(message);
  return NULL;
}

Notification *inbox_content(const Push *push, ProtobufCBinaryData key, const char *channel_id)
{
  size_t size = 0;
  uint8_t *bytes = NULL;
  /* If the channel has a key, only content that is sealed with it is authentic. */
  if (push->content_case == TIDINGS__V1__PUSH__CONTENT_SEALED_NOTIFICATION) {
    bytes = inbox_unseal(push->sealed_notification, key, &size);
  } else if (push->content_case == TIDINGS__V1__PUSH__CONTENT_NOTIFICATION && key.len == 0) {
    size = tidings__v1__notification__get_packed_size(push->notification);
    bytes = tidings_checked(malloc(size + 1));
    (void)tidings__v1__notification__pack(push->notification, bytes);
  }
  Notification *notification =
      bytes != NULL ? tidings__v1__notification__unpack(NULL, size, bytes) : NULL;
  free(bytes);
  if (notification != NULL && notification->position != NULL &&
      strcmp(notification->position->channel_id, channel_id) == 0 &&
      notification->position->sequence_number == push->sequence_number)
    return notification;
  tidings__v1__notification__free_unpacked(notification, NULL);
  return NULL;
}

/* Calls */

static void close_pushes(struct inbox *inbox)
{
  tidings_close_socket(inbox->pushes, inbox->events);
  inbox->pushes = inbox->events = NULL;
  inbox->is_listening = false;
}

static bool connect_pushes(struct inbox *inbox)
{
  if (inbox->pushes != NULL) return true;
  inbox->pushes = tidings_socket(inbox->client, ZMQ_SUB, &inbox->events);
  if (inbox->pushes == NULL) return false;
  return zmq_connect(inbox->pushes, inbox->home->push_endpoint) == 0 ||
         tidings_fail(inbox->client, TIDINGS_INVALID_ARGUMENT, "invalid endpoint '%s'",
                      inbox->home->push_endpoint);
}

static bool listen_to(struct inbox *inbox, const RegisterResponse *home, int option)
{
  bool is_set = zmq_setsockopt(inbox->pushes, option, home->control_topic.data,
                               home->control_topic.len) == 0;
  for (size_t i = 0; i < home->n_channels; i++)
    is_set = is_set && zmq_setsockopt(inbox->pushes, option, home->channels[i]->topic.data,
                                      home->channels[i]->topic.len) == 0;
  return is_set || tidings_fail(inbox->client, TIDINGS_INTERNAL, "cannot subscribe to a topic: %s",
                                zmq_strerror(errno));
}

static bool register_device(struct inbox *inbox)
{
  RegisterRequest request = TIDINGS__V1__REGISTER_DEVICE_REQUEST__INIT;
  request.container = inbox->container;
  request.environment = inbox->environment;
  RegisterResponse *home = tidings_call(
      inbox->client, &tidings__v1__notification_service__descriptor, "RegisterDevice", &request,
      NULL, CALL_MILLISECONDS);
  if (home == NULL) return false;
  /* Subscribes before it unsubscribes, so that topics in both stay subscribed. */
  RegisterResponse *old = inbox->home;
  if (old != NULL && strcmp(old->push_endpoint, home->push_endpoint) != 0) {
    /* Another node, which publishes elsewhere. */
    close_pushes(inbox);
    tidings__v1__register_device_response__free_unpacked(old, NULL);
    old = NULL;
  }
  inbox->home = home;
  inbox->connection = inbox->client->connection;
  bool is_listening = connect_pushes(inbox) && listen_to(inbox, home, ZMQ_SUBSCRIBE) &&
                      (old == NULL || listen_to(inbox, old, ZMQ_UNSUBSCRIBE));
  tidings__v1__register_device_response__free_unpacked(old, NULL);
  if (!is_listening) return false;
  for (size_t i = 0; i < home->n_channels; i++) {
    const Position *at = home->channels[i]->position;
    if (at == NULL) continue;
    struct inbox_channel *channel = find_channel(inbox, at->channel_id, NULL);
    if (channel->announced < at->sequence_number) channel->announced = at->sequence_number;
  }
  find_channel(inbox, "", NULL)->announced = home->read_mark_number;
  inbox->must_register = false;
  /* The log contains what happened before the topics were subscribed to. */
  inbox->must_fetch = true;
  inbox->reconcile_time = tidings_now() + RECONCILE_MILLISECONDS;
  return true;
}

static bool fetch_page(struct inbox *inbox)
{
  LogRequest request = TIDINGS__V1__FETCH_NOTIFICATION_CHANGES_REQUEST__INIT;
  request.container = inbox->container;
  request.environment = inbox->environment;
  request.change_token = inbox->token;
  inbox->page = tidings_call(inbox->client, &tidings__v1__notification_service__descriptor,
                             "FetchNotificationChanges", &request, NULL, CALL_MILLISECONDS);
  inbox->page_next = 0;
  return inbox->page != NULL;
}

/* Ends a page that was delivered completely: its token is the new position. */
static void end_page(struct inbox *inbox)
{
  set_token(inbox, inbox->page->change_token);
  inbox->must_fetch = inbox->page->more_coming;
  tidings__v1__fetch_notification_changes_response__free_unpacked(inbox->page, NULL);
  tidings__v1__fetch_notification_changes_response__free_unpacked(inbox->resumed, NULL);
  inbox->page = inbox->resumed = NULL;
  if (inbox->must_fetch) return;
  /* Events are in the log before they are announced: one that was announced and is not there is not
   * for this device. */
  for (size_t i = 0; i < inbox->n_channels; i++) {
    struct inbox_channel *channel = &inbox->channels[i];
    if (channel->seen < channel->announced) channel->seen = channel->announced;
    channel->is_beyond = false;
  }
}

/* Records that a notification of the log is delivered; returns false if it was delivered before. */
static bool is_new_in_log(struct inbox *inbox, const Notification *notification)
{
  const Position *at = notification->position;
  if (notification->type == READ_MARK) {
    for (size_t i = 0; inbox->resumed != NULL && i < inbox->resumed->n_notifications; i++)
      if (strcmp(inbox->resumed->notifications[i]->notification_id,
                 notification->notification_id) == 0)
        return false;
    return true;
  }
  if (at == NULL) return false;
  /* An unknown channel belongs to a subscription whose announcement was lost. */
  struct inbox_channel *channel = find_channel(inbox, at->channel_id, &inbox->must_register);
  if (at->sequence_number <= channel->seen) return false;
  channel->seen = at->sequence_number;
  return channel->is_beyond = true;
}

static const Notification *next_of_page(struct inbox *inbox)
{
  while (inbox->page != NULL) {
    if (inbox->page_next == inbox->page->n_notifications) {
      end_page(inbox);
      break;
    }
    const Notification *notification = inbox->page->notifications[inbox->page_next++];
    if (!is_new_in_log(inbox, notification)) continue;
    inbox->came_by_push = false;
    return notification;
  }
  return NULL;
}

/* Pushes */

static const Notification *receive_push(struct inbox *inbox, const Channel *channel,
                                        const Push *push)
{
  struct inbox_channel *known = find_channel(inbox, channel->position->channel_id, NULL);
  if (push->sequence_number <= known->seen) return NULL;
  known->announced = push->sequence_number;
  inbox->must_fetch = true; /* unless the push is the next event and complete */
  if (push->content_case == TIDINGS__V1__PUSH__CONTENT__NOT_SET ||
      push->previous_sequence_number != known->seen || push->sequence_number != known->seen + 1)
    return NULL;
  bool is_mine = channel->origin_tag != 0 && channel->origin_tag == push->origin_tag;
  Notification *notification = is_mine ? NULL : inbox_content(push, channel->key, known->id);
  if (!is_mine && notification == NULL) {
    /* The channel may have a new key; register again once, not for each push. */
    if (!inbox->has_asked_for_keys) inbox->must_register = inbox->has_asked_for_keys = true;
    return NULL;
  }
  if (notification != NULL && notification->is_pruned) {
    tidings__v1__notification__free_unpacked(notification, NULL);
    return NULL;
  }
  inbox->must_fetch = false;
  known->seen = push->sequence_number;
  if (is_mine) return NULL;
  known->is_beyond = true;
  char *id = tidings_checked(malloc(strlen(known->id) + 22)); /* `-`, 20 digits, the end */
  (void)sprintf(id, "%s-%" PRIu64, known->id, known->seen);
  notification->notification_id = id;
  notification->subscription_id = copy_text(channel->subscription_id);
  inbox->pushed = notification;
  inbox->came_by_push = true;
  return notification;
}

/* On the control topic; the log contains the read marks. */
static void receive_control(struct inbox *inbox, const Push *push)
{
  struct inbox_channel *control = find_channel(inbox, "", NULL);
  if (push->content_case == TIDINGS__V1__PUSH__CONTENT_CHANNELS_CHANGED)
    inbox->must_register = true;
  else if (push->sequence_number > control->seen) {
    control->announced = push->sequence_number;
    inbox->must_fetch = true;
  }
}

static const Notification *receive_frames(struct inbox *inbox, zmq_msg_t *topic, zmq_msg_t *body)
{
  const RegisterResponse *home = inbox->home;
  const Notification *notification = NULL;
  Push *push = tidings__v1__push__unpack(NULL, zmq_msg_size(body), zmq_msg_data(body));
  if (push == NULL) {
    inbox->must_fetch = true;
  } else if (is_same(home->control_topic, zmq_msg_data(topic), zmq_msg_size(topic))) {
    receive_control(inbox, push);
  } else {
    for (size_t i = 0; i < home->n_channels; i++)
      if (home->channels[i]->position != NULL &&
          is_same(home->channels[i]->topic, zmq_msg_data(topic), zmq_msg_size(topic))) {
        inbox->is_listening = true;
        notification = receive_push(inbox, home->channels[i], push);
        break;
      }
  }
  tidings__v1__push__free_unpacked(push, NULL);
  return notification;
}

static const Notification *take_push(struct inbox *inbox)
{
  const Notification *notification = NULL;
  zmq_msg_t topic, body;
  (void)zmq_msg_init(&topic);
  (void)zmq_msg_init(&body);
  if (zmq_msg_recv(&topic, inbox->pushes, ZMQ_DONTWAIT) >= 0 && zmq_msg_more(&topic) &&
      zmq_msg_recv(&body, inbox->pushes, ZMQ_DONTWAIT) >= 0)
    notification = receive_frames(inbox, &topic, &body);
  (void)zmq_msg_close(&body);
  (void)zmq_msg_close(&topic);
  return notification;
}

/* Pushes sent while there was no connection are lost, and the channels may have changed. */
static void reconnected(struct inbox *inbox)
{
  inbox->must_register = inbox->must_fetch = true;
  inbox->has_asked_for_keys = false;
}

/* An event of the push connection. */
static void follow_connection(struct inbox *inbox, int event)
{
  switch (event) {
  case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
    reconnected(inbox);
    break;
  case ZMQ_EVENT_DISCONNECTED:
    /* With several endpoints, the next call finds another node. */
    if (inbox->client->endpoint_count > 1) reconnected(inbox);
    break;
  case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
  case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
    /* libzmq does not try again after these: the next registration opens another socket. */
    close_pushes(inbox);
    inbox->reconcile_time = tidings_now() + REFUSED_MILLISECONDS;
    break;
  default:
    break;
  }
}

const Notification *inbox_next(struct inbox *inbox, int64_t deadline)
{
  const Notification *notification = NULL;
  tidings__v1__notification__free_unpacked(inbox->pushed, NULL);
  inbox->pushed = NULL;
  for (;;) {
    inbox->client->status = TIDINGS_OK;
    if (inbox->connection != inbox->client->connection) inbox->must_register = true;
    if ((notification = next_of_page(inbox)) != NULL) return notification;
    if (inbox->must_register) {
      if (!register_device(inbox)) return NULL;
    } else if (inbox->must_fetch) {
      if (!fetch_page(inbox)) return NULL;
    } else {
      zmq_pollitem_t items[] = {{.socket = inbox->pushes, .events = ZMQ_POLLIN},
                                {.socket = inbox->events, .events = ZMQ_POLLIN}};
      int64_t wake = deadline < inbox->reconcile_time ? deadline : inbox->reconcile_time;
      int count = zmq_poll(items, inbox->pushes != NULL ? 2 : 0, tidings_left(wake));
      if (count < 0) return NULL;
      if (count == 0 && tidings_left(inbox->reconcile_time) == 0) reconnected(inbox);
      else if (count == 0) return NULL;
      if (items[1].revents != 0) follow_connection(inbox, tidings_event(inbox->events, 0));
      if (items[0].revents != 0 && inbox->pushes != NULL &&
          (notification = take_push(inbox)) != NULL)
        return notification;
    }
  }
}
