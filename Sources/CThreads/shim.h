#ifndef TIDINGS_CTHREADS_SHIM_H
#define TIDINGS_CTHREADS_SHIM_H

#include <sys/eventfd.h>
#include <sys/prctl.h>

/* A descriptor that is readable while its count is not zero. */
static inline int tidings_eventfd_make(void) {
  return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
}

static inline void tidings_eventfd_signal(int descriptor) {
  (void)eventfd_write(descriptor, 1);
}

static inline void tidings_eventfd_clear(int descriptor) {
  eventfd_t count;
  (void)eventfd_read(descriptor, &count);
}

/* Names the calling thread; at most 15 bytes are kept. */
static inline void tidings_thread_name(const char *name) {
  (void)prctl(PR_SET_NAME, name, 0, 0, 0);
}

#endif
