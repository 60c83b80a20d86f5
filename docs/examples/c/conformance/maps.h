/* Maps within messages: protobuf-c keeps entries with duplicate keys. */
#ifndef CONFORMANCE_MAPS_H
#define CONFORMANCE_MAPS_H

#include <protobuf-c/protobuf-c.h>

/* Keeps the last of the entries with the same key, in the message and in nested messages. */
void keep_last_entries(ProtobufCMessage *message);

#endif
