#include "store_vfs.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "log_frames.h"
#include "page_checksum.h"

const char *const tidings_vfs_name = "tidings";

/* What all connections of the process to one database file share. */
struct tidings_store {
  tidings_store *next;
  int references;
  char *path;
  /* Held while a page is written, or the index of the log grows. */
  pthread_mutex_t pages;
  /* The file of the index; -1: it did not grow yet. To close any descriptor of it would take the locks of all
     connections of the process. */
  int index;
  tidings_page_watch watch;
  int is_watched;
  atomic_int page_bytes;
  /* Pages end with a checksum; once they do, they always do. */
  atomic_int is_sealed;
  tidings_log log;
};

/* What is written into a log is gathered, so that a commit is few system calls: at most so much, since SQLite's own
   VFS writes so many bytes at once and no more. */
#define GATHERED_BYTES_MAX 0x1ffff

/* The index of a log, as SQLite's documentation of the WAL-index format has it: regions of so many bytes and frames. */
#define INDEX_REGION_BYTES 32768
#define INDEX_REGION_FRAMES 4096
#define INDEX_HEADER_FRAMES 34

typedef enum { KIND_OTHER, KIND_DATABASE, KIND_LOG } file_kind;

/* A file; that of the system's VFS follows it in memory. */
typedef struct store_file {
  sqlite3_file base;
  file_kind kind;
  tidings_store *store;
  char *path;
  /* Of a log: what was written and is not with the system yet. It is there before anybody looks: with the last
     frame of a transaction, and at the next read. */
  uint8_t *gathered;
  int ends_transaction;
  int gathered_bytes;
  sqlite3_int64 gathered_offset;
  /* Of a log: a sync of its folder succeeded since it was opened. */
  int has_durable_name;
  /* Of a log: the file of its connection's database. */
  sqlite3_file *database;
  /* Of a database: the index of its log is in memory that connections share. */
  int shares_index;
} store_file;

static pthread_mutex_t registry = PTHREAD_MUTEX_INITIALIZER;
static tidings_store *stores;
static int is_registered;

/* Set once, until the process ends. Not static, since a simulation of several lives in one process sets it back: nothing
   else may. */
atomic_int tidings_vfs_has_failed_sync;
static _Atomic(void (*)(const char *, int)) on_failed_sync;
static atomic_uint_fast64_t damage_count;

static sqlite3_vfs *system_vfs(sqlite3_vfs *vfs) { return vfs->pAppData; }
static store_file *of(sqlite3_file *file) { return (store_file *)file; }
static sqlite3_file *system_file(sqlite3_file *file) { return (sqlite3_file *)(of(file) + 1); }

/* What the system said of this thread's last call on a file that failed; 0: nothing. SQLite keeps it for some failures only,
   and errno is of a later call when somebody asks. What succeeds leaves it: SQLite reads more before somebody asks. */
static _Thread_local int refusal;

int tidings_vfs_refusal(void) { return refusal; }

/* Notes what the system said if a call failed for it, with errno as that call left it. */
static int noted(int code) {
  const int kind = code & 0xff;
  if (kind != SQLITE_IOERR && kind != SQLITE_CANTOPEN && kind != SQLITE_FULL) return code;
  if (code == SQLITE_IOERR_SHORT_READ) return code;
  /* SQLite tries to read what it cannot create, and then says that it is not there. */
  refusal = errno == ENOENT ? 0 : errno;
  return code;
}

/* A call that was not made, since a sync failed before. */
static int not_made(int code) {
  refusal = 0;
  return code;
}

/* SQLite has a code for a full disk, and none for a quota. */
static int system_write(sqlite3_file *file, const void *buffer, int count, sqlite3_int64 offset) {
  const int code = noted(system_file(file)->pMethods->xWrite(system_file(file), buffer, count, offset));
  return code == SQLITE_IOERR_WRITE && errno == EDQUOT ? SQLITE_FULL : code;
}

/* MARK: Failed syncs */

int tidings_vfs_sync_failed(void) { return atomic_load(&tidings_vfs_has_failed_sync); }

void tidings_vfs_on_failed_sync(void (*call)(const char *, int)) {
  atomic_store(&on_failed_sync, call);
}

static void note_failed_sync(const char *path, int error) {
  if (atomic_exchange(&tidings_vfs_has_failed_sync, 1)) return;
  void (*call)(const char *, int) = atomic_load(&on_failed_sync);
  if (call != NULL) call(path, error);
}

