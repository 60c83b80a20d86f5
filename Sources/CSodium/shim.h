#ifndef TIDINGS_CSODIUM_SHIM_H
#define TIDINGS_CSODIUM_SHIM_H

#include <sodium.h>
#include <sys/prctl.h>

/* Keeps the memory of this process out of core dumps, and from other processes of its user. */
static inline int tidings_dumps_forbid(void) {
  return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

#endif
