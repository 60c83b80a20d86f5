#include "page_checksum.h"

#include <string.h>

#include "store_vfs.h"

static uint32_t load_le32(const uint8_t *bytes) {
  uint32_t value;
  memcpy(&value, bytes, sizeof value);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap32(value);
#endif
  return value;
}

uint32_t tidings_load_be32(const uint8_t *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

void tidings_store_le32(uint8_t *bytes, uint32_t value) {
  for (int index = 0; index < 4; index += 1) bytes[index] = (uint8_t)(value >> (8 * index));
}

tidings_sums tidings_sums_after(tidings_sums sums, const uint8_t *bytes, int count, int big_endian) {
  if (big_endian) {
    for (int at = 0; at < count; at += 8) {
      sums.first += tidings_load_be32(bytes + at) + sums.second;
      sums.second += tidings_load_be32(bytes + at + 4) + sums.first;
    }
  } else {
    for (int at = 0; at < count; at += 8) {
      sums.first += load_le32(bytes + at) + sums.second;
      sums.second += load_le32(bytes + at + 4) + sums.first;
    }
  }
  return sums;
}

static tidings_sums of_page(const uint8_t *page, int bytes) {
  const tidings_sums none = {0, 0};
  return tidings_sums_after(none, page, bytes - TIDINGS_PAGE_CHECKSUM_BYTES, 0);
}

void tidings_page_seal(uint8_t *page, int bytes) {
  const tidings_sums sums = of_page(page, bytes);
  uint8_t *end = page + bytes - TIDINGS_PAGE_CHECKSUM_BYTES;
  tidings_store_le32(end, sums.first);
  tidings_store_le32(end + 4, sums.second);
}

int tidings_page_is_sound(const uint8_t *page, int bytes) {
  const tidings_sums sums = of_page(page, bytes);
  const uint8_t *end = page + bytes - TIDINGS_PAGE_CHECKSUM_BYTES;
  return load_le32(end) == sums.first && load_le32(end + 4) == sums.second;
}
