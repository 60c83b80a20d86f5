/* The user's notifications: each exactly once, in order within a channel. */
#ifndef TIDINGS_INBOX_H
#define TIDINGS_INBOX_H

#include "tidings.h"
#include "tidings/v1/notification_service.pb-c.h"

/* The state of a channel; the one with an empty id is the user's control topic. */
struct inbox_channel {
  char *id;
  uint64_t seen;      /* the newest event that was delivered, or skipped as not for this device */
  uint64_t announced; /* the newest event that a push announced; it is fetched from the log */
  bool is_beyond;     /* events after the token were delivered */
};

/* All members are private, except `came_by_push` and `is_listening`. */
struct inbox {
  struct tidings *client;
  char *container;
  Tidings__V1__Environment environment;
  void *pushes, *events;
  ProtobufCBinaryData token; /* where the next fetch continues */
  Tidings__V1__RegisterDeviceResponse *home;
  Tidings__V1__FetchNotificationChangesResponse *page, *resumed;
  size_t page_next;
  Tidings__V1__Notification *pushed;
  struct inbox_channel *channels;
  size_t n_channels;
  uint64_t connection;    /* the client's when the device was registered */
  int64_t reconcile_time; /* when to fetch the log without a push */
  bool must_register, must_fetch, has_asked_for_keys;
  bool came_by_push; /* whether the last notification came by push, not from the log */
  bool is_listening; /* a push of a channel came: the server knows the topics by now */
};

/* Resumes at a position of `inbox_position`; without one, starts at the oldest notification that is
 * retained. Returns false if the position is invalid. Call `inbox_close` in either case. */
bool inbox_open(struct inbox *inbox, struct tidings *client, const char *container,
                Tidings__V1__Environment environment, const void *position, size_t size);

void inbox_close(struct inbox *inbox);

/* Waits for the next notification, which is valid until the next call. Returns NULL with the
 * client's status OK at the deadline or on a signal, and with another status on failure; call again
 * to retry. */
const Tidings__V1__Notification *inbox_next(struct inbox *inbox, int64_t deadline);

/* Returns the current position, for `inbox_open`. The caller frees it. */
uint8_t *inbox_position(const struct inbox *inbox, size_t *size);

/* Opens the sealed content of a push; NULL if sealed with another key. The caller frees it. */
uint8_t *inbox_unseal(ProtobufCBinaryData sealed, ProtobufCBinaryData key, size_t *size);

/* Returns the notification in a push of a channel; NULL if there is none or it is not authentic. */
Tidings__V1__Notification *inbox_content(const Tidings__V1__Push *push, ProtobufCBinaryData key,
                                         const char *channel_id);

#endif
