#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "inbound_all.h"

#include <limits.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
  /* Connections with less than this need not wait for room, and read so much at a time. */
  LARGE_BYTES = 64 << 10,
  SMALL_BYTES = 8 << 10,
  /* What a handshake and a heartbeat take, which nobody takes; it is forgotten after some time. */
  COMMAND_BYTES = 1024,
  COMMAND_MILLISECONDS = 5000,
  /* What a subscriber sends at once, and in a second from then on. */
  SUBSCRIBER_BYTES = 4 << 20,
  SUBSCRIBER_BYTES_PER_SECOND = 16,
  /* How long nothing may come of a message that others wait for, and how long it may take. */
  STALL_MILLISECONDS = 1000,
  MESSAGE_MILLISECONDS = 10000,
  /* How often it is looked for connections that have ended. */
  SWEEP_MILLISECONDS = 1000,
  /* How long libzmq may take to hand on what it has received. */
  HANDOVER_MILLISECONDS = 1000,
  /* Who has not looked for so long was stopped, or had nobody wait: meanwhile nobody stalled. */
  LOOK_MILLISECONDS = 250,
  SLEEP_MICROSECONDS = 100,
  WAKE_MICROSECONDS = 200
};

static atomic_size_t bytes, bytes_max = SIZE_MAX, message_bytes_max = SIZE_MAX;
/* Of connections that have ended; libzmq may still have whole messages of them, until none is left. */
static atomic_size_t orphaned;
static atomic_uint_least64_t last_drain, ended;
static atomic_int is_asleep;

/* Connections that have had much, in the order in which they began their messages. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static tidings_inbound list = {.previous = &list, .next = &list};

static uint64_t milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static uint64_t microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void unlist(tidings_inbound *connection) {
  if (!connection->is_listed) return;
  connection->previous->next = connection->next;
  connection->next->previous = connection->previous;
  connection->is_listed = 0;
}

static void list_last(tidings_inbound *connection) {
  unlist(connection);
  connection->previous = list.previous;
  connection->next = &list;
  list.previous->next = connection;
  list.previous = connection;
  connection->is_listed = 1;
  connection->is_first = 0;
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

static int is_subscriber(tidings_inbound *connection) {
  return atomic_load_explicit(&connection->mode, memory_order_relaxed) == TIDINGS_INBOUND_SUBSCRIBER;
}

/* Counts less, as far as there is something. Returns how much. */
static size_t subtract(tidings_inbound *connection, size_t count) {
  size_t taken = take(&connection->untaken, count);
  if (!is_subscriber(connection)) atomic_fetch_sub_explicit(&bytes, taken, memory_order_relaxed);
  return taken;
}

/* The connection has ended: what it has sent counts until the owner has taken all that is whole. */
static void orphan(tidings_inbound *connection) {
  size_t left = take(&connection->untaken, SIZE_MAX);
  if (!is_subscriber(connection)) atomic_fetch_add_explicit(&orphaned, left, memory_order_relaxed);
}

static void begin_message(tidings_inbound *connection) {
  atomic_store_explicit(&connection->began, milliseconds(), memory_order_relaxed);
}

void tidings_inbound_took(tidings_inbound *connection, size_t count) {
  size_t taken = subtract(connection, count);
  if (taken < count) {
    /* The message may be of an earlier connection with the descriptor. */
    size_t earlier = take(&orphaned, count - taken);
    atomic_fetch_sub_explicit(&bytes, earlier, memory_order_relaxed);
  }
  size_t left = atomic_load_explicit(&connection->untaken, memory_order_relaxed);
  if (left < COMMAND_BYTES) {
    /* Heartbeats, which nobody takes, or the begin of the next message, which is little. */
    subtract(connection, left);
    return;
  }
  begin_message(connection);
  if (left < LARGE_BYTES) return;
  /* Its next message is behind those that others began before. */
  pthread_mutex_lock(&lock);
  if (connection->is_listed) list_last(connection);
  pthread_mutex_unlock(&lock);
}

void tidings_inbound_begin(tidings_inbound *connection, int descriptor, ino_t inode, int mode) {
  tidings_inbound_forget(connection);
  pthread_mutex_lock(&lock);
  connection->descriptor = descriptor;
  connection->inode = inode;
  pthread_mutex_unlock(&lock);
  atomic_store_explicit(&connection->began, 0, memory_order_relaxed);
  atomic_store_explicit(&connection->mode, mode, memory_order_relaxed);
}

