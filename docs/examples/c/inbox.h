/* The user's notifications: each once, those of a channel in order, none lost. */
#ifndef TIDINGS_INBOX_H
#define TIDINGS_INBOX_H

#include "tidings.h"
#include "tidings/v1/notification_service.pb-c.h"

/* What is known of a channel's events; the one without an id is the user's control topic. */
struct inbox_channel {
  char *id;
  uint64_t seen;  /* the newest that was handed out, or passed over for good */
  uint64_t heard; /* the newest that was heard of and awaits a look at the log */
  bool is_beyond; /* events beyond the token were handed out */
};

/* Fields are the inbox's own, except `came_by_push`. */
struct inbox {
  struct tidings *client;
  char *container;
  Tidings__V1__Environment environment;
  void *pushes, *events;
  ProtobufCBinaryData token; /* where the log goes on */
  Tidings__V1__RegisterDeviceResponse *home;
  Tidings__V1__FetchNotificationChangesResponse *page, *resumed;
  size_t page_next;
  Tidings__V1__Notification *pushed;
  struct inbox_channel *channels;
  size_t n_channels;
  int64_t reconcile_time; /* when to look at the log though nothing was heard */
  bool must_register, must_fetch, has_asked_for_keys;
  bool came_by_push; /* of the notification that was handed out last */
};

/* Begins where `inbox_position` was taken; without one, at the oldest notification that is kept.
 * False: the position cannot be read. Either way `inbox_close` is to be called. */
bool inbox_open(struct inbox *inbox, struct tidings *client, const char *container,
                Tidings__V1__Environment environment, const void *position, size_t size);

void inbox_close(struct inbox *inbox);

/* Waits for the next notification, which is valid until the next call. NULL with the client's status
 * OK: none came in time, or a signal came. NULL with another: that is why; calling again goes on. */
const Tidings__V1__Notification *inbox_next(struct inbox *inbox, int64_t deadline);

/* Where another inbox goes on after what was handed out: bytes to store, and to free. */
uint8_t *inbox_position(const struct inbox *inbox, size_t *size);

/* Opens what a push carries sealed; NULL: it was not sealed with this key. To be freed. */
uint8_t *inbox_unseal(ProtobufCBinaryData sealed, ProtobufCBinaryData key, size_t *size);

/* The notification in a push of a channel; NULL: none that can be believed. */
Tidings__V1__Notification *inbox_content(const Tidings__V1__Push *push, ProtobufCBinaryData key,
                                         const char *channel_id);

#endif
