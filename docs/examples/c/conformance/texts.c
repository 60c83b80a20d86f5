#include "conformance/texts.h"

#include <stdbool.h>
#include <string.h>

static bool is_utf8(const uint8_t *text, size_t size)
{
  static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
  for (size_t i = 0; i < size;) {
    uint8_t first = text[i];
    size_t more = first < 0x80 ? 0 : first >> 5 == 6 ? 1 : first >> 4 == 14 ? 2 : 3;
    uint32_t value = more == 0 ? first : first & (0x3fU >> more);
    if ((more == 3 && first >> 3 != 30) || more >= size - i) return false;
    for (size_t k = 1; k <= more; k++) {
      if (text[i + k] >> 6 != 2) return false;
      value = value << 6 | (text[i + k] & 0x3f);
    }
    if (value < least[more] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return false;
    i += more + 1;
  }
  return true;
}

static bool read_varint(const uint8_t **next, const uint8_t *end, uint64_t *value)
{
  *value = 0;
  for (unsigned shift = 0; *next < end && shift < 70; shift += 7) {
    uint8_t byte = *(*next)++;
    if (shift < 64) *value |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

enum texts check_texts(const ProtobufCMessageDescriptor *type, const uint8_t *bytes, size_t length)
{
  const uint8_t *next = bytes, *end = bytes + length;
  enum texts worst = TEXTS_VALID, found = TEXTS_VALID;
  uint64_t tag = 0, size = 0;
  while (next < end) {
    if (!read_varint(&next, end, &tag)) return TEXTS_INVALID;
    unsigned wire_type = tag & 7;
    if (wire_type == 1) size = 8;
    else if (wire_type == 5) size = 4;
    else if ((wire_type != 0 && wire_type != 2) || !read_varint(&next, end, &size))
      return TEXTS_INVALID;
    if (wire_type == 0) continue;
    if (size > (uint64_t)(end - next)) return TEXTS_INVALID;
    const ProtobufCFieldDescriptor *field =
        wire_type == 2 ? protobuf_c_message_descriptor_get_field(type, (unsigned)(tag >> 3)) : NULL;
    found = TEXTS_VALID;
    if (field != NULL && field->type == PROTOBUF_C_TYPE_MESSAGE)
      found = check_texts(field->descriptor, next, (size_t)size);
    else if (field != NULL && field->type == PROTOBUF_C_TYPE_STRING && !is_utf8(next, size))
      found = TEXTS_INVALID;
    else if (field != NULL && field->type == PROTOBUF_C_TYPE_STRING && memchr(next, 0, size) != NULL)
      found = TEXTS_WITH_ZERO;
    if (found > worst) worst = found;
    next += size;
  }
  return worst;
}
