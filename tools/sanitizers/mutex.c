/* Reports Swift's Mutex to the thread sanitizer.

   The fast path of Mutex.lock is inlined into programs and instrumented. A contended lock is acquired in
   libswiftSynchronization with a futex, which is not instrumented, so the sanitizer reports races on the data that the
   lock protects. This library is loaded first (LD_PRELOAD) and wraps those functions. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

void __tsan_acquire(void *address);
void __tsan_release(void *address);

/* Synchronization._MutexHandle._lockSlow(UInt32) */
SWIFT void lock_slow(uint32_t thread, SELF) __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");

/* Synchronization._MutexHandle._tryLockSlow() */
SWIFT bool try_lock_slow(SELF) __asm__("$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF");

/* Synchronization._MutexHandle._unlockSlow() */
SWIFT void unlock_slow(SELF) __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");

SWIFT void lock_slow(uint32_t thread, SELF)
{
  typedef SWIFT void function(uint32_t, SELF);
  function *next = (function *)dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
  next(thread, self);
  __tsan_acquire(self);
}

SWIFT bool try_lock_slow(SELF)
{
  typedef SWIFT bool function(SELF);
  function *next = (function *)dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF");
  bool is_locked = next(self);
  if (is_locked)
    __tsan_acquire(self);
  return is_locked;
}

SWIFT void unlock_slow(SELF)
{
  typedef SWIFT void function(SELF);
  function *next = (function *)dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
  __tsan_release(self);
  next(self);
}
