/* Maps within messages: protobuf-c keeps all entries that come. */
#ifndef CONFORMANCE_MAPS_H
#define CONFORMANCE_MAPS_H

#include <protobuf-c/protobuf-c.h>

/* Of entries with the same key keeps the last, in the message and in those within. */
void keep_last_entries(ProtobufCMessage *message);

#endif
