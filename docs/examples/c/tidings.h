/* Calls to a Tidings server: docs/a-client-in-your-language.md walks through it. */
#ifndef TIDINGS_H
#define TIDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zmq.h>

#include "tidings/rpc/v1/header.pb-c.h"

/* The gRPC status codes that this client returns or checks. */
enum {
  TIDINGS_OK = 0,
  TIDINGS_INVALID_ARGUMENT = 3,
  TIDINGS_DEADLINE_EXCEEDED = 4,
  TIDINGS_RESOURCE_EXHAUSTED = 8,
  TIDINGS_INTERNAL = 13,
  TIDINGS_UNAVAILABLE = 14,
  TIDINGS_UNAUTHENTICATED = 16,
};

/* The endpoint and the caller. Keys are Z85, 40 characters; the strings must outlive the client. */
struct tidings_options {
  const char *endpoint;   /* of several nodes of one database: a list with commas */
  const char *server_key; /* NULL: no encryption (development mode) */
  const char *public_key;
  const char *secret_key;
  const char *user;   /* NULL if the key identifies the user */
  const char *device; /* is not notified of its own changes; NULL: none */
};

/* A connection, for one thread. After a failure `status` and `message` contain the reason.
 *
 * A connection that was lost is made again by the next call, with a new socket. The first endpoint of
 * a list that connects is used until it is lost or drains; then the next call goes to the next one. */
struct tidings {
  struct tidings_options options;
  char endpoint[256]; /* the current one */
  size_t endpoint_index, endpoint_count;
  bool must_move, is_draining;
  uint64_t connection; /* how often a connection was established */
  void *context;
  void *calls, *events;
  uint64_t call_id;
  uint32_t status;
  char message[512];
};

/* A response: the decoded header and the encoded body. */
struct tidings_response {
  Tidings__Rpc__V1__ResponseHeader *header;
  zmq_msg_t body;
};

/* Connects. Call `tidings_close` afterwards, even if this fails. */
bool tidings_connect(struct tidings *client, const struct tidings_options *options, int timeout_ms);

void tidings_close(struct tidings *client);

/* Calls a method, for example `&tidings__v1__record_service__descriptor`, "FetchRecords". Returns
 * the response, which the caller frees with `protobuf_c_message_free_unpacked`; NULL on failure. A
 * call with an idempotency `key` of 1 to 64 bytes can be retried: it takes effect once. */
void *tidings_call(struct tidings *client, const ProtobufCServiceDescriptor *service,
                   const char *method, const void *request, const char *key, uint32_t timeout_ms);

/* The steps of a call, for streams and cancellation. `tidings_send` sets the header's `call_id` if
 * it is 0, and adds the user and the device if there is no metadata. */
bool tidings_send(struct tidings *client, Tidings__Rpc__V1__RequestHeader *header, const void *body,
                  size_t size, int64_t deadline);
bool tidings_receive(struct tidings *client, struct tidings_response *response, int64_t deadline);
void tidings_response_free(struct tidings_response *response);

/* Creates an unconnected socket with the client's keys, and a monitor socket for its events. */
void *tidings_socket(struct tidings *client, int kind, void **monitor);

/* Closes both; either may be NULL. Stops the monitor first: libzmq's thread blocks permanently if
 * it sends an event after the monitor socket was closed. */
void tidings_close_socket(void *socket, void *monitor);

/* Returns the next event (ZMQ_EVENT_…); 0 after the deadline. */
int tidings_event(void *monitor, int64_t deadline);

/* Sets the client's status and message; returns false. */
bool tidings_fail(struct tidings *client, uint32_t status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Milliseconds of a monotonic clock, and those left until a deadline, at least 0. */
int64_t tidings_now(void);
long tidings_left(int64_t deadline);

/* Returns what malloc returned; aborts if that is NULL. */
void *tidings_checked(void *memory);

#endif
