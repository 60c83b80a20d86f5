#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "inbound.h"

#include <limits.h>
#include <time.h>
#include <unistd.h>

#include "inbound_count.h"
#include "inbound_order.h"

enum {
  /* What a connection reads at a time that need not wait for room. */
  SMALL_BYTES = 8 << 10,
  /* What a handshake and a heartbeat take, which nobody takes; it is forgotten after some time. */
  COMMAND_BYTES = 1024,
  COMMAND_MILLISECONDS = 5000,
  /* What a subscriber sends at once, and in a second from then on. */
  SUBSCRIBER_BYTES = 4 << 20,
  SUBSCRIBER_BYTES_PER_SECOND = 16,
  SLEEP_MICROSECONDS = 100,
  WAKE_MICROSECONDS = 200
};

static int mode_of(tidings_inbound *connection) {
  return atomic_load_explicit(&connection->mode, memory_order_relaxed);
}

static size_t held_of(tidings_inbound *connection) {
  return atomic_load_explicit(&connection->untaken, memory_order_relaxed);
}

static void begin_message(tidings_inbound *connection) {
  atomic_store_explicit(&connection->began, tidings_inbound_milliseconds(), memory_order_relaxed);
}

void tidings_inbound_begin(tidings_inbound *connection, int descriptor, ino_t inode, int mode) {
  tidings_inbound_forget(connection);
  tidings_inbound_order_set_descriptor(connection, descriptor, inode);
  atomic_store_explicit(&connection->began, 0, memory_order_relaxed);
  atomic_store_explicit(&connection->mode, mode, memory_order_relaxed);
}

void tidings_inbound_forget(tidings_inbound *connection) {
  if (!mode_of(connection)) return;
  tidings_inbound_order_remove(connection);
  tidings_inbound_orphan(connection);
  atomic_store_explicit(&connection->mode, 0, memory_order_relaxed);
}

void tidings_inbound_took(tidings_inbound *connection, size_t count) {
  tidings_inbound_subtract_message(connection, count);
  size_t left = held_of(connection);
  if (left < COMMAND_BYTES) {
    /* Heartbeats, which nobody takes, or the begin of the next message, which is little. */
    tidings_inbound_subtract(connection, left);
    return;
  }
  begin_message(connection);
  /* Its next message is behind those that others began before. */
  if (left >= TIDINGS_INBOUND_LARGE_BYTES) tidings_inbound_order_move_last(connection);
}

static ssize_t ended_for(tidings_inbound *connection) {
  tidings_inbound_note_ended();
  tidings_inbound_forget(connection);
  return -1;
}

static uint64_t microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* libzmq asks again at once, for each connection that waits: so it sleeps now and then, and not for each. */
static ssize_t wait(void) {
  static _Thread_local uint64_t slept;
  if (microseconds() - slept >= WAKE_MICROSECONDS) {
    usleep(SLEEP_MICROSECONDS);
    slept = microseconds();
  }
  return 0;
}

ssize_t tidings_inbound_room(tidings_inbound *connection) {
  int mode = mode_of(connection);
  if (mode == 0) return SSIZE_MAX;
  if (mode == TIDINGS_INBOUND_ENDED) return -1;
  size_t held = held_of(connection);
  if (mode == TIDINGS_INBOUND_SUBSCRIBER) {
    return held > SUBSCRIBER_BYTES ? ended_for(connection) : SSIZE_MAX;
  }
  if (tidings_inbound_exceeds_message(held)) {
    int is_unfinished = tidings_inbound_is_unfinished(connection, tidings_inbound_milliseconds());
    return is_unfinished ? ended_for(connection) : wait();
  }
  if (tidings_inbound_is_within_bound() || tidings_inbound_order_is_first(connection)) return SSIZE_MAX;
  /* Small messages pass beside large ones. */
  return held < TIDINGS_INBOUND_LARGE_BYTES ? SMALL_BYTES : wait();
}

/* Nobody takes what a subscriber sends. */
static void subscriber_received(tidings_inbound *connection, size_t count, uint64_t now) {
  if (atomic_load_explicit(&connection->began, memory_order_relaxed) != 0) {
    uint64_t passed = tidings_inbound_since(&connection->began, now);
    tidings_inbound_subtract(connection, (size_t)(passed * SUBSCRIBER_BYTES_PER_SECOND / 1000));
  }
  atomic_store_explicit(&connection->began, now, memory_order_relaxed);
  atomic_fetch_add_explicit(&connection->untaken, count, memory_order_relaxed);
}

void tidings_inbound_received(tidings_inbound *connection, size_t count) {
  int mode = mode_of(connection);
  if (mode == 0) return;
  uint64_t now = tidings_inbound_milliseconds();
  if (mode == TIDINGS_INBOUND_SUBSCRIBER) return subscriber_received(connection, count, now);
  size_t before = held_of(connection);
  if (before > 0 && before < COMMAND_BYTES &&
      tidings_inbound_since(&connection->began, now) >= COMMAND_MILLISECONDS) {
    tidings_inbound_subtract(connection, SIZE_MAX);
  }
  atomic_store_explicit(&connection->last, now, memory_order_relaxed);
  before = tidings_inbound_add(connection, count);
  if (before == 0) begin_message(connection);
  if (before >= TIDINGS_INBOUND_LARGE_BYTES || before + count < TIDINGS_INBOUND_LARGE_BYTES) return;
  tidings_inbound_order_append(connection);
}
