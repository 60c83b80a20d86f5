/* The checksum of pages and frames: that of SQLite's log and of its cksumvfs. */
#ifndef TIDINGS_PAGE_CHECKSUM_H
#define TIDINGS_PAGE_CHECKSUM_H

#include <stdint.h>

typedef struct tidings_sums {
  uint32_t first;
  uint32_t second;
} tidings_sums;

/* The sums after more bytes, a multiple of 8, taken as little-endian numbers, or as big-endian. */
tidings_sums tidings_sums_after(tidings_sums sums, const uint8_t *bytes, int count, int big_endian);

uint32_t tidings_load_be32(const uint8_t *bytes);
void tidings_store_le32(uint8_t *bytes, uint32_t value);

#endif
