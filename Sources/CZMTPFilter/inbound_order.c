#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "inbound_order.h"

#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "inbound_all.h"
#include "inbound_count.h"

enum {
  /* How long nothing may come of a message that others wait for, and how long it may take. */
  STALL_MILLISECONDS = 1000,
  MESSAGE_MILLISECONDS = 10000,
  /* How often it is looked for connections that have ended. */
  SWEEP_MILLISECONDS = 1000,
  /* Who has not looked for so long was stopped, or had nobody wait: meanwhile nobody stalled. */
  LOOK_MILLISECONDS = 250
};

/* In the order in which they began their messages. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static tidings_inbound list = {.previous = &list, .next = &list};
static atomic_uint_least64_t ended;

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

void tidings_inbound_order_append(tidings_inbound *connection) {
  pthread_mutex_lock(&lock);
  list_last(connection);
  pthread_mutex_unlock(&lock);
}

void tidings_inbound_order_move_last(tidings_inbound *connection) {
  pthread_mutex_lock(&lock);
  if (connection->is_listed) list_last(connection);
  pthread_mutex_unlock(&lock);
}

void tidings_inbound_order_remove(tidings_inbound *connection) {
  pthread_mutex_lock(&lock);
  unlist(connection);
  pthread_mutex_unlock(&lock);
}

void tidings_inbound_order_set_descriptor(tidings_inbound *connection, int descriptor, ino_t inode) {
  pthread_mutex_lock(&lock);
  connection->descriptor = descriptor;
  connection->inode = inode;
  pthread_mutex_unlock(&lock);
}

void tidings_inbound_note_ended(void) { atomic_fetch_add_explicit(&ended, 1, memory_order_relaxed); }

uint64_t tidings_inbound_take_ended(void) {
  if (atomic_load_explicit(&ended, memory_order_relaxed) == 0) return 0;
  return atomic_exchange_explicit(&ended, 0, memory_order_relaxed);
}

/* libzmq reads the end and closes; the peer notices at once, also if it waits until it can send more. */
static void end(int descriptor) {
  struct linger none = {.l_onoff = 1, .l_linger = 0};
  setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &none, sizeof none);
  shutdown(descriptor, SHUT_RD);
}

static int is_open(tidings_inbound *connection) {
  struct stat status;
  return fstat(connection->descriptor, &status) == 0 && status.st_ino == connection->inode;
}

/* Since when it was looked again and again whether connections stall. */
static uint64_t looks_since(uint64_t now) {
  static uint64_t looked, resumed;
  if (now - looked >= LOOK_MILLISECONDS) resumed = now;
  looked = now;
  return resumed;
}

/* It is in the way of others: nothing comes of its message, or too little. */
static int is_stalled(tidings_inbound *connection, uint64_t looked_since, uint64_t now) {
  if (tidings_inbound_since(&connection->last, now) >= STALL_MILLISECONDS &&
      now >= looked_since + STALL_MILLISECONDS) {
    return tidings_inbound_is_unfinished(connection, now);
  }
  uint64_t begin = atomic_load_explicit(&connection->began, memory_order_relaxed);
  if (begin < connection->first_since) begin = connection->first_since;
  if (begin < looked_since) begin = looked_since;
  return now >= begin + MESSAGE_MILLISECONDS &&
         tidings_inbound_drained_until(now) >= begin + MESSAGE_MILLISECONDS / 2;
}

static void end_stalled(tidings_inbound *connection) {
  if (is_open(connection)) {
    end(connection->descriptor);
    tidings_inbound_note_ended();
  }
  unlist(connection);
  tidings_inbound_orphan(connection);
  /* The system may have more of it. */
  atomic_store_explicit(&connection->mode, TIDINGS_INBOUND_ENDED, memory_order_relaxed);
}

/* What an ended connection has sent is gone with it, or waits in the owner's turn. */
static void drop_ended(tidings_inbound *connection) {
  if (atomic_load_explicit(&connection->mode, memory_order_relaxed) != TIDINGS_INBOUND_CALLER) return;
  if (atomic_load_explicit(&connection->untaken, memory_order_relaxed) == 0) return;
  if (is_open(connection)) return;
  unlist(connection);
  tidings_inbound_orphan(connection);
}

/* libzmq does not say when it closes a descriptor. */
static void sweep(uint64_t now) {
  static uint64_t swept;
  if (now - swept < SWEEP_MILLISECONDS) return;
  swept = now;
  tidings_inbound_each(drop_ended);
}

static void begin_turn(tidings_inbound *connection, uint64_t now) {
  if (connection->is_first) return;
  connection->is_first = 1;
  connection->first_since = now;
  atomic_store_explicit(&connection->last, now, memory_order_relaxed);
}

int tidings_inbound_order_is_first(tidings_inbound *connection) {
  uint64_t now = tidings_inbound_milliseconds();
  size_t room = tidings_inbound_messages_max(), rank = 0;
  int is_found = 0;
  pthread_mutex_lock(&lock);
  sweep(now);
  uint64_t looked_since = looks_since(now);
  for (tidings_inbound *one = list.next; one != &list && (rank == 0 || rank < room);) {
    tidings_inbound *next = one->next;
    if (atomic_load_explicit(&one->untaken, memory_order_relaxed) < TIDINGS_INBOUND_LARGE_BYTES) {
      /* A message was taken since. */
      unlist(one);
      one = next;
      continue;
    }
    begin_turn(one, now);
    if (is_stalled(one, looked_since, now)) {
      end_stalled(one);
    } else {
      rank++;
      is_found |= one == connection;
    }
    one = next;
  }
  pthread_mutex_unlock(&lock);
  return is_found;
}
