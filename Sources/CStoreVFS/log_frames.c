#include "log_frames.h"

#include <stdlib.h>

#include "page_checksum.h"

struct tidings_frame {
  /* The page's number and the size of the database: what the sums begin with. */
  uint8_t start[8];
  /* The sums up to here, as in the frame's header; they continue those of the frame before. */
  atomic_uint_fast64_t sums;
  /* The page in the log is the one that the sums were made of. */
  atomic_int is_known;
};

static uint64_t packed(const uint8_t *sums) {
  return (uint64_t)tidings_load_be32(sums) << 32 | tidings_load_be32(sums + 4);
}

void tidings_log_init(tidings_log *log) { log->awaited = -1; }

int64_t tidings_log_frame_bytes(tidings_log *log) {
  const int page_bytes = atomic_load_explicit(&log->page_bytes, memory_order_relaxed);
  return page_bytes <= 0 ? 0 : page_bytes + TIDINGS_FRAME_HEADER_BYTES;
}

void tidings_log_free(tidings_log *log) {
  for (int index = 0; index < TIDINGS_LOG_SEGMENTS; index += 1) {
    free(atomic_exchange(&log->segments[index], NULL));
  }
}

static tidings_frame *frame_at(tidings_log *log, int64_t number, int makes) {
  const int64_t index = number / TIDINGS_LOG_SEGMENT_FRAMES;
  if (index >= TIDINGS_LOG_SEGMENTS) return NULL;
  tidings_frame *segment = atomic_load_explicit(&log->segments[index], memory_order_acquire);
  if (segment == NULL && makes) {
    tidings_frame *made = calloc(TIDINGS_LOG_SEGMENT_FRAMES, sizeof(tidings_frame));
    if (made == NULL) return NULL;
    /* Several connections may recover a log at the same time. */
    if (atomic_compare_exchange_strong(&log->segments[index], &segment, made)) {
      segment = made;
    } else {
      free(made);
    }
  }
  return segment == NULL ? NULL : &segment[number % TIDINGS_LOG_SEGMENT_FRAMES];
}

static void note_frame_header(tidings_log *log, const uint8_t *bytes, int64_t number) {
  tidings_frame *frame = frame_at(log, number, 1);
  if (frame == NULL) return;
  for (int index = 0; index < 8; index += 1) frame->start[index] = bytes[index];
  atomic_store_explicit(&frame->sums, packed(bytes + 16), memory_order_relaxed);
  /* In a transaction that writes a page again SQLite makes the sums at its end: until then the salt and
     the sums are 0. */
  const int has_sums = packed(bytes + 8) != 0;
  atomic_store_explicit(&frame->is_known, has_sums, memory_order_release);
}

void tidings_log_note(tidings_log *log, const uint8_t *bytes, int count, int64_t offset) {
  if (offset == 0) {
    if (count < TIDINGS_LOG_HEADER_BYTES) return;
    atomic_store(&log->header_sums, packed(bytes + 24));
    atomic_store(&log->big_endian, bytes[3] & 1);
    atomic_store(&log->page_bytes, (int)tidings_load_be32(bytes + 8));
    return;
  }
  const int page_bytes = atomic_load_explicit(&log->page_bytes, memory_order_relaxed);
  if (page_bytes <= 0) return;
  const int64_t frame_bytes = page_bytes + TIDINGS_FRAME_HEADER_BYTES;
  const int64_t number = (offset - TIDINGS_LOG_HEADER_BYTES) / frame_bytes;
  const int64_t within = (offset - TIDINGS_LOG_HEADER_BYTES) % frame_bytes;
  if (within == 0 && count == TIDINGS_FRAME_HEADER_BYTES) {
    note_frame_header(log, bytes, number);
    log->awaited = number;
  } else if (within == 0 && count == frame_bytes) {
    note_frame_header(log, bytes, number);
  } else if (within == TIDINGS_FRAME_HEADER_BYTES && count == page_bytes && log->awaited == number) {
    log->awaited = -1;
  } else {
    /* A page that is written again before its commit: its header follows later. */
    tidings_frame *frame = frame_at(log, number, 0);
    if (frame != NULL) atomic_store_explicit(&frame->is_known, 0, memory_order_release);
  }
}

static int is_known(tidings_frame *frame) {
  return frame != NULL && atomic_load_explicit(&frame->is_known, memory_order_acquire);
}

int tidings_log_is_sound(tidings_log *log, const uint8_t *bytes, int count, int64_t offset) {
  const int page_bytes = atomic_load_explicit(&log->page_bytes, memory_order_relaxed);
  if (page_bytes <= 0) return 1;
  const int64_t frame_bytes = page_bytes + TIDINGS_FRAME_HEADER_BYTES;
  const int64_t within = (offset - TIDINGS_LOG_HEADER_BYTES) % frame_bytes;
  if (offset < TIDINGS_LOG_HEADER_BYTES || within != TIDINGS_FRAME_HEADER_BYTES || count != page_bytes) return 1;
  const int64_t number = (offset - TIDINGS_LOG_HEADER_BYTES) / frame_bytes;
  tidings_frame *frame = frame_at(log, number, 0);
  tidings_frame *before = number == 0 ? NULL : frame_at(log, number - 1, 0);
  if (!is_known(frame) || (number > 0 && !is_known(before))) return 1;
  const uint64_t seed = number == 0 ? atomic_load(&log->header_sums)
                                    : atomic_load_explicit(&before->sums, memory_order_relaxed);
  const int big_endian = atomic_load(&log->big_endian);
  tidings_sums sums = {(uint32_t)(seed >> 32), (uint32_t)seed};
  sums = tidings_sums_after(sums, frame->start, 8, big_endian);
  sums = tidings_sums_after(sums, bytes, count, big_endian);
  return ((uint64_t)sums.first << 32 | sums.second)
         == atomic_load_explicit(&frame->sums, memory_order_relaxed);
}