/* MARK: Stores */

static tidings_store *retain_store(const char *path) {
  pthread_mutex_lock(&registry);
  tidings_store *store = stores;
  while (store != NULL && strcmp(store->path, path) != 0) store = store->next;
  if (store == NULL) {
    store = calloc(1, sizeof *store);
    char *copy = strdup(path);
    if (store == NULL || copy == NULL) {
      free(store);
      free(copy);
      pthread_mutex_unlock(&registry);
      return NULL;
    }
    store->path = copy;
    store->index = -1;
    pthread_mutex_init(&store->pages, NULL);
    tidings_log_init(&store->log);
    store->next = stores;
    stores = store;
  }
  store->references += 1;
  pthread_mutex_unlock(&registry);
  return store;
}

static void release_store(tidings_store *store) {
  if (store == NULL) return;
  pthread_mutex_lock(&registry);
  store->references -= 1;
  if (store->references == 0) {
    tidings_store **link = &stores;
    while (*link != store) link = &(*link)->next;
    *link = store->next;
    tidings_log_free(&store->log);
    if (store->index >= 0) close(store->index);
    pthread_mutex_destroy(&store->pages);
    free(store->path);
    free(store);
  }
  pthread_mutex_unlock(&registry);
}

/* Learns from the first bytes of a database how large its pages are, and whether they are sealed. */
static void note_header(tidings_store *store, const uint8_t *bytes, int count) {
  if (count < 100 || memcmp(bytes, "SQLite format 3", 16) != 0) return;
  const int size = bytes[16] << 8 | bytes[17];
  atomic_store(&store->page_bytes, size == 1 ? 65536 : size);
  if (bytes[20] == TIDINGS_PAGE_CHECKSUM_BYTES) atomic_store(&store->is_sealed, 1);
}

static int is_whole_page(tidings_store *store, int count, sqlite3_int64 offset) {
  return count == atomic_load_explicit(&store->page_bytes, memory_order_relaxed)
         && offset % count == 0
         && atomic_load_explicit(&store->is_sealed, memory_order_relaxed);
}

static int damaged(void) {
  atomic_fetch_add(&damage_count, 1);
  return SQLITE_IOERR_DATA;
}

uint64_t tidings_vfs_damage_count(void) { return atomic_load(&damage_count); }

/* MARK: Methods of files */

/* Hands what was gathered to the system. What cannot be written now is not tried again: its transaction fails. */
static int write_gathered(sqlite3_file *file) {
  store_file *log = of(file);
  const int count = log->gathered_bytes;
  if (count == 0) return SQLITE_OK;
  log->gathered_bytes = 0;
  return system_write(file, log->gathered, count, log->gathered_offset);
}

static int gather(sqlite3_file *file, const void *buffer, int count, sqlite3_int64 offset) {
  store_file *log = of(file);
  if (log->gathered == NULL) log->gathered = malloc(GATHERED_BYTES_MAX);
  const int follows = offset == log->gathered_offset + log->gathered_bytes;
  if (!follows || count > GATHERED_BYTES_MAX - log->gathered_bytes || log->gathered == NULL) {
    const int code = write_gathered(file);
    if (code != SQLITE_OK) return code;
  }
  if (log->gathered == NULL || count > GATHERED_BYTES_MAX) {
    return system_write(file, buffer, count, offset);
  }
  if (log->gathered_bytes == 0) log->gathered_offset = offset;
  memcpy(log->gathered + log->gathered_bytes, buffer, (size_t)count);
  log->gathered_bytes += count;
  if (count == TIDINGS_FRAME_HEADER_BYTES) {
    /* The last frame of a transaction has the size of the database after it. */
    const uint8_t *header = buffer;
    log->ends_transaction = (header[4] | header[5] | header[6] | header[7]) != 0;
    return SQLITE_OK;
  }
  return log->ends_transaction ? write_gathered(file) : SQLITE_OK;
}

static int file_close(sqlite3_file *file) {
  sqlite3_file *under = system_file(file);
  /* Without a sync it was committed by nobody. */
  const int written = under->pMethods != NULL ? write_gathered(file) : SQLITE_OK;
  const int closed = under->pMethods != NULL ? under->pMethods->xClose(under) : SQLITE_OK;
  const int code = written != SQLITE_OK ? written : closed;
  free(of(file)->gathered);
  release_store(of(file)->store);
  free(of(file)->path);
  return code;
}

