/* Loaded into rpcd with LD_PRELOAD while its instructions are counted, so that each run does the same.

   A program that is counted is fifty times slower, and slower still beside other work. Its clock goes a million times
   slower: no turn of the loop ends early, no commit looks slow, and no timer is due, because counting takes long.

   The loop takes nothing while the driver holds a lock on the file that TIDINGS_COST_GATE names. The calls that are sent
   meanwhile are there together when the lock is released, and are a group in each run. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum {
  slowness = 1000000,
  /* Only the loop waits for more descriptors at a time: libzmq looks at one. */
  loop_descriptors_min = 3,
};
static const int64_t second = 1000000000;
/* Longer waits are without an end that matters. */
static const int64_t wait_max = 1000 * second;
/* When the program began, since the machine did and as time of day. */
static int64_t begun, begun_day;
static int gate = -1;

static int64_t nanoseconds(struct timespec time) { return time.tv_sec * second + time.tv_nsec; }

static struct timespec duration(int64_t nanoseconds) {
  return (struct timespec){nanoseconds / second, nanoseconds % second};
}

static int64_t real_time(clockid_t clock) {
  struct timespec time;
  syscall(SYS_clock_gettime, clock, &time);
  return nanoseconds(time);
}

static int64_t slowed(int64_t wait) { return (wait < wait_max ? wait : wait_max) * slowness; }

/* When a moment of the slow clock comes. Times of day are after 2001; a zero ends a timer. */
static struct timespec moment(struct timespec shown) {
  if (nanoseconds(shown) == 0) return shown;
  int64_t from = shown.tv_sec >= second ? begun_day : begun;
  return duration(from + slowed(nanoseconds(shown) - from));
}

__attribute__((constructor)) static void start(void) {
  begun = real_time(CLOCK_MONOTONIC);
  /* Encoded, a time takes as many bytes in each run. */
  begun_day = real_time(CLOCK_REALTIME) / second * second + second / 2;
  const char *path = getenv("TIDINGS_COST_GATE");
  if (path) gate = open(path, O_RDONLY | O_CLOEXEC);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int64_t passed = (real_time(CLOCK_MONOTONIC) - begun) / slowness;
  switch (clock) {
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME: *time = duration(begun + passed); return 0;
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE: *time = duration(begun_day + passed); return 0;
    default: return (int)syscall(SYS_clock_gettime, clock, time);
  }
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  (void)zone;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  *time = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}

int poll(struct pollfd *descriptors, nfds_t count, int timeout) {
  struct timespec limit = duration(slowed(timeout * INT64_C(1000000)));
  int found = (int)syscall(SYS_ppoll, descriptors, count, timeout < 0 ? NULL : &limit, NULL, 8);
  if (count >= loop_descriptors_min && found > 0 && gate >= 0) {
    flock(gate, LOCK_SH);
    flock(gate, LOCK_UN);
  }
  return found;
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *end) {
  static int (*next)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
  /* Without its version, this is that of an older library. */
  if (!next) next = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
  struct timespec later = moment(*end);
  return next(condition, mutex, &later);
}

int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *end) {
  static int (*next)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
  if (!next) next = dlsym(RTLD_NEXT, "pthread_cond_clockwait");
  struct timespec later = moment(*end);
  return next(condition, mutex, clock, &later);
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict end) {
  static int (*next)(sem_t *, const struct timespec *);
  if (!next) next = dlsym(RTLD_NEXT, "sem_timedwait");
  struct timespec later = moment(*end);
  return next(semaphore, &later);
}

int timerfd_settime(int file, int flags, const struct itimerspec *value, struct itimerspec *before) {
  struct itimerspec later = *value;
  if (flags & TFD_TIMER_ABSTIME) later.it_value = moment(later.it_value);
  return (int)syscall(SYS_timerfd_settime, file, flags, &later, before);
}

/* Valgrind 3.19 changes the set, and libdispatch's is constant. */
int sigsuspend(const sigset_t *mask) {
  sigset_t copy = *mask;
  return (int)syscall(SYS_rt_sigsuspend, &copy, 8);
}
