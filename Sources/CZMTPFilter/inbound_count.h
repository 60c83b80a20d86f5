/* How much of connections waits to be taken, and until when whole messages were. */
#ifndef TIDINGS_INBOUND_COUNT_H
#define TIDINGS_INBOUND_COUNT_H

#include "inbound.h"

/* Of the monotonic clock. */
uint64_t tidings_inbound_milliseconds(void);

/* The time since a moment; 0 if that is still to come. */
uint64_t tidings_inbound_since(atomic_uint_least64_t *moment, uint64_t now);

/* Counts what a caller has sent. Returns how much waited before. */
size_t tidings_inbound_add(tidings_inbound *connection, size_t count);

/* Counts less, as far as there is something. */
void tidings_inbound_subtract(tidings_inbound *connection, size_t count);

/* A message of so many bytes was taken: of the connection, or of an earlier one with its descriptor. */
void tidings_inbound_subtract_message(tidings_inbound *connection, size_t count);

/* The connection has ended: what it has sent counts until the owner has taken all that is whole. */
void tidings_inbound_orphan(tidings_inbound *connection);

/* Whether all callers together have sent no more than they may. */
int tidings_inbound_is_within_bound(void);

/* Whether a connection has sent more than the largest message. */
int tidings_inbound_exceeds_message(size_t held);

/* For how many messages there is room. */
size_t tidings_inbound_messages_max(void);

/* Until when whole messages were taken. */
uint64_t tidings_inbound_drained_until(uint64_t now);

/* What was received is no whole message: it would have been taken. */
int tidings_inbound_is_unfinished(tidings_inbound *connection, uint64_t now);

#endif
