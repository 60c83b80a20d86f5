/* A VFS for SQLite between its own and the files of a store: no damage passes for truth, and nothing
   is written after a sync that failed.

   Pages. A database file whose pages have 8 reserved bytes holds in them a checksum of the rest of
   the page, in the format of SQLite's own cksumvfs. It is made when a page is written, and compared
   when it is read; a page that differs is the error SQLITE_IOERR_DATA.

   The log. SQLite compares the checksums of frames only when it opens a log that a crash left. Here
   the checksum of each frame is remembered as it is written, and compared when it is read, so that a
   checkpoint does not give damage in the log a fresh checksum in the database file.

   Its index grows before frames are written for which it has no room: a full disk refuses a transaction while it is
   certain that it is not kept.

   Syncs. After a failed sync the system may have dropped what was to be written and says of the next
   sync that it succeeded. So from a failed sync on nothing is written any more in this process. */
#ifndef TIDINGS_STORE_VFS_H
#define TIDINGS_STORE_VFS_H

#include <stdint.h>

/* Bytes at the end of each page that hold its checksum. */
#define TIDINGS_PAGE_CHECKSUM_BYTES 8

/* The name to open connections with, after tidings_vfs_register. */
extern const char *const tidings_vfs_name;

/* Makes the VFS known to SQLite; any number of times, from any thread. Returns an SQLite code. */
int tidings_vfs_register(void);

/* What the system said of the last call on a file that failed on this thread; 0: nothing. Says something only right after a call
   that failed. */
int tidings_vfs_refusal(void);

/* Whether a sync of a file failed in this process. */
int tidings_vfs_sync_failed(void);

/* Sets what is called, once, on the thread of the first sync that fails. `path` is valid for the
   call; `error` is an errno. */
void tidings_vfs_on_failed_sync(void (*call)(const char *path, int error));

/* How many pages and frames were read that differed from their checksums, in this process. */
uint64_t tidings_vfs_damage_count(void);

/* How long the syncs of databases and their logs took in this process, on all threads. */
#define TIDINGS_SYNC_BOUNDS 16
/* Upper bounds of the buckets, in nanoseconds. */
extern const uint64_t tidings_vfs_sync_bounds[TIDINGS_SYNC_BOUNDS];
/* Copies how many syncs there were in each bucket, TIDINGS_SYNC_BOUNDS + 1 numbers of which the last has no bound.
   Returns the nanoseconds of all of them. */
uint64_t tidings_vfs_sync_counts(uint64_t *counts);

/* What watches the writes of one database file, which does not become smaller meanwhile. */
typedef struct tidings_page_watch {
  /* Called before a page is overwritten, with the lock held that tidings_vfs_lock takes. Returns 0,
     or an SQLite code that the write fails with. */
  int (*before_write)(void *context, uint32_t page);
  void *context;
} tidings_page_watch;

/* The file behind a connection's sqlite3_file; NULL for a file of another VFS. */
typedef struct tidings_store tidings_store;
tidings_store *tidings_vfs_store(void *sqlite_file);

/* Locks the pages of a database file: none is written until it is unlocked. */
void tidings_vfs_lock(tidings_store *store);
void tidings_vfs_unlock(tidings_store *store);

/* Sets what watches the writes, or nothing for NULL. To be called with the lock held. Returns 0 if
   something else watches already. */
int tidings_vfs_watch(tidings_store *store, const tidings_page_watch *watch);

/* Reads bytes of the file behind a connection, checksums of whole pages compared. Returns an SQLite
   code. */
int tidings_vfs_read(void *sqlite_file, void *buffer, int count, int64_t offset);

/* Writes the checksum of a page into its last 8 bytes. */
void tidings_page_seal(uint8_t *page, int bytes);

/* Whether a page has the checksum that its last 8 bytes say. */
int tidings_page_is_sound(const uint8_t *page, int bytes);

#endif
