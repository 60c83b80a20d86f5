/* The order of connections with large messages: above the bound of all, the first of them go on. */
#ifndef TIDINGS_INBOUND_ORDER_H
#define TIDINGS_INBOUND_ORDER_H

#include "inbound.h"

/* Connections with less than this need not wait for room, and are in no order. */
enum { TIDINGS_INBOUND_LARGE_BYTES = 64 << 10 };

/* The connection begins a large message: it is behind the others. */
void tidings_inbound_order_append(tidings_inbound *connection);

/* The connection begins its next message: if it is in the order, it is behind the others. */
void tidings_inbound_order_move_last(tidings_inbound *connection);

/* The connection waits no longer. */
void tidings_inbound_order_remove(tidings_inbound *connection);

/* Where a connection begins; nothing looks at it meanwhile. */
void tidings_inbound_order_set_descriptor(tidings_inbound *connection, int descriptor, ino_t inode);

/* Whether a connection is one of the first whose messages have room together. Ends those of the first that stall. */
int tidings_inbound_order_is_first(tidings_inbound *connection);

/* A connection was ended for want of room. */
void tidings_inbound_note_ended(void);

#endif
