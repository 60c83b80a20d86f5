#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
/* Inlines of the C library would stand for what is defined here. */
#undef _FORTIFY_SOURCE

#include "zmtp_filter.h"

#include "inbound_all.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is known of a descriptor. It is read and written by the thread that has the descriptor; the
   inode shows when it has become another socket's. */
typedef struct {
  tidings_zmtp_stream stream;
  ino_t inode;
  int listener_marks;
  tidings_inbound inbound;
} entry;

enum { CHUNK_ENTRIES = 4096, CHUNKS = 16384 };

static _Atomic(entry *) chunks[CHUNKS];
static atomic_uint_least64_t changes;
static _Thread_local int marks;

void tidings_zmtp_filter_mark_listeners(int of_next) { marks = of_next; }

uint64_t tidings_zmtp_filter_changes(void) {
  return atomic_load_explicit(&changes, memory_order_relaxed);
}

static entry *find(int descriptor) {
  unsigned int number = (unsigned int)descriptor;
  if (number / CHUNK_ENTRIES >= CHUNKS) return NULL;
  entry *chunk = atomic_load_explicit(&chunks[number / CHUNK_ENTRIES], memory_order_acquire);
  return chunk ? chunk + number % CHUNK_ENTRIES : NULL;
}

void tidings_inbound_each(void (*visit)(tidings_inbound *)) {
  for (int index = 0; index < CHUNKS; index++) {
    entry *chunk = atomic_load_explicit(&chunks[index], memory_order_acquire);
    for (int position = 0; chunk && position < CHUNK_ENTRIES; position++) {
      visit(&chunk[position].inbound);
    }
  }
}

/* NULL: the descriptor is beyond what is kept, or there is no memory. */
static entry *find_or_make(int descriptor) {
  unsigned int number = (unsigned int)descriptor;
  if (number / CHUNK_ENTRIES >= CHUNKS) return NULL;
  if (!find(descriptor)) {
    entry *fresh = calloc(CHUNK_ENTRIES, sizeof *fresh), *none = NULL;
    if (!fresh) return NULL;
    if (!atomic_compare_exchange_strong(&chunks[number / CHUNK_ENTRIES], &none, fresh)) free(fresh);
  }
  return find(descriptor);
}

/* One descriptor passes from thread to thread through the system, of which the sanitizer knows nothing. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNSANITIZED __attribute__((no_sanitize("thread")))
#endif
#endif
#ifndef UNSANITIZED
#define UNSANITIZED
#endif

static ino_t inode(int descriptor) {
  int error = errno;
  struct stat status;
  ino_t number = fstat(descriptor, &status) == 0 ? status.st_ino : 0;
  errno = error;
  return number;
}

/* The descriptor is another socket's. */
UNSANITIZED static void renew(entry *former, tidings_zmtp_stream stream, ino_t number, int listener_marks) {
  tidings_inbound_forget(&former->inbound);
  former->stream = stream;
  former->inode = number;
  former->listener_marks = listener_marks;
}

typedef int (*accept4_function)(int, struct sockaddr *, socklen_t *, int);
typedef int (*listen_function)(int, int);

/* The first descriptor that no connection may have. */
static _Atomic(int) connections_end = INT_MAX;

void tidings_zmtp_filter_end_connections_at(int descriptor) { atomic_store(&connections_end, descriptor); }

UNSANITIZED static int accept_filtered(int listener, struct sockaddr *address, socklen_t *size, int flags) {
  static _Atomic(accept4_function) original;
  accept4_function next = atomic_load_explicit(&original, memory_order_relaxed);
  if (!next) {
    next = (accept4_function)dlsym(RTLD_NEXT, "accept4");
    atomic_store_explicit(&original, next, memory_order_relaxed);
  }
  int descriptor = next(listener, address, size, flags);
  if (descriptor < 0) return descriptor;
  if (descriptor >= atomic_load_explicit(&connections_end, memory_order_relaxed)) {
    /* The last ones are the process's own. libzmq takes this as a connection that ended. */
    close(descriptor);
    errno = ECONNABORTED;
    return -1;
  }
  entry *from = find(listener);
  if (!from || !from->listener_marks || from->inode != inode(listener)) {
    entry *former = find(descriptor);
    if (former) renew(former, (tidings_zmtp_stream){0}, 0, 0);
    return descriptor;
  }
  entry *accepted = find_or_make(descriptor);
  if (!accepted) {
    /* Unfiltered it must not be served. libzmq takes this as a connection that ended. */
    close(descriptor);
    errno = ECONNABORTED;
    return -1;
  }
  int hides = from->listener_marks & TIDINGS_HIDES_IDENTITIES;
  tidings_zmtp_stream stream = hides ? tidings_zmtp_stream_begin() : (tidings_zmtp_stream){0};
  ino_t number = inode(descriptor);
  renew(accepted, stream, number, 0);
  if (from->listener_marks & TIDINGS_HAS_CALLERS) {
    tidings_inbound_begin(&accepted->inbound, descriptor, number, TIDINGS_INBOUND_CALLER);
  } else if (from->listener_marks & TIDINGS_HAS_SUBSCRIBERS) {
    tidings_inbound_begin(&accepted->inbound, descriptor, number, TIDINGS_INBOUND_SUBSCRIBER);
  }
  return descriptor;
}

