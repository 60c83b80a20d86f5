/* The time and the random numbers of a simulation, which follow from its seed; not loaded into rpcd. */
#define _GNU_SOURCE
#include "fault_disk.h"

#include <dlfcn.h>
#include <sodium.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* MARK: Random numbers */

static atomic_int is_seeded;
/* libsodium's, and the system's. */
static uint64_t sodium_state, system_state;

/* SplitMix64. */
static uint64_t next_number(uint64_t *state) {
  uint64_t mixed = *state += 0x9e3779b97f4a7c15;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

static void fill(uint64_t *state, void *bytes, size_t count) {
  uint8_t *next = bytes;
  while (count > 0) {
    const uint64_t number = next_number(state);
    const size_t part = count < sizeof number ? count : sizeof number;
    memcpy(next, &number, part);
    next += part;
    count -= part;
  }
}

static const char *sodium_name(void) { return "seeded"; }
static uint32_t sodium_number(void) { return (uint32_t)next_number(&sodium_state); }
static void sodium_fill(void *const bytes, const size_t count) { fill(&sodium_state, bytes, count); }

static randombytes_implementation seeded_numbers = {
  .implementation_name = sodium_name,
  .random = sodium_number,
  .buf = sodium_fill,
};

void fault_disk_seed(uint64_t seed) {
  uint64_t state = seed;
  sodium_state = next_number(&state);
  system_state = next_number(&state);
  fault_disk_seed_flips(next_number(&state));
  randombytes_set_implementation(&seeded_numbers);
  /* 0 would mean the system's numbers. */
  const int number = (int)(next_number(&state) & 0x3fffffff) | 1;
  sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, number, (sqlite3 *)NULL);
  atomic_store(&is_seeded, 1);
}

/* Swift's library asks the system for random numbers with it, and has no other seam. */
typedef long system_call(long number, ...);
static _Atomic(system_call *) real_syscall;

long syscall(long number, ...) {
  long arguments[6];
  va_list rest;
  va_start(rest, number);
  /* As the C library's own: calls with fewer leave the others undefined, and the system does not look at them. */
  for (int index = 0; index < 6; index++) arguments[index] = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_getrandom && atomic_load(&is_seeded)) {
    fill(&system_state, (void *)arguments[0], (size_t)arguments[1]);
    return arguments[1];
  }
  system_call *real = atomic_load(&real_syscall);
  if (real == NULL) {
    real = (system_call *)dlsym(RTLD_NEXT, "syscall");
    atomic_store(&real_syscall, real);
  }
  return real(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
              arguments[5]);
}

/* MARK: Time */

static atomic_llong simulated_time;
typedef int clock_call(clockid_t clock, struct timespec *time);
static _Atomic(clock_call *) real_clock;

void fault_disk_set_time(int64_t milliseconds) { atomic_store(&simulated_time, milliseconds); }

int clock_gettime(clockid_t clock, struct timespec *time) {
  const long long milliseconds = atomic_load(&simulated_time);
  if (milliseconds != 0 && (clock == CLOCK_REALTIME || clock == CLOCK_BOOTTIME)) {
    time->tv_sec = (time_t)(milliseconds / 1000);
    time->tv_nsec = (long)(milliseconds % 1000 * 1000000);
    return 0;
  }
  clock_call *real = atomic_load(&real_clock);
  if (real == NULL) {
    real = (clock_call *)dlsym(RTLD_NEXT, "clock_gettime");
    atomic_store(&real_clock, real);
  }
  return real(clock, time);
}

/* MARK: Hashes */

uint64_t fault_disk_hash(uint64_t hash, const void *bytes, size_t count) {
  const uint8_t *byte = bytes;
  for (size_t index = 0; index < count; index++) hash = (hash ^ byte[index]) * 0x100000001b3;
  return hash;
}
