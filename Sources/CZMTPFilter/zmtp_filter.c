#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
/* Inlines of the C library would stand for what is defined here. */
#undef _FORTIFY_SOURCE

#include "zmtp_filter.h"

#include <dlfcn.h>
#include <errno.h>
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
  int is_listener;
} entry;

enum { CHUNK_ENTRIES = 4096, CHUNKS = 16384 };

static _Atomic(entry *) chunks[CHUNKS];
static atomic_uint_least64_t changes;
static _Thread_local int marks_listeners;

void tidings_zmtp_filter_mark_listeners(int mark) { marks_listeners = mark; }

uint64_t tidings_zmtp_filter_changes(void) {
  return atomic_load_explicit(&changes, memory_order_relaxed);
}

static entry *find(int descriptor) {
  unsigned int number = (unsigned int)descriptor;
  if (number / CHUNK_ENTRIES >= CHUNKS) return NULL;
  entry *chunk = atomic_load_explicit(&chunks[number / CHUNK_ENTRIES], memory_order_acquire);
  return chunk ? chunk + number % CHUNK_ENTRIES : NULL;
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

typedef int (*accept4_function)(int, struct sockaddr *, socklen_t *, int);
typedef int (*listen_function)(int, int);

UNSANITIZED static int accept_filtered(int listener, struct sockaddr *address, socklen_t *size, int flags) {
  static _Atomic(accept4_function) original;
  accept4_function next = atomic_load_explicit(&original, memory_order_relaxed);
  if (!next) {
    next = (accept4_function)dlsym(RTLD_NEXT, "accept4");
    atomic_store_explicit(&original, next, memory_order_relaxed);
  }
  int descriptor = next(listener, address, size, flags);
  if (descriptor < 0) return descriptor;
  entry *from = find(listener);
  if (!from || !from->is_listener || from->inode != inode(listener)) {
    entry *former = find(descriptor);
    if (former) *former = (entry){0};
    return descriptor;
  }
  entry *accepted = find_or_make(descriptor);
  if (!accepted) {
    /* Unfiltered it must not be served. libzmq takes this as a connection that ended. */
    close(descriptor);
    errno = ECONNABORTED;
    return -1;
  }
  *accepted = (entry){tidings_zmtp_stream_begin(), inode(descriptor), 0};
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
  entry *listener = marks_listeners ? find_or_make(descriptor) : find(descriptor);
  if (listener) *listener = (entry){{0}, inode(descriptor), marks_listeners};
  if (marks_listeners && !listener) {
    errno = ENOBUFS;
    return -1;
  }
  listen_function next = (listen_function)dlsym(RTLD_NEXT, "listen");
  return next(descriptor, backlog);
}

UNSANITIZED __attribute__((visibility("default"), used)) ssize_t recv(int descriptor, void *bytes,
                                                                      size_t size, int flags) {
  ssize_t count = recvfrom(descriptor, bytes, size, flags, NULL, NULL);
  entry *accepted = find(descriptor);
  if (!accepted || accepted->stream.phase == 0 || count <= 0 || flags & MSG_PEEK) return count;
  if (accepted->inode != inode(descriptor)) {
    *accepted = (entry){0};
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