static int file_read(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset) {
  sqlite3_file *under = system_file(file);
  int code = write_gathered(file);
  if (code == SQLITE_OK) code = noted(under->pMethods->xRead(under, buffer, count, offset));
  tidings_store *store = of(file)->store;
  if (code != SQLITE_OK || store == NULL) return code;
  if (of(file)->kind == KIND_DATABASE) {
    if (offset == 0) note_header(store, buffer, count);
    if (is_whole_page(store, count, offset) && !tidings_page_is_sound(buffer, count)) {
      return damaged();
    }
  } else if (of(file)->kind == KIND_LOG) {
    /* SQLite reads the header and whole frames when it recovers a log, and compares itself. */
    if (offset == 0 || count == tidings_log_frame_bytes(&store->log)) {
      tidings_log_note(&store->log, buffer, count, offset);
    } else if (!tidings_log_is_sound(&store->log, buffer, count, offset)) {
      return damaged();
    }
  }
  return code;
}

static int write_page(sqlite3_file *file, const void *buffer, int count, sqlite3_int64 offset) {
  tidings_store *store = of(file)->store;
  if (offset == 0) note_header(store, buffer, count);
  /* The buffer is SQLite's own, and its last bytes are reserved for this. */
  if (is_whole_page(store, count, offset)) tidings_page_seal((uint8_t *)buffer, count);
  pthread_mutex_lock(&store->pages);
  int code = SQLITE_OK;
  if (store->is_watched) {
    const int page_bytes = atomic_load(&store->page_bytes);
    const sqlite3_int64 page = page_bytes > 0 ? offset / page_bytes + 1 : 1;
    code = store->watch.before_write(store->watch.context, (uint32_t)page);
  }
  if (code == SQLITE_OK) code = system_write(file, buffer, count, offset);
  pthread_mutex_unlock(&store->pages);
  return code;
}

static int shm_map(sqlite3_file *file, int region, int size, int extend, void volatile **memory);

/* SQLite enters the frames of a transaction in the index of the log when they are synced. If the index could not grow
   then, nobody would know whether the transaction is kept: it grows before the first frame of a region is written. */
static int grow_index(store_file *log, sqlite3_int64 offset) {
  const int64_t frame_bytes = tidings_log_frame_bytes(&log->store->log);
  if (frame_bytes == 0 || log->database == NULL || !of(log->database)->shares_index) return SQLITE_OK;
  /* A region has room for so many frames, the first one for fewer, since it begins with a header. */
  const int64_t position = (offset - TIDINGS_LOG_HEADER_BYTES) / frame_bytes + INDEX_HEADER_FRAMES;
  if (position % INDEX_REGION_FRAMES != 0) return SQLITE_OK;
  void volatile *memory = NULL;
  const int code =
    shm_map(log->database, (int)(position / INDEX_REGION_FRAMES), INDEX_REGION_BYTES, 1, &memory);
  if (code != SQLITE_IOERR_SHMSIZE && code != SQLITE_IOERR_SHMMAP) return code;
  return refusal == ENOSPC || refusal == EDQUOT ? SQLITE_FULL : SQLITE_IOERR_WRITE;
}

static int file_write(sqlite3_file *file, const void *buffer, int count, sqlite3_int64 offset) {
  if (atomic_load(&tidings_vfs_has_failed_sync)) return not_made(SQLITE_IOERR_WRITE);
  tidings_store *store = of(file)->store;
  if (store != NULL && of(file)->kind == KIND_DATABASE) {
    return write_page(file, buffer, count, offset);
  }
  if (store == NULL || of(file)->kind != KIND_LOG) {
    return system_write(file, buffer, count, offset);
  }
  int code = count == TIDINGS_FRAME_HEADER_BYTES ? grow_index(of(file), offset) : SQLITE_OK;
  if (code == SQLITE_OK) code = gather(file, buffer, count, offset);
  if (code == SQLITE_OK) tidings_log_note(&store->log, buffer, count, offset);
  return code;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
  if (atomic_load(&tidings_vfs_has_failed_sync)) return not_made(SQLITE_IOERR_TRUNCATE);
  const int written = write_gathered(file);
  if (written != SQLITE_OK) return written;
  sqlite3_file *under = system_file(file);
  tidings_store *store = of(file)->store;
  if (store == NULL || of(file)->kind != KIND_DATABASE) return noted(under->pMethods->xTruncate(under, size));
  /* Whoever watches still reads the pages at the end; they are cut off when the log is moved the next time. */
  pthread_mutex_lock(&store->pages);
  const int code = store->is_watched ? SQLITE_OK : noted(under->pMethods->xTruncate(under, size));
  pthread_mutex_unlock(&store->pages);
  return code;
}

