/* What a socket of libzmq has received and its owner has not taken.

   libzmq bounds what it keeps of a connection by messages, and a message by the size of a frame: not the bytes of all
   connections, not the frames of a message that does not end, not the large frames that connections begin and leave.
   A connection that libzmq reads from counts here what it received, less what was taken of it. Above the bound of all
   connections libzmq reads only from those that began their large messages first, as many as have room together, and small
   pieces of others. One of the first is ended when nothing comes of its message for 1 s, or it takes 10 s. A connection
   with more than a message waits for the owner in any case, and is ended when the owner has found nothing whole for a second. */
#ifndef TIDINGS_INBOUND_H
#define TIDINGS_INBOUND_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A connection. Its address stays the same. */
typedef struct tidings_inbound {
  atomic_size_t untaken;
  /* When the first of that came, or what was before it was taken; when something was received last, or could be. In
     milliseconds of the monotonic clock. */
  atomic_uint_least64_t began, last;
  /* 0: nothing is counted. */
  atomic_int mode;
  /* The rest is guarded by the list's lock. */
  struct tidings_inbound *previous, *next;
  int descriptor, is_listed;
  /* It is among the first, since when. */
  int is_first;
  uint64_t first_since;
  ino_t inode;
} tidings_inbound;

/* Of a caller, whose messages the owner takes; of a subscriber, whose messages libzmq takes itself: it is ended when it
   has sent more than 4 MiB, and 16 bytes a second; of one that was ended, from which nothing is received any more. */
enum { TIDINGS_INBOUND_CALLER = 1, TIDINGS_INBOUND_SUBSCRIBER = 2, TIDINGS_INBOUND_ENDED = 3 };

/* The connection of a descriptor begins. */
void tidings_inbound_begin(tidings_inbound *connection, int descriptor, ino_t inode, int mode);

/* The descriptor is another's from now on. */
void tidings_inbound_forget(tidings_inbound *connection);

/* How many bytes may be received; 0: none now; -1: the connection is to end. */
ssize_t tidings_inbound_room(tidings_inbound *connection);

/* So many bytes were received. */
void tidings_inbound_received(tidings_inbound *connection, size_t count);

/* The owner took a message of so many bytes, with all that the protocol adds to it, or more. */
void tidings_inbound_took(tidings_inbound *connection, size_t count);

/* The owner found that there is no whole message of any connection. */
void tidings_inbound_drained(void);

/* The owner has drained, and sleeps until there is a whole message; or it does so no longer. */
void tidings_inbound_sleeps(int sleeps);

/* Bytes of all connections, and of one that has not sent a whole message. */
void tidings_inbound_bound(size_t bytes_max, size_t message_bytes_max);

/* How many connections were ended since this was asked last. */
uint64_t tidings_inbound_take_ended(void);

#endif
