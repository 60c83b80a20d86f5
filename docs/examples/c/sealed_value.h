/* Values that the server cannot read: docs/encryption.md. */
#ifndef TIDINGS_SEALED_VALUE_H
#define TIDINGS_SEALED_VALUE_H

#include "tidings/v1/record.pb-c.h"

/* Where a value stands. */
struct value_place {
  const Tidings__V1__DatabaseID *database;
  const Tidings__V1__RecordID *record;
  const char *field;
  const char *user; /* whose private database it is, where the record's zone does not tell */
};

/* Opens a value with a key of the ring, the text of its file. NULL: it does not open there. */
Tidings__V1__FieldValue *sealed_value_open(const char *ring, const Tidings__V1__EncryptedValue *value,
                                           const struct value_place *place);

#endif
