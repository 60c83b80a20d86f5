/* The checksums of the frames of a log, as they were written or found sound by SQLite's recovery.

   SQLite writes the header of a frame, then its page; the header holds the sums of the log up to and
   with this frame. Used by any threads: the entries of frames that a reader may read no longer
   change. */
#ifndef TIDINGS_LOG_FRAMES_H
#define TIDINGS_LOG_FRAMES_H

#include <stdatomic.h>
#include <stdint.h>

#define TIDINGS_LOG_HEADER_BYTES 32
#define TIDINGS_FRAME_HEADER_BYTES 24

/* 2^13 segments of 2^11 frames: 64 GiB of log. Frames beyond are not compared. */
#define TIDINGS_LOG_SEGMENTS (1 << 13)
#define TIDINGS_LOG_SEGMENT_FRAMES (1 << 11)

typedef struct tidings_frame tidings_frame;

typedef struct tidings_log {
  _Atomic(tidings_frame *) segments[TIDINGS_LOG_SEGMENTS];
  /* The sums that the log's header ends with: what the first frame's continue. */
  atomic_uint_fast64_t header_sums;
  atomic_int big_endian;
  atomic_int page_bytes;
  /* The frame whose header was written last, and whose page was not yet; -1: none. Only the one
     writer of the log uses it. */
  int64_t awaited;
} tidings_log;

void tidings_log_init(tidings_log *log);
void tidings_log_free(tidings_log *log);

/* Notes what is written into the log, or what was read of it: its header, or a whole frame. */
void tidings_log_note(tidings_log *log, const uint8_t *bytes, int count, int64_t offset);

/* Whether what was read is what was written, as far as that is known. */
int tidings_log_is_sound(tidings_log *log, const uint8_t *bytes, int count, int64_t offset);

/* Bytes of a frame with its header; 0: no header of the log was seen yet. */
int64_t tidings_log_frame_bytes(tidings_log *log);

#endif
