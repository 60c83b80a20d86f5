/* Strings within messages: protobuf-c does not validate them. */
#ifndef CONFORMANCE_TEXTS_H
#define CONFORMANCE_TEXTS_H

#include <protobuf-c/protobuf-c.h>

/* The worst problem found. */
enum texts {
  TEXTS_VALID,
  TEXTS_WITH_ZERO, /* U+0000, which terminates C strings */
  TEXTS_INVALID,   /* not UTF-8, or not a message */
};

/* Checks the strings of an encoded message and of nested messages. */
enum texts check_texts(const ProtobufCMessageDescriptor *type, const uint8_t *bytes, size_t length);

#endif
