#ifndef TIDINGS_CSQLITE_SHIM_H
#define TIDINGS_CSQLITE_SHIM_H

#include <sqlite3.h>

/* Whether closing the last connection leaves the log beside the database file; sqlite3_db_config is
   variadic, which Swift cannot call. */
static inline void tidings_sqlite_keep_log(sqlite3 *connection, int keep) {
  (void)sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep, (int *)0);
}

/* Swift does not import macros that are made of others. */
static const int tidings_sqlite_ioerr_data = SQLITE_IOERR_DATA;
static const int tidings_sqlite_ioerr_corruptfs = SQLITE_IOERR_CORRUPTFS;
static const int tidings_sqlite_ioerr_short_read = SQLITE_IOERR_SHORT_READ;
static const int tidings_sqlite_ioerr_fsync = SQLITE_IOERR_FSYNC;
static const int tidings_sqlite_ioerr_dir_fsync = SQLITE_IOERR_DIR_FSYNC;
static const int tidings_sqlite_ioerr_shmsize = SQLITE_IOERR_SHMSIZE;
static const int tidings_sqlite_ioerr_shmmap = SQLITE_IOERR_SHMMAP;
static const int tidings_sqlite_ioerr_nomem = SQLITE_IOERR_NOMEM;

#endif
