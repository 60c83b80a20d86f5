/* Values that the server cannot read: docs/encryption.md. */
#ifndef TIDINGS_SEALED_VALUE_H
#define TIDINGS_SEALED_VALUE_H

#include "tidings/v1/record.pb-c.h"

/* The field that contains a value. */
struct value_location {
  const Tidings__V1__DatabaseID *database;
  const Tidings__V1__RecordID *record;
  const char *field;
  const char *user; /* the owner, if the record's zone does not name one */
};

/* Opens a value with a key ring, the text of its file. NULL if no key opens it at this location. */
Tidings__V1__FieldValue *sealed_value_open(const char *ring, const Tidings__V1__EncryptedValue *value,
                                           const struct value_location *location);

#endif
