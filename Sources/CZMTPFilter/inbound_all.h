/* What inbound_order.c needs of zmtp_filter.c, which has the connections. */
#ifndef TIDINGS_INBOUND_ALL_H
#define TIDINGS_INBOUND_ALL_H

#include "inbound.h"

/* Visits each descriptor that has had a connection. */
void tidings_inbound_each(void (*visit)(tidings_inbound *));

#endif