__attribute__((visibility("default"), used)) int accept4(int listener, struct sockaddr *address,
                                                         socklen_t *size, int flags) {
  return accept_filtered(listener, address, size, flags);
}

__attribute__((visibility("default"), used)) int accept(int listener, struct sockaddr *address,
                                                        socklen_t *size) {
  return accept_filtered(listener, address, size, 0);
}

UNSANITIZED __attribute__((visibility("default"), used)) int listen(int descriptor, int backlog) {
  entry *listener = marks ? find_or_make(descriptor) : find(descriptor);
  if (listener) renew(listener, (tidings_zmtp_stream){0}, inode(descriptor), marks);
  if (marks && !listener) {
    errno = ENOBUFS;
    return -1;
  }
  listen_function next = (listen_function)dlsym(RTLD_NEXT, "listen");
  return next(descriptor, backlog);
}

typedef int (*socket_function)(int, int, int);

UNSANITIZED __attribute__((visibility("default"), used)) int socket(int domain, int type, int protocol) {
  static _Atomic(socket_function) original;
  socket_function next = atomic_load_explicit(&original, memory_order_relaxed);
  if (!next) {
    next = (socket_function)dlsym(RTLD_NEXT, "socket");
    atomic_store_explicit(&original, next, memory_order_relaxed);
  }
  int descriptor = next(domain, type, protocol);
  entry *former = descriptor < 0 ? NULL : find(descriptor);
  if (former) renew(former, (tidings_zmtp_stream){0}, 0, 0);
  return descriptor;
}

enum {
  /* Flags and size; with CURVE also the command's name, a nonce and an authenticator. */
  FRAME_BYTES = 9,
  SECURE_FRAME_BYTES = 9 + 33,
  /* Who sends more frames than a call has does not have them counted as taken. */
  FRAMES_MAX = 4
};

void tidings_zmtp_filter_took(int descriptor, size_t bytes, size_t frames, int is_secure) {
  entry *from = find(descriptor);
  if (!from) return;
  if (frames > FRAMES_MAX) frames = FRAMES_MAX;
  tidings_inbound_took(&from->inbound, bytes + frames * (is_secure ? SECURE_FRAME_BYTES : FRAME_BYTES));
}

UNSANITIZED __attribute__((visibility("default"), used)) ssize_t recv(int descriptor, void *bytes,
                                                                      size_t size, int flags) {
  entry *accepted = find(descriptor);
  ssize_t room = accepted ? tidings_inbound_room(&accepted->inbound) : SSIZE_MAX;
  if (room <= 0) {
    /* The latter libzmq takes as a connection that ended. */
    errno = room == 0 ? EAGAIN : ECONNRESET;
    return -1;
  }
  if (size > (size_t)room) size = (size_t)room;
  ssize_t count = recvfrom(descriptor, bytes, size, flags, NULL, NULL);
  if (!accepted || count <= 0 || flags & MSG_PEEK) return count;
  tidings_inbound_received(&accepted->inbound, (size_t)count);
  if (accepted->stream.phase == 0) return count;
  if (accepted->inode != inode(descriptor)) {
    renew(accepted, (tidings_zmtp_stream){0}, 0, 0);
    return count;
  }
  tidings_zmtp_stream stream = accepted->stream;
  int hidden = tidings_zmtp_stream_hide_identity(&stream, bytes, (size_t)count);
  accepted->stream = stream;
  if (hidden > 0) {
    atomic_fetch_add_explicit(&changes, (uint64_t)hidden, memory_order_relaxed);
  }
  return count;
}
