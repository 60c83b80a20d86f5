/* A disk that fails by rule, and that remembers what was synced: between a program and the C library.

   It replaces the library's functions for files, so that all that a program does with files passes, SQLite's own
   calls included, and no program carries any of it: a test loads it into rpcd before the other libraries (LD_PRELOAD),
   and tidings-faults is linked with it.

   Rules. Of the calls named `call` on paths that contain `text` (that end in it, when its last character is `$`) the
   first `after` are made, the next `count` (0: all) fail with `code`:

     sync write read truncate rename open link unlink mkdir    the errno; 0: none fails, all are logged
     delay                                                     syncs take so many microseconds more
     holdsync holdwrite                                        they wait until the rule is gone, and are made, or fail, then
     flip                                                      one bit of what is read is wrong
     short                                                     half of what is written is, without an error

   The journal. Each change of a file or folder below `root`, each sync of one, and each mark is an entry of a file: in
   the order in which they took effect. `DiskJournal` reads it. */
#ifndef TIDINGS_FAULT_DISK_H
#define TIDINGS_FAULT_DISK_H

#include <stddef.h>
#include <stdint.h>

/* What an entry of the journal is about. */
enum {
  FAULT_DISK_OPENED = 1,   /* path, ino; number 1: created, 2: emptied, 3: both, 4: a folder */
  FAULT_DISK_WRITTEN = 2,  /* ino, number: the offset; the bytes */
  FAULT_DISK_TRUNCATED = 3,/* ino, number: the size */
  FAULT_DISK_SYNCED = 4,   /* ino; number: the errno of a sync that failed */
  FAULT_DISK_RENAMED = 5,  /* path, the new path as bytes */
  FAULT_DISK_LINKED = 6,   /* path, the new path as bytes */
  FAULT_DISK_UNLINKED = 7, /* path */
  FAULT_DISK_MADE = 8,     /* path of a folder */
  FAULT_DISK_REMOVED = 9,  /* path of a folder */
  FAULT_DISK_MARK = 10,    /* number; of a process that is not ours, that something was sent */
};

/* The head of an entry; path and bytes follow. */
typedef struct fault_disk_entry {
  uint32_t kind;
  uint32_t path_bytes;
  uint32_t bytes;
  uint32_t reserved;
  uint64_t ino;
  int64_t number;
} fault_disk_entry;

/* Begins a journal in an empty file, for what is below a folder; NULL: ends it. */
void fault_disk_record(const char *journal, const char *root);

/* Adds a mark to the journal. */
void fault_disk_mark(int64_t number);

/* Replaces all rules by none. */
void fault_disk_clear(void);

/* Lets the rules rest, or apply again: what looks at the disk is not what is tested. */
void fault_disk_pause(int rests);

/* Adds a rule, whose counter begins at 0. Returns 0 if there are too many. */
int fault_disk_fail(const char *call, long after, long count, long code, const char *text);

/* Lets a process be as one that was started again: what it remembers of failed syncs is forgotten. Only for programs that
   are linked with CStoreVFS. */
void fault_disk_restart(void);

/* How many calls the rules let fail, or changed, since they were cleared. */
long fault_disk_hits(void);

/* Decides which bits are flipped from here on. */
void fault_disk_seed_flips(uint64_t seed);

/* What follows is for programs that are linked with libsodium and SQLite. */

/* Lets all that this process draws at random follow from a seed: libsodium's numbers, those of Swift's generator (the
   system's), SQLite's, and which bits are flipped. For one thread; who needs secrets must not call it. */
void fault_disk_seed(uint64_t seed);

/* Lets the time of day and the time since the system was started be so many milliseconds, until it is set again; 0: the
   system's. The monotonic clock goes on. */
void fault_disk_set_time(int64_t milliseconds);

/* Adds bytes to an FNV-1a hash. */
uint64_t fault_disk_hash(uint64_t hash, const void *bytes, size_t count);

#endif
