/* Calls to a Tidings server: docs/a-client-in-your-language.md walks through it. */
#ifndef TIDINGS_H
#define TIDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zmq.h>

#include "tidings/rpc/v1/header.pb-c.h"

/* gRPC's statuses, those that a client gives itself or decides by. */
enum {
  TIDINGS_OK = 0,
  TIDINGS_INVALID_ARGUMENT = 3,
  TIDINGS_DEADLINE_EXCEEDED = 4,
  TIDINGS_RESOURCE_EXHAUSTED = 8,
  TIDINGS_INTERNAL = 13,
  TIDINGS_UNAVAILABLE = 14,
  TIDINGS_UNAUTHENTICATED = 16,
};

/* Where to connect, and who connects. Keys are Z85, 40 characters; the texts outlive the client. */
struct tidings_options {
  const char *endpoint;
  const char *server_key; /* NULL: no security, as in development mode */
  const char *public_key;
  const char *secret_key;
  const char *user;   /* NULL where keys say who calls */
  const char *device; /* hears nothing of its own changes; NULL: none */
};

/* A connection, for one thread. After a failure `status` and `message` say why. */
struct tidings {
  struct tidings_options options;
  void *context;
  void *calls, *events;
  uint64_t call_id;
  uint32_t status;
  char message[512];
};

/* What a server answers: the header, and the body as it came. */
struct tidings_response {
  Tidings__Rpc__V1__ResponseHeader *header;
  zmq_msg_t body;
};

/* Connects, within the time; when it fails too, `tidings_close` is to be called. */
bool tidings_connect(struct tidings *client, const struct tidings_options *options, int timeout_ms);

void tidings_close(struct tidings *client);

/* Makes a call, for example of `&tidings__v1__record_service__descriptor`, "FetchRecords". Returns
 * the answer, to be freed with `protobuf_c_message_free_unpacked`; NULL: it failed. With a `key` of
 * 1 to 64 bytes, a call that failed may be sent again: it takes effect once. */
void *tidings_call(struct tidings *client, const ProtobufCServiceDescriptor *service,
                   const char *method, const void *request, const char *key, uint32_t timeout_ms);

/* The parts of a call, for streams and cancellation. A header to send is completed with a new
 * `call_id` if it has none, and with the user and the device if it has no metadata. */
bool tidings_send(struct tidings *client, Tidings__Rpc__V1__RequestHeader *header, const void *body,
                  size_t size, int64_t deadline);
bool tidings_receive(struct tidings *client, struct tidings_response *response, int64_t deadline);
void tidings_response_free(struct tidings_response *response);

/* Makes a socket with the client's keys, not yet connected, and one that tells its events. */
void *tidings_socket(struct tidings *client, int kind, void **monitor);

/* Closes both. Nothing may be told any more when the monitor closes, or libzmq's thread waits for ever
 * to tell it. Either may be NULL. */
void tidings_close_socket(void *socket, void *monitor);

/* The number of the next event (ZMQ_EVENT_…); 0: none came in time. */
int tidings_event(void *monitor, int64_t deadline);

/* Notes why something failed; returns false. */
bool tidings_fail(struct tidings *client, uint32_t status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Milliseconds of a clock that only goes forward; and how many are left, 0 when it is late. */
int64_t tidings_now(void);
long tidings_left(int64_t deadline);

/* What malloc returned; without memory the program ends. */
void *tidings_checked(void *memory);

#endif
