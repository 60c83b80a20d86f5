#ifndef TIDINGS_CZEROMQ_SHIM_H
#define TIDINGS_CZEROMQ_SHIM_H

#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <zmq.h>

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

/* A number that nobody can predict. */
static inline unsigned int tidings_random(void) {
  unsigned int number = 0;
  if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) number = 0;
  return number;
}

#endif