void tidings_inbound_forget(tidings_inbound *connection) {
  if (!atomic_load_explicit(&connection->mode, memory_order_relaxed)) return;
  pthread_mutex_lock(&lock);
  unlist(connection);
  pthread_mutex_unlock(&lock);
  orphan(connection);
  atomic_store_explicit(&connection->mode, 0, memory_order_relaxed);
}

void tidings_inbound_drained(void) {
  if (atomic_load_explicit(&orphaned, memory_order_relaxed) > 0) {
    atomic_fetch_sub_explicit(&bytes, take(&orphaned, SIZE_MAX), memory_order_relaxed);
  }
  atomic_store_explicit(&last_drain, milliseconds(), memory_order_relaxed);
}

void tidings_inbound_sleeps(int sleeps) {
  atomic_store_explicit(&is_asleep, sleeps, memory_order_relaxed);
}

void tidings_inbound_bound(size_t all, size_t message) {
#ifdef __GLIBC__
  /* Large frames are given back when they are freed; otherwise glibc would keep ever larger ones. What follows from the
     first for the second would give memory back too often. */
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
  mallopt(M_TRIM_THRESHOLD, 16 << 20);
#endif
  atomic_store_explicit(&bytes_max, all, memory_order_relaxed);
  atomic_store_explicit(&message_bytes_max, message, memory_order_relaxed);
}

uint64_t tidings_inbound_take_ended(void) {
  if (atomic_load_explicit(&ended, memory_order_relaxed) == 0) return 0;
  return atomic_exchange_explicit(&ended, 0, memory_order_relaxed);
}

static uint64_t since(atomic_uint_least64_t *moment, uint64_t now) {
  uint64_t then = atomic_load_explicit(moment, memory_order_relaxed);
  return now > then ? now - then : 0;
}

/* Until when whole messages were taken. */
static uint64_t drained_until(uint64_t now) {
  if (atomic_load_explicit(&is_asleep, memory_order_relaxed)) return now;
  return atomic_load_explicit(&last_drain, memory_order_relaxed);
}

/* What was received is no whole message: it would have been taken. */
static int is_unfinished(tidings_inbound *connection, uint64_t now) {
  return drained_until(now) >=
         atomic_load_explicit(&connection->last, memory_order_relaxed) + HANDOVER_MILLISECONDS;
}

/* libzmq reads the end and closes; the peer notices at once, also if it waits until it can send more. */
static void end(int descriptor) {
  struct linger none = {.l_onoff = 1, .l_linger = 0};
  setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &none, sizeof none);
  shutdown(descriptor, SHUT_RD);
}

/* With the lock: since when it was looked again and again whether connections stall. */
static uint64_t looks_since(uint64_t now) {
  static uint64_t looked, resumed;
  if (now - looked >= LOOK_MILLISECONDS) resumed = now;
  looked = now;
  return resumed;
}

/* It is in the way of others: nothing comes of its message, or too little. */
static int is_stalled(tidings_inbound *connection, uint64_t looked_since, uint64_t now) {
  if (since(&connection->last, now) >= STALL_MILLISECONDS && now >= looked_since + STALL_MILLISECONDS) {
    return is_unfinished(connection, now);
  }
  uint64_t begin = atomic_load_explicit(&connection->began, memory_order_relaxed);
  if (begin < connection->first_since) begin = connection->first_since;
  if (begin < looked_since) begin = looked_since;
  return now >= begin + MESSAGE_MILLISECONDS && drained_until(now) >= begin + MESSAGE_MILLISECONDS / 2;
}

static int is_open(tidings_inbound *connection) {
  struct stat status;
  return fstat(connection->descriptor, &status) == 0 && status.st_ino == connection->inode;
}

/* What an ended connection has sent is gone with it, or waits in the owner's turn. */
static void drop_ended(tidings_inbound *connection) {
  if (atomic_load_explicit(&connection->mode, memory_order_relaxed) != TIDINGS_INBOUND_CALLER) return;
  if (atomic_load_explicit(&connection->untaken, memory_order_relaxed) == 0) return;
  if (is_open(connection)) return;
  unlist(connection);
  orphan(connection);
}

/* With the lock: libzmq does not say when it closes a descriptor. */
static void sweep(uint64_t now) {
  static uint64_t swept;
  if (now - swept < SWEEP_MILLISECONDS) return;
  swept = now;
  tidings_inbound_each(drop_ended);
}

