#ifndef TIDINGS_CALLOCATOR_SHIM_H
#define TIDINGS_CALLOCATOR_SHIM_H

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* Threads share `heaps_max` heaps. Freed blocks of `block_bytes` and more go back to the system, and so does the free end of a heap
   that has `free_bytes`. Allocators other than glibc's are left as they are. */
static inline void tidings_allocator_configure(int heaps_max, int block_bytes, int free_bytes) {
#ifdef __GLIBC__
  (void)mallopt(M_ARENA_MAX, heaps_max);
  (void)mallopt(M_MMAP_THRESHOLD, block_bytes);
  (void)mallopt(M_TRIM_THRESHOLD, free_bytes);
#else
  (void)heaps_max;
  (void)block_bytes;
  (void)free_bytes;
#endif
}

#endif
