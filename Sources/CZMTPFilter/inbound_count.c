#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "inbound_count.h"

#include <time.h>

/* How long libzmq may take to hand on what it has received. */
enum { HANDOVER_MILLISECONDS = 1000 };

static atomic_size_t bytes, bytes_max = SIZE_MAX, message_bytes_max = SIZE_MAX;
/* Of connections that have ended; libzmq may still have whole messages of them, until none is left. */
static atomic_size_t orphaned;
static atomic_uint_least64_t last_drain;
static atomic_int is_asleep;

uint64_t tidings_inbound_milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

uint64_t tidings_inbound_since(atomic_uint_least64_t *moment, uint64_t now) {
  uint64_t then = atomic_load_explicit(moment, memory_order_relaxed);
  return now > then ? now - then : 0;
}

/* Takes from a count what there is of so many. Returns that. */
static size_t take(atomic_size_t *from, size_t count) {
  size_t held = atomic_load_explicit(from, memory_order_relaxed), taken;
  do {
    taken = count < held ? count : held;
  } while (!atomic_compare_exchange_weak_explicit(from, &held, held - taken, memory_order_relaxed,
                                                  memory_order_relaxed));
  return taken;
}

/* What subscribers send has a bound of its own. */
static int is_subscriber(tidings_inbound *connection) {
  return atomic_load_explicit(&connection->mode, memory_order_relaxed) == TIDINGS_INBOUND_SUBSCRIBER;
}

static size_t subtract(tidings_inbound *connection, size_t count) {
  size_t taken = take(&connection->untaken, count);
  if (!is_subscriber(connection)) atomic_fetch_sub_explicit(&bytes, taken, memory_order_relaxed);
  return taken;
}

size_t tidings_inbound_add(tidings_inbound *connection, size_t count) {
  atomic_fetch_add_explicit(&bytes, count, memory_order_relaxed);
  return atomic_fetch_add_explicit(&connection->untaken, count, memory_order_relaxed);
}

void tidings_inbound_subtract(tidings_inbound *connection, size_t count) { subtract(connection, count); }

void tidings_inbound_subtract_message(tidings_inbound *connection, size_t count) {
  size_t taken = subtract(connection, count);
  if (taken == count) return;
  atomic_fetch_sub_explicit(&bytes, take(&orphaned, count - taken), memory_order_relaxed);
}

void tidings_inbound_orphan(tidings_inbound *connection) {
  size_t left = take(&connection->untaken, SIZE_MAX);
  if (!is_subscriber(connection)) atomic_fetch_add_explicit(&orphaned, left, memory_order_relaxed);
}

void tidings_inbound_bound(size_t all, size_t message) {
  atomic_store_explicit(&bytes_max, all, memory_order_relaxed);
  atomic_store_explicit(&message_bytes_max, message, memory_order_relaxed);
}

int tidings_inbound_is_within_bound(void) {
  return atomic_load_explicit(&bytes, memory_order_relaxed) <=
         atomic_load_explicit(&bytes_max, memory_order_relaxed);
}

int tidings_inbound_exceeds_message(size_t held) {
  return held > atomic_load_explicit(&message_bytes_max, memory_order_relaxed);
}

size_t tidings_inbound_messages_max(void) {
  return atomic_load_explicit(&bytes_max, memory_order_relaxed) /
         atomic_load_explicit(&message_bytes_max, memory_order_relaxed);
}

void tidings_inbound_drained(void) {
  if (atomic_load_explicit(&orphaned, memory_order_relaxed) > 0) {
    atomic_fetch_sub_explicit(&bytes, take(&orphaned, SIZE_MAX), memory_order_relaxed);
  }
  atomic_store_explicit(&last_drain, tidings_inbound_milliseconds(), memory_order_relaxed);
}

void tidings_inbound_sleeps(int sleeps) {
  atomic_store_explicit(&is_asleep, sleeps, memory_order_relaxed);
}

uint64_t tidings_inbound_drained_until(uint64_t now) {
  if (atomic_load_explicit(&is_asleep, memory_order_relaxed)) return now;
  return atomic_load_explicit(&last_drain, memory_order_relaxed);
}

int tidings_inbound_is_unfinished(tidings_inbound *connection, uint64_t now) {
  return tidings_inbound_drained_until(now) >=
         atomic_load_explicit(&connection->last, memory_order_relaxed) + HANDOVER_MILLISECONDS;
}