/* MARK: How long syncs take */

const uint64_t tidings_vfs_sync_bounds[TIDINGS_SYNC_BOUNDS] = {
  50000, 100000, 250000, 500000, 1000000, 2500000, 5000000, 10000000, 25000000,
  50000000, 100000000, 250000000, 500000000, 1000000000, 2500000000, 10000000000};

static atomic_uint_fast64_t sync_counts[TIDINGS_SYNC_BOUNDS + 1];
static atomic_uint_fast64_t sync_nanoseconds;

static uint64_t now_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void note_sync(uint64_t duration) {
  int bucket = 0;
  while (bucket < TIDINGS_SYNC_BOUNDS && tidings_vfs_sync_bounds[bucket] < duration) bucket++;
  atomic_fetch_add_explicit(&sync_counts[bucket], 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&sync_nanoseconds, duration, memory_order_relaxed);
}

uint64_t tidings_vfs_sync_counts(uint64_t *counts) {
  for (int bucket = 0; bucket <= TIDINGS_SYNC_BOUNDS; bucket++)
    counts[bucket] = atomic_load_explicit(&sync_counts[bucket], memory_order_relaxed);
  return atomic_load_explicit(&sync_nanoseconds, memory_order_relaxed);
}

/* Waits until the name of a file is on the disk; returns an errno. */
static int sync_folder(const char *path) {
  char *folder = strdup(path);
  if (folder == NULL) return ENOMEM;
  char *slash = strrchr(folder, '/');
  if (slash == folder) slash += 1;
  if (slash != NULL) *slash = 0;
  const int descriptor = open(slash == NULL ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  free(folder);
  if (descriptor < 0) return errno;
  const int error = fsync(descriptor) == 0 ? 0 : errno;
  close(descriptor);
  return error;
}

static int file_sync(sqlite3_file *file, int flags) {
  if (atomic_load(&tidings_vfs_has_failed_sync)) return not_made(SQLITE_IOERR_FSYNC);
  const int written = write_gathered(file);
  if (written != SQLITE_OK) return written;
  /* SQLite does so too after the first sync of a log, and ignores that it failed. */
  if (of(file)->kind == KIND_LOG && !of(file)->has_durable_name) {
    const int error = sync_folder(of(file)->path);
    if (error != 0) {
      refusal = error;
      note_failed_sync(of(file)->path, error);
      return SQLITE_IOERR_DIR_FSYNC;
    }
    of(file)->has_durable_name = 1;
  }
  const uint64_t begin = now_nanoseconds();
  const int code = system_file(file)->pMethods->xSync(system_file(file), flags);
  const int error = errno;
  note_sync(now_nanoseconds() - begin);
  if (code != SQLITE_OK) {
    refusal = error;
    note_failed_sync(of(file)->path, error);
  }
  return code;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  const int written = write_gathered(file);
  if (written != SQLITE_OK) return written;
  return noted(system_file(file)->pMethods->xFileSize(system_file(file), size));
}

static int file_lock(sqlite3_file *file, int level) {
  return noted(system_file(file)->pMethods->xLock(system_file(file), level));
}

static int file_unlock(sqlite3_file *file, int level) {
  return system_file(file)->pMethods->xUnlock(system_file(file), level);
}

static int file_check_lock(sqlite3_file *file, int *is_locked) {
  return system_file(file)->pMethods->xCheckReservedLock(system_file(file), is_locked);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
  return system_file(file)->pMethods->xFileControl(system_file(file), operation, argument);
}

static int file_sector_size(sqlite3_file *file) {
  return system_file(file)->pMethods->xSectorSize(system_file(file));
}

static int file_characteristics(sqlite3_file *file) {
  return system_file(file)->pMethods->xDeviceCharacteristics(system_file(file));
}

/* Takes room on the disk for the index of a log up to a size. Returns an errno.

   SQLite writes one byte for every 4096, which takes less where the blocks of the file system are smaller: what has no
   block when it is written in memory ends the process. */
static int allocate_index(tidings_store *store, off_t size) {
  pthread_mutex_lock(&store->pages);
  if (store->index < 0) {
    char *path = sqlite3_mprintf("%s-shm", store->path);
    if (path != NULL) store->index = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    sqlite3_free(path);
  }
  const int error = store->index < 0 ? 0 : posix_fallocate(store->index, 0, size);
  pthread_mutex_unlock(&store->pages);
  /* Where there is no such call, SQLite does what it can. */
  return error == ENOSPC || error == EDQUOT || error == EIO ? error : 0;
}

static int shm_map(sqlite3_file *file, int region, int size, int extend, void volatile **memory) {
  of(file)->shares_index = 1;
  sqlite3_file *under = system_file(file);
  /* This makes the file, and does not extend it. */
  int code = noted(under->pMethods->xShmMap(under, region, size, 0, memory));
  if (code == SQLITE_OK && extend && *memory == NULL) {
    const int error = allocate_index(of(file)->store, (off_t)(region + 1) * size);
    if (error != 0) {
      refusal = error;
      return SQLITE_IOERR_SHMSIZE;
    }
    code = noted(under->pMethods->xShmMap(under, region, size, extend, memory));
  }
  /* As for files: no memory that cannot be written. */
  return code == SQLITE_READONLY ? SQLITE_IOERR_SHMOPEN : code;
}

static int shm_lock(sqlite3_file *file, int offset, int count, int flags) {
  return system_file(file)->pMethods->xShmLock(system_file(file), offset, count, flags);
}

static void shm_barrier(sqlite3_file *file) {
  system_file(file)->pMethods->xShmBarrier(system_file(file));
}

static int shm_unmap(sqlite3_file *file, int deletes) {
  const int code = system_file(file)->pMethods->xShmUnmap(system_file(file), deletes);
  tidings_store *store = of(file)->store;
  if (!deletes || store == NULL) return code;
  /* This was the last connection, so nobody has locks; the next one makes another file. */
  pthread_mutex_lock(&store->pages);
  if (store->index >= 0) close(store->index);
  store->index = -1;
  pthread_mutex_unlock(&store->pages);
  return code;
}

/* Version 2: without memory-mapped reads, whose pages nothing could compare. */
static const sqlite3_io_methods methods = {
  .iVersion = 2,
  .xClose = file_close,
  .xRead = file_read,
  .xWrite = file_write,
  .xTruncate = file_truncate,
  .xSync = file_sync,
  .xFileSize = file_size,
  .xLock = file_lock,
  .xUnlock = file_unlock,
  .xCheckReservedLock = file_check_lock,
  .xFileControl = file_control,
  .xSectorSize = file_sector_size,
  .xDeviceCharacteristics = file_characteristics,
  .xShmMap = shm_map,
  .xShmLock = shm_lock,
  .xShmBarrier = shm_barrier,
  .xShmUnmap = shm_unmap,
};

/* MARK: Methods of the VFS */

static file_kind kind_of(int flags) {
  if (flags & SQLITE_OPEN_MAIN_DB) return KIND_DATABASE;
  return flags & SQLITE_OPEN_WAL ? KIND_LOG : KIND_OTHER;
}

static int vfs_open(
  sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *opened_flags
) {
  memset(file, 0, sizeof(store_file));
  sqlite3_file *under = system_file(file);
  memset(under, 0, (size_t)system_vfs(vfs)->szOsFile);
  const file_kind kind = path == NULL ? KIND_OTHER : kind_of(flags);
  of(file)->kind = kind;
  of(file)->path = strdup(path == NULL ? "a temporary file" : path);
  if (of(file)->path == NULL) return SQLITE_NOMEM;
  if (kind != KIND_OTHER) {
    of(file)->store = retain_store(kind == KIND_LOG ? sqlite3_filename_database(path) : path);
    if (of(file)->store == NULL) {
      free(of(file)->path);
      return SQLITE_NOMEM;
    }
  }
  if (kind == KIND_LOG) of(file)->database = sqlite3_database_file_object(path);
  int opened = 0;
  int code = noted(system_vfs(vfs)->xOpen(system_vfs(vfs), path, under, flags, &opened));
  /* SQLite's VFS reads what it cannot write now: the connection would refuse to write as long as it is there. */
  if (code == SQLITE_OK && flags & SQLITE_OPEN_READWRITE && opened & SQLITE_OPEN_READONLY) {
    under->pMethods->xClose(under);
    refusal = path == NULL || access(path, W_OK) == 0 ? 0 : errno;
    code = SQLITE_CANTOPEN;
  }
  if (opened_flags != NULL) *opened_flags = opened;
  if (code == SQLITE_OK) {
    file->pMethods = &methods;
  } else {
    /* Without methods SQLite does not close the file. */
    release_store(of(file)->store);
    free(of(file)->path);
  }
  return code;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int syncs_folder) {
  if (atomic_load(&tidings_vfs_has_failed_sync)) return not_made(SQLITE_IOERR_DELETE);
  const int code = noted(system_vfs(vfs)->xDelete(system_vfs(vfs), path, syncs_folder));
  if (code == SQLITE_IOERR_DIR_FSYNC) note_failed_sync(path, errno);
  return code;
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
  return system_vfs(vfs)->xAccess(system_vfs(vfs), path, flags, result);
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *path, int count, char *result) {
  return system_vfs(vfs)->xFullPathname(system_vfs(vfs), path, count, result);
}

static int vfs_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
  return system_vfs(vfs)->xRandomness(system_vfs(vfs), count, bytes);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
  return system_vfs(vfs)->xSleep(system_vfs(vfs), microseconds);
}

