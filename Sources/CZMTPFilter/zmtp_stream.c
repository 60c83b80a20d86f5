#include "zmtp_filter.h"

/* ZMTP 3: a greeting of 64 bytes, then frames: flags, size, body. The body of the first is a command:
   the length and the bytes of its name, then properties: the length of the name in one byte, the
   name, the length of the value in four, the value. libzmq reads the first frame in this way whatever
   its flags say. */
enum phase { PASSING, GREETING, FLAGS, SIZE, COMMAND, NAME_SIZE, NAME, VALUE_SIZE, VALUE };

enum { GREETING_BYTES = 64, REVISION_AT = 10, MECHANISM_AT = 12, MECHANISM_BYTES = 20 };

/* A length and READY. Another command ends the handshake. */
enum { COMMAND_NAME_BYTES = 6 };

static const uint8_t mechanism[MECHANISM_BYTES] = "NULL";

tidings_zmtp_stream tidings_zmtp_stream_begin(void) {
  tidings_zmtp_stream stream = {0};
  stream.phase = GREETING;
  return stream;
}

/* Whether the byte may stand here in a greeting after which libzmq reads properties. Older versions
   of the protocol, which have none, are refused by libzmq where ZAP is asked. */
static int is_greeting(uint8_t position, uint8_t byte) {
  if (position == 0) return byte == 0xff;
  if (position == 9) return byte & 1;
  if (position == REVISION_AT) return byte > 1;
  if (position >= MECHANISM_AT && position < MECHANISM_AT + MECHANISM_BYTES)
    return byte == mechanism[position - MECHANISM_AT];
  return 1;
}

/* Reads a byte outside of the frame's body. */
static void read_head(tidings_zmtp_stream *stream, uint8_t byte) {
  switch (stream->phase) {
  case GREETING:
    if (!is_greeting(stream->position, byte)) {
      stream->phase = PASSING;
    } else if (++stream->position == GREETING_BYTES) {
      stream->phase = FLAGS;
    }
    return;
  case FLAGS:
    stream->left = byte & 2 ? 8 : 1;
    stream->frame_left = 0;
    stream->phase = SIZE;
    return;
  default:
    stream->frame_left = stream->frame_left << 8 | byte;
    if (--stream->left > 0) return;
    stream->position = 0;
    stream->phase = stream->frame_left == 0 ? PASSING : COMMAND;
  }
}

/* Reads a byte of the frame's body. Returns whether it is to be changed. */
static int read_body(tidings_zmtp_stream *stream, uint8_t byte) {
  int is_identity = 0;
  switch (stream->phase) {
  case COMMAND:
    if (++stream->position == COMMAND_NAME_BYTES) stream->phase = NAME_SIZE;
    break;
  case NAME_SIZE:
    stream->may_be_identity = byte == sizeof "Identity" - 1;
    stream->left = byte > 0 ? byte : 4;
    stream->value_left = 0;
    stream->phase = byte > 0 ? NAME : VALUE_SIZE;
    break;
  case NAME:
    is_identity = stream->may_be_identity && (byte == 'I' || byte == 'i');
    stream->may_be_identity = 0;
    if (--stream->left > 0) break;
    stream->left = 4;
    stream->phase = VALUE_SIZE;
    break;
  case VALUE_SIZE:
    stream->value_left = stream->value_left << 8 | byte;
    if (--stream->left > 0) break;
    stream->phase = stream->value_left > 0 ? VALUE : NAME_SIZE;
    break;
  default:
    if (--stream->value_left == 0) stream->phase = NAME_SIZE;
  }
  if (--stream->frame_left == 0) stream->phase = PASSING;
  return is_identity;
}

int tidings_zmtp_stream_hide_identity(tidings_zmtp_stream *stream, uint8_t *bytes, size_t count) {
  int changes = 0;
  for (size_t index = 0; index < count && stream->phase != PASSING; index++) {
    if (stream->phase < COMMAND) {
      read_head(stream, bytes[index]);
    } else if (read_body(stream, bytes[index])) {
      bytes[index] = 'X';
      changes++;
    }
  }
  return changes;
}
