#include "sealed_value.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "tidings.h"

enum {
  KEY_BYTES = crypto_aead_xchacha20poly1305_ietf_KEYBYTES,
  NONCE_BYTES = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
  TAG_BYTES = crypto_aead_xchacha20poly1305_ietf_ABYTES,
  ID_BYTES = 8,
};

/* Reads hexadecimal digits up to the next space. */
static bool read_hex(const char *text, uint8_t *bytes, size_t size)
{
  size_t length = 0;
  return sodium_hex2bin(bytes, size, text, strcspn(text, " \r\n"), NULL, &length, NULL) == 0 &&
         length == size;
}

/* Finds the key with an id: lines of a key ring are `seal ID KEY` or `open ID KEY`. */
static bool find_key(const char *ring, ProtobufCBinaryData id, uint8_t key[KEY_BYTES])
{
  uint8_t line_id[ID_BYTES];
  for (const char *line = ring; line != NULL; line = strchr(line, '\n')) {
    if (*line == '\n') line++;
    if (strncmp(line, "seal ", 5) != 0 && strncmp(line, "open ", 5) != 0) continue;
    const char *text = line + 5;
    size_t length = strcspn(text, " \r\n");
    if (id.len == ID_BYTES && text[length] == ' ' && read_hex(text, line_id, ID_BYTES) &&
        memcmp(line_id, id.data, ID_BYTES) == 0)
      return read_hex(text + length + 1, key, KEY_BYTES);
  }
  return false;
}

static const char *text_or(const char *text, const char *otherwise)
{
  return text[0] != '\0' ? text : otherwise;
}

/* The strings that a value is bound to, each after its length in two bytes. The caller frees it. */
static uint8_t *bound_texts(const struct value_location *location, size_t *size)
{
  const Tidings__V1__ZoneID *zone = location->record->zone_id;
  bool is_production =
      location->database->environment == TIDINGS__V1__ENVIRONMENT__ENVIRONMENT_PRODUCTION;
  const char *texts[] = {
      "tidings.v1.EncryptedValue",
      text_or(location->database->container, "default"),
      is_production ? "production" : "development",
      zone != NULL ? text_or(zone->owner_name, location->user) : location->user,
      zone != NULL ? text_or(zone->zone_name, "_defaultZone") : "_defaultZone",
      location->record->record_name,
      location->field,
  };
  const size_t count = sizeof texts / sizeof texts[0];
  *size = 0;
  for (size_t i = 0; i < count; i++) *size += 2 + strlen(texts[i]);
  uint8_t *bytes = tidings_checked(malloc(*size)), *next = bytes;
  for (size_t i = 0; i < count; i++) {
    size_t length = strlen(texts[i]);
    *next++ = (uint8_t)(length >> 8);
    *next++ = (uint8_t)length;
    memcpy(next, texts[i], length);
    next += length;
  }
  return bytes;
}

/* The type of a value, as stated outside of the encrypted part. */
static Tidings__V1__EncryptedType type_of(const Tidings__V1__FieldValue *value)
{
  switch (value->value_case) {
  case TIDINGS__V1__FIELD_VALUE__VALUE_STRING_VALUE:
    return TIDINGS__V1__ENCRYPTED_TYPE__ENCRYPTED_TYPE_STRING;
  case TIDINGS__V1__FIELD_VALUE__VALUE_INT64_VALUE:
    return TIDINGS__V1__ENCRYPTED_TYPE__ENCRYPTED_TYPE_INT64;
  case TIDINGS__V1__FIELD_VALUE__VALUE_DOUBLE_VALUE:
    return TIDINGS__V1__ENCRYPTED_TYPE__ENCRYPTED_TYPE_DOUBLE;
  case TIDINGS__V1__FIELD_VALUE__VALUE_BYTES_VALUE:
    return TIDINGS__V1__ENCRYPTED_TYPE__ENCRYPTED_TYPE_BYTES;
  case TIDINGS__V1__FIELD_VALUE__VALUE_TIMESTAMP_VALUE:
    return TIDINGS__V1__ENCRYPTED_TYPE__ENCRYPTED_TYPE_TIMESTAMP;
  case TIDINGS__V1__FIELD_VALUE__VALUE_LOCATION_VALUE:
    return TIDINGS__V1__ENCRYPTED_TYPE__ENCRYPTED_TYPE_LOCATION;
  default:
    return TIDINGS__V1__ENCRYPTED_TYPE__ENCRYPTED_TYPE_UNSPECIFIED;
  }
}

Tidings__V1__FieldValue *sealed_value_open(const char *ring, const Tidings__V1__EncryptedValue *value,
                                           const struct value_location *location)
{
  uint8_t key[KEY_BYTES];
  ProtobufCBinaryData sealed = value->sealed;
  if (sealed.len < NONCE_BYTES + TAG_BYTES || !find_key(ring, value->key_id, key)) return NULL;
  size_t bound_size = 0;
  unsigned long long size = 0;
  uint8_t *bound = bound_texts(location, &bound_size);
  uint8_t *message = tidings_checked(malloc(sealed.len));
  Tidings__V1__FieldValue *opened = NULL;
  if (crypto_aead_xchacha20poly1305_ietf_decrypt(
          message, &size, NULL, sealed.data + NONCE_BYTES, sealed.len - NONCE_BYTES, bound,
          bound_size, sealed.data, key) == 0)
    opened = tidings__v1__field_value__unpack(NULL, (size_t)size, message);
  sodium_memzero(key, sizeof key);
  free(message);
  free(bound);
  if (opened == NULL ||
      (type_of(opened) == value->type &&
       value->type != TIDINGS__V1__ENCRYPTED_TYPE__ENCRYPTED_TYPE_UNSPECIFIED))
    return opened;
  tidings__v1__field_value__free_unpacked(opened, NULL);
  return NULL;
}