/* Whether a connection is one of the first whose messages have room together. Ends those of the first that stall. */
static int is_first(tidings_inbound *connection) {
  uint64_t now = milliseconds();
  size_t message = atomic_load_explicit(&message_bytes_max, memory_order_relaxed);
  size_t room = atomic_load_explicit(&bytes_max, memory_order_relaxed) / message, rank = 0;
  int is_found = 0;
  pthread_mutex_lock(&lock);
  sweep(now);
  uint64_t looked_since = looks_since(now);
  for (tidings_inbound *one = list.next; one != &list && (rank == 0 || rank < room);) {
    tidings_inbound *next = one->next;
    if (atomic_load_explicit(&one->untaken, memory_order_relaxed) < LARGE_BYTES) {
      /* A message was taken since. */
      unlist(one);
      one = next;
      continue;
    }
    if (!one->is_first) {
      one->is_first = 1;
      one->first_since = now;
      atomic_store_explicit(&one->last, now, memory_order_relaxed);
    }
    if (is_stalled(one, looked_since, now)) {
      if (is_open(one)) {
        end(one->descriptor);
        atomic_fetch_add_explicit(&ended, 1, memory_order_relaxed);
      }
      unlist(one);
      orphan(one);
      /* The system may have more of it. */
      atomic_store_explicit(&one->mode, TIDINGS_INBOUND_ENDED, memory_order_relaxed);
    } else {
      rank++;
      is_found |= one == connection;
    }
    one = next;
  }
  pthread_mutex_unlock(&lock);
  return is_found;
}

static ssize_t ended_for(tidings_inbound *connection) {
  atomic_fetch_add_explicit(&ended, 1, memory_order_relaxed);
  tidings_inbound_forget(connection);
  return -1;
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
  int mode = atomic_load_explicit(&connection->mode, memory_order_relaxed);
  if (mode == 0) return SSIZE_MAX;
  if (mode == TIDINGS_INBOUND_ENDED) return -1;
  size_t held = atomic_load_explicit(&connection->untaken, memory_order_relaxed);
  if (mode == TIDINGS_INBOUND_SUBSCRIBER) {
    return held > SUBSCRIBER_BYTES ? ended_for(connection) : SSIZE_MAX;
  }
  if (held > atomic_load_explicit(&message_bytes_max, memory_order_relaxed)) {
    return is_unfinished(connection, milliseconds()) ? ended_for(connection) : wait();
  }
  size_t all = atomic_load_explicit(&bytes, memory_order_relaxed);
  if (all <= atomic_load_explicit(&bytes_max, memory_order_relaxed) || is_first(connection)) {
    return SSIZE_MAX;
  }
  /* Small messages pass beside large ones. */
  return held < LARGE_BYTES ? SMALL_BYTES : wait();
}

/* Nobody takes what a subscriber sends. */
static void subscriber_received(tidings_inbound *connection, size_t count, uint64_t now) {
  if (atomic_load_explicit(&connection->began, memory_order_relaxed) != 0) {
    subtract(connection, (size_t)(since(&connection->began, now) * SUBSCRIBER_BYTES_PER_SECOND / 1000));
  }
  atomic_store_explicit(&connection->began, now, memory_order_relaxed);
  atomic_fetch_add_explicit(&connection->untaken, count, memory_order_relaxed);
}

void tidings_inbound_received(tidings_inbound *connection, size_t count) {
  int mode = atomic_load_explicit(&connection->mode, memory_order_relaxed);
  if (mode == 0) return;
  uint64_t now = milliseconds();
  if (mode == TIDINGS_INBOUND_SUBSCRIBER) return subscriber_received(connection, count, now);
  size_t before = atomic_load_explicit(&connection->untaken, memory_order_relaxed);
  if (before > 0 && before < COMMAND_BYTES && since(&connection->began, now) >= COMMAND_MILLISECONDS) {
    subtract(connection, SIZE_MAX);
  }
  atomic_store_explicit(&connection->last, now, memory_order_relaxed);
  atomic_fetch_add_explicit(&bytes, count, memory_order_relaxed);
  before = atomic_fetch_add_explicit(&connection->untaken, count, memory_order_relaxed);
  if (before == 0) begin_message(connection);
  if (before >= LARGE_BYTES || before + count < LARGE_BYTES) return;
  pthread_mutex_lock(&lock);
  list_last(connection);
  pthread_mutex_unlock(&lock);
}