static int vfs_time(sqlite3_vfs *vfs, double *days) {
  return system_vfs(vfs)->xCurrentTime(system_vfs(vfs), days);
}

static int vfs_last_error(sqlite3_vfs *vfs, int count, char *text) {
  return system_vfs(vfs)->xGetLastError(system_vfs(vfs), count, text);
}

static int vfs_time_milliseconds(sqlite3_vfs *vfs, sqlite3_int64 *milliseconds) {
  return system_vfs(vfs)->xCurrentTimeInt64(system_vfs(vfs), milliseconds);
}

static sqlite3_vfs store_vfs = {
  .iVersion = 2,
  .zName = "tidings",
  .xOpen = vfs_open,
  .xDelete = vfs_delete,
  .xAccess = vfs_access,
  .xFullPathname = vfs_full_path,
  .xRandomness = vfs_randomness,
  .xSleep = vfs_sleep,
  .xCurrentTime = vfs_time,
  .xGetLastError = vfs_last_error,
  .xCurrentTimeInt64 = vfs_time_milliseconds,
};

int tidings_vfs_register(void) {
  pthread_mutex_lock(&registry);
  int code = SQLITE_OK;
  if (!is_registered) {
    /* Nobody asks how much memory SQLite has: without the count an allocation takes no lock. A process that has
       initialized SQLite before keeps it. */
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    code = sqlite3_initialize();
    sqlite3_vfs *found = code == SQLITE_OK ? sqlite3_vfs_find(NULL) : NULL;
    if (found == NULL) {
      code = code == SQLITE_OK ? SQLITE_ERROR : code;
    } else {
      store_vfs.pAppData = found;
      store_vfs.szOsFile = (int)sizeof(store_file) + found->szOsFile;
      store_vfs.mxPathname = found->mxPathname;
      code = sqlite3_vfs_register(&store_vfs, 0);
      is_registered = code == SQLITE_OK;
    }
  }
  pthread_mutex_unlock(&registry);
  return code;
}

/* MARK: Pages */

tidings_store *tidings_vfs_store(void *sqlite_file) {
  sqlite3_file *file = sqlite_file;
  return file != NULL && file->pMethods == &methods ? of(file)->store : NULL;
}

void tidings_vfs_lock(tidings_store *store) { pthread_mutex_lock(&store->pages); }
void tidings_vfs_unlock(tidings_store *store) { pthread_mutex_unlock(&store->pages); }

int tidings_vfs_watch(tidings_store *store, const tidings_page_watch *watch) {
  if (watch != NULL && store->is_watched) return 0;
  store->is_watched = watch != NULL;
  if (watch != NULL) store->watch = *watch;
  return 1;
}

int tidings_vfs_read(void *sqlite_file, void *buffer, int count, int64_t offset) {
  sqlite3_file *file = sqlite_file;
  return file->pMethods->xRead(file, buffer, count, offset);
}
