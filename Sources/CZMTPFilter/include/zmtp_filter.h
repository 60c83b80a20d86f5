/* Hides the routing ids that peers claim from libzmq, on connections without CURVE.

   A ROUTER gives a peer the id that the peer's READY command names. Who claims an id before its
   owner has it, or after, is sent the owner's answers, and libzmq 4.3.4 ends the process when it is
   about to make up an id that is claimed already. With CURVE the reply to ZAP comes last and its
   id counts. With NULL the command may come last.

   So this target defines socket, listen, accept, accept4 and recv. The linker exports them from the program,
   since libzmq refers to them, and libzmq calls them instead of the C library's. They do what the C
   library's do, and in streams accepted by a marked listener they change the name of the property
   Identity in the peer's first command, which libzmq then does not know; and recv counts what connections send
   (inbound.h). */
#ifndef TIDINGS_ZMTP_FILTER_H
#define TIDINGS_ZMTP_FILTER_H

#include <stddef.h>
#include <stdint.h>

/* How far a stream has been read. */
typedef struct tidings_zmtp_stream {
  /* 0: the rest of the stream passes unchanged. */
  uint8_t phase;
  /* Bytes read of the greeting, or of the first command's name. */
  uint8_t position;
  /* Bytes of a number, or of a property's name, that are still to come. */
  uint8_t left;
  /* The next byte is the first of a name that may be Identity. */
  uint8_t may_be_identity;
  uint32_t value_left;
  uint64_t frame_left;
} tidings_zmtp_stream;

/* The start of a stream. */
tidings_zmtp_stream tidings_zmtp_stream_begin(void);

/* Reads on, and changes the names of properties that may be Identity. Returns how many it changed. */
int tidings_zmtp_stream_hide_identity(tidings_zmtp_stream *stream, uint8_t *bytes, size_t count);

/* What a listener does for the connections that it accepts. */
enum { TIDINGS_HIDES_IDENTITIES = 1, TIDINGS_HAS_CALLERS = 2, TIDINGS_HAS_SUBSCRIBERS = 4 };

/* From now on the calling thread gives the sockets on which it listens these marks; 0: none. */
void tidings_zmtp_filter_mark_listeners(int marks);

/* From now on a connection that would have this descriptor or a later one is ended as soon as it is accepted. */
void tidings_zmtp_filter_end_connections_at(int descriptor);

/* The owner of the socket took a message, of so many bytes and frames, of the connection that has, or had, a descriptor
   (inbound.h); secure: with CURVE. */
void tidings_zmtp_filter_took(int descriptor, size_t bytes, size_t frames, int is_secure);

/* How many properties were changed in this process. */
uint64_t tidings_zmtp_filter_changes(void);

#endif
