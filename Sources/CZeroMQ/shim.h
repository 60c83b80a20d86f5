#ifndef TIDINGS_CZEROMQ_SHIM_H
#define TIDINGS_CZEROMQ_SHIM_H

#include <linux/filter.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <zmq.h>

/* Makes the system drop whatever would open a connection to a listening TCP socket. */
static inline int tidings_listener_shut(int listener) {
  struct sock_filter drop_all = {BPF_RET | BPF_K, 0, 0, 0};
  struct sock_fprog program = {1, &drop_all};
  return setsockopt(listener, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

/* Lets connections in again. */
static inline int tidings_listener_open(int listener) {
  int unused = 0;
  return setsockopt(listener, SOL_SOCKET, SO_DETACH_FILTER, &unused, sizeof unused);
}

/* A number that nobody can predict. */
static inline unsigned int tidings_random(void) {
  unsigned int number = 0;
  if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) number = 0;
  return number;
}

#endif
