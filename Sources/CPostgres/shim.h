#ifndef TIDINGS_CPOSTGRES_SHIM_H
#define TIDINGS_CPOSTGRES_SHIM_H

#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#include <postgresql/libpq-fe.h>
#endif

#include <sys/ioctl.h>

/* Swift does not import macros of single characters. */
static const int tidings_postgres_diag_state = PG_DIAG_SQLSTATE;
static const int tidings_postgres_diag_message = PG_DIAG_MESSAGE_PRIMARY;

/* How many bytes wait to be read from a socket; ioctl is variadic, which Swift cannot call. */
static inline int tidings_postgres_waiting_bytes(int socket) {
  int count = 0;
  return ioctl(socket, FIONREAD, &count) == 0 ? count : 0;
}

/* Errors reach callers as results; libpq would also print the server's notices. */
static inline void tidings_postgres_ignore_notice(void *context, const PGresult *notice) {
  (void)context;
  (void)notice;
}

static inline void tidings_postgres_ignore_notices(PGconn *connection) {
  (void)PQsetNoticeReceiver(connection, tidings_postgres_ignore_notice, 0);
}

#endif
