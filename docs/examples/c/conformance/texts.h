/* Texts within messages: protobuf-c takes them as they come. */
#ifndef CONFORMANCE_TEXTS_H
#define CONFORMANCE_TEXTS_H

#include <protobuf-c/protobuf-c.h>

/* The worst that was found. */
enum texts {
  TEXTS_VALID,
  TEXTS_WITH_ZERO, /* U+0000, where a text of C ends */
  TEXTS_INVALID,   /* not UTF-8, or no message */
};

/* Looks at the texts of an encoded message, and of the messages within. */
enum texts check_texts(const ProtobufCMessageDescriptor *type, const uint8_t *bytes, size_t length);

#endif
