#ifndef TIDINGS_CSQLITE_SHIM_H
#define TIDINGS_CSQLITE_SHIM_H

#include <sqlite3.h>

/* Whether closing the last connection leaves the log beside the database file; sqlite3_db_config is
   variadic, which Swift cannot call. */
static inline void tidings_sqlite_keep_log(sqlite3 *connection, int keep) {
  (void)sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep, (int *)0);
}

#endif
