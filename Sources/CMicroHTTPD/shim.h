#ifndef TIDINGS_CMICROHTTPD_SHIM_H
#define TIDINGS_CMICROHTTPD_SHIM_H

#include <arpa/inet.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

/* What is variadic in libmicrohttpd, for Swift. */

static inline struct MHD_Daemon *tidings_mhd_start(unsigned int flags, MHD_AccessHandlerCallback handler, void *context,
                                                   struct MHD_OptionItem *options) {
  return MHD_start_daemon(flags, 0, NULL, NULL, handler, context, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

static inline void *tidings_mhd_pointer(const char *text) { return (void *)text; }

typedef void (*tidings_mhd_completed)(void *, struct MHD_Connection *, void **, enum MHD_RequestTerminationCode);
typedef void *(*tidings_mhd_uri)(void *, const char *, struct MHD_Connection *);
typedef size_t (*tidings_mhd_unescape)(void *, struct MHD_Connection *, char *);

/* Functions in options are numbers there. */
static inline intptr_t tidings_mhd_completed_value(tidings_mhd_completed function) { return (intptr_t)function; }
static inline intptr_t tidings_mhd_connected_value(MHD_NotifyConnectionCallback function) { return (intptr_t)function; }
static inline intptr_t tidings_mhd_uri_value(tidings_mhd_uri function) { return (intptr_t)function; }
static inline intptr_t tidings_mhd_unescape_value(tidings_mhd_unescape function) { return (intptr_t)function; }

/* Puts the address of the other side into 16 bytes. Returns how many it has; 0: it is none of the internet's. */
static inline int tidings_mhd_address(struct MHD_Connection *connection, uint8_t *bytes) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  const struct sockaddr *address = info ? info->client_addr : NULL;
  if (address && address->sa_family == AF_INET) {
    memcpy(bytes, &((const struct sockaddr_in *)address)->sin_addr, 4);
    return 4;
  }
  if (!address || address->sa_family != AF_INET6) return 0;
  memcpy(bytes, &((const struct sockaddr_in6 *)address)->sin6_addr, 16);
  return 16;
}

/* What MHD_OPTION_NOTIFY_CONNECTION left for a connection: its number. */
static inline uint64_t tidings_mhd_number(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? (uint64_t)(uintptr_t)info->socket_context : 0;
}

/* Nothing more comes and goes on a connection, which is open until it is closed. */
static inline void tidings_shut(int descriptor) { shutdown(descriptor, SHUT_RDWR); }

/* The address of the other side as text, of at least 64 bytes; empty: it is none of the internet's. */
static inline void tidings_mhd_peer(struct MHD_Connection *connection, char *text) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  const struct sockaddr *address = info ? info->client_addr : NULL;
  text[0] = 0;
  if (address && address->sa_family == AF_INET) {
    inet_ntop(AF_INET, &((const struct sockaddr_in *)address)->sin_addr, text, 64);
  } else if (address && address->sa_family == AF_INET6) {
    inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)address)->sin6_addr, text, 64);
    if (!strncmp(text, "::ffff:", 7) && strchr(text, '.')) memmove(text, text + 7, strlen(text + 7) + 1);
  }
}

/* The socket of a connection; -1: there is none. */
static inline int tidings_mhd_descriptor(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

/* Whether the other side of a socket sends nothing more; POLLRDHUP is defined for GNU sources only. */
static inline int tidings_is_half_closed(int descriptor) {
  const short ended = POLLHUP | POLLERR | 0x2000;
  struct pollfd watched = {.fd = descriptor, .events = ended};
  return poll(&watched, 1, 0) > 0 && (watched.revents & ended) != 0;
}

/* Opens a file without a name in a folder; O_TMPFILE is defined for GNU sources only. */
static inline int tidings_open_unnamed(const char *folder) {
  return open(folder, __O_TMPFILE | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0600);
}

#endif
