/* Tells the thread sanitizer of Swift's Mutex.

   The first try of Mutex.lock is compiled into programs, which the sanitizer sees. Who has to wait gets the lock in
   libswiftSynchronization, by a futex, which it does not see: then whatever the lock protects looks like a race.
   Loaded before that library (LD_PRELOAD), this stands in between. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

void __tsan_acquire(void *address);
void __tsan_release(void *address);

/* Synchronization._MutexHandle._lockSlow(UInt32) */
SWIFT void lock_slow(uint32_t thread, SELF) __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");

/* Synchronization._MutexHandle._unlockSlow() */
SWIFT void unlock_slow(SELF) __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");

SWIFT void lock_slow(uint32_t thread, SELF)
{
  typedef SWIFT void function(uint32_t, SELF);
  function *next = (function *)dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
  next(thread, self);
  __tsan_acquire(self);
}

SWIFT void unlock_slow(SELF)
{
  typedef SWIFT void function(SELF);
  function *next = (function *)dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
  __tsan_release(self);
  next(self);
}
