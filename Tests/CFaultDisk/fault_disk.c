/* Loaded into rpcd with LD_PRELOAD by `DiskFaults`, or linked with a program; see fault_disk.h.

   TIDINGS_DISK_FAULTS names the control file, one rule a line, replaced by rename:

       NUMBER CALL AFTER COUNT ERRNO TEXT

   A rule keeps its counter while its NUMBER is there. Each call that failed, or was logged, is a line in the file
   `<control file>.log`. TIDINGS_DISK_JOURNAL names the journal, TIDINGS_DISK_ROOT the folder that it is of. */

#define _GNU_SOURCE
#include "fault_disk.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { rules_max = 32, text_max = 512, path_max = 4096, files_max = 65536 };

struct rule {
  long number, after, count, code, seen;
  char call[16], text[text_max];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rule rules[rules_max];
static int rules_count;
static long hits;
static int rests;
static struct stat version;
/* The control file; NULL: rules are set by calls. */
static const char *control;

/* The journal's file; -1: none. */
static int journal = -1;
static char root[path_max];
static size_t root_length;
/* The inode of each open file below the root; 0: another file. */
static uint64_t inodes[files_max];

/* MARK: Rules */

static void read_rules(const char *path) {
  struct stat now;
  if (stat(path, &now) != 0) return;
  if (now.st_ino == version.st_ino && now.st_mtim.tv_nsec == version.st_mtim.tv_nsec &&
      now.st_mtim.tv_sec == version.st_mtim.tv_sec && now.st_size == version.st_size)
    return;
  version = now;
  static char content[rules_max * text_max];
  int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  long length = syscall(SYS_read, file, content, sizeof content - 1);
  syscall(SYS_close, file);
  content[length < 0 ? 0 : length] = 0;

  static struct rule old[rules_max];
  int old_count = rules_count;
  memcpy(old, rules, sizeof old);
  rules_count = 0;
  char *rest = NULL;
  for (char *line = strtok_r(content, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    struct rule rule = {0};
    if (rules_count == rules_max) break;
    if (sscanf(line, "%ld %15s %ld %ld %ld %511[^\n]", &rule.number, rule.call, &rule.after,
               &rule.count, &rule.code, rule.text) != 6)
      continue;
    for (int index = 0; index < old_count; index++)
      if (old[index].number == rule.number) rule.seen = old[index].seen;
    rules[rules_count++] = rule;
  }
}

static int applies(const struct rule *rule, const char *call, const char *path) {
  if (strcmp(rule->call, call) != 0) return 0;
  size_t length = strlen(rule->text), path_length = strlen(path);
  if (length > 0 && rule->text[length - 1] == '$')
    return path_length >= length - 1 &&
           memcmp(path + path_length - (length - 1), rule->text, length - 1) == 0;
  return strstr(path, rule->text) != NULL;
}

static void write_log(const char *control, const char *call, const char *path, long code) {
  char name[path_max + 8], line[path_max + 64];
  snprintf(name, sizeof name, "%s.log", control);
  int length = snprintf(line, sizeof line, "%s %ld %s\n", call, code, path);
  int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC;
  int file = (int)syscall(SYS_openat, AT_FDCWD, name, flags, 0600);
  if (file < 0) return;
  syscall(SYS_write, file, line, (size_t)length);
  syscall(SYS_close, file);
}

/* The code of the rule that applies to a call on a path; 0: the call is made. */
static long fault(const char *call, const char *path) {
  long code = 0;
  pthread_mutex_lock(&lock);
  if (control) read_rules(control);
  for (int index = 0; index < rules_count && code == 0; index++) {
    struct rule *rule = &rules[index];
    if (!applies(rule, call, path)) continue;
    rule->seen++;
    if (rule->code == 0) {
      if (control) write_log(control, call, path, 0);
    } else if (rule->seen > rule->after &&
               (rule->count == 0 || rule->seen <= rule->after + rule->count)) {
      code = rule->code;
    }
  }
  if (code != 0) {
    hits++;
    if (control) write_log(control, call, path, code);
  }
  pthread_mutex_unlock(&lock);
  return code;
}

static int has_rules(void) { return !rests && (control != NULL || rules_count > 0); }

/* The path of an open file, of at most `path_max` bytes; 0: it has none. */
static int path_of(int file, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, path_max - 1);
  if (length <= 0 || path[0] != '/') return 0;
  path[length] = 0;
  return 1;
}

static long fault_of(const char *call, int file) {
  if (!has_rules()) return 0;
  int before = errno;
  char path[path_max];
  const long code = path_of(file, path) ? fault(call, path) : 0;
  errno = before;
  return code;
}

/* Whether a call on an open file fails; errno is set then. */
static int fails(const char *call, int file) {
  long code = fault_of(call, file);
  if (code != 0) errno = (int)code;
  return code != 0;
}

static int path_fails(const char *call, const char *path) {
  if (!has_rules()) return 0;
  long code = fault(call, path);
  if (code != 0) errno = (int)code;
  return code != 0;
}

static void delay(int file) {
  long microseconds = fault_of("delay", file);
  if (microseconds <= 0) return;
  struct timespec rest = {microseconds / 1000000, microseconds % 1000000 * 1000};
  while (nanosleep(&rest, &rest) != 0) {}
}

/* Whether a rule holds such calls on a path up; unlike `fault`, it counts and logs nothing. */
static int is_held(const char *call, const char *path) {
  pthread_mutex_lock(&lock);
  if (control) read_rules(control);
  int found = 0;
  for (int index = 0; index < rules_count; index++) found |= applies(&rules[index], call, path);
  pthread_mutex_unlock(&lock);
  return found;
}

/* Waits as long as there is such a rule, "holdsync" or "holdwrite". */
static void hold(const char *call, int file) {
  if (!has_rules()) return;
  const int before = errno;
  char path[path_max];
  if (path_of(file, path) && fault(call, path) != 0) {
    const struct timespec moment = {0, 1000000};
    while (is_held(call, path)) nanosleep(&moment, NULL);
  }
  errno = before;
}

/* MARK: The journal */

static int is_recorded(const char *path) {
  return journal >= 0 && strncmp(path, root, root_length) == 0 &&
         (path[root_length] == '/' || path[root_length] == 0);
}

static uint64_t inode_of(int file) {
  return journal >= 0 && file >= 0 && file < files_max ? inodes[file] : 0;
}

/* With the lock held. */
static void record(int kind, uint64_t ino, int64_t number, const char *path, const void *bytes,
                   size_t count) {
  int before = errno;
  fault_disk_entry entry = {
    .kind = (uint32_t)kind,
    .path_bytes = path ? (uint32_t)strlen(path) : 0,
    .bytes = (uint32_t)count,
    .ino = ino,
    .number = number,
  };
  struct iovec parts[3] = {
    {&entry, sizeof entry}, {(void *)path, entry.path_bytes}, {(void *)bytes, count}};
  if (journal >= 0) syscall(SYS_writev, journal, parts, 3);
  errno = before;
}

/* Around a call that changes an open file: entries are in the order of what happened. */
#define RECORDED(FILE)                                 \
  const uint64_t ino = inode_of(FILE);                 \
  const int is_locked = ino != 0;                      \
  if (is_locked) pthread_mutex_lock(&lock)

__attribute__((constructor)) static void start(void) {
  control = getenv("TIDINGS_DISK_FAULTS");
  const char *path = getenv("TIDINGS_DISK_JOURNAL"), *folder = getenv("TIDINGS_DISK_ROOT");
  if (path && folder) fault_disk_record(path, folder);
}

void fault_disk_record(const char *path, const char *folder) {
  pthread_mutex_lock(&lock);
  if (journal >= 0) syscall(SYS_close, journal);
  journal = -1;
  memset(inodes, 0, sizeof inodes);
  if (path) {
    root_length = strlen(folder);
    if (root_length < sizeof root) {
      memcpy(root, folder, root_length + 1);
      int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
      int file = (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0600);
      /* Out of the way of programs that close what they inherit, or count their descriptors. */
      journal = file < 0 ? -1 : fcntl(file, F_DUPFD_CLOEXEC, 1000);
      if (journal < 0) journal = file; else syscall(SYS_close, file);
    }
  }
  pthread_mutex_unlock(&lock);
}

void fault_disk_mark(int64_t number) {
  pthread_mutex_lock(&lock);
  record(FAULT_DISK_MARK, 0, number, NULL, NULL, 0);
  pthread_mutex_unlock(&lock);
}

void fault_disk_clear(void) {
  pthread_mutex_lock(&lock);
  rules_count = 0;
  hits = 0;
  pthread_mutex_unlock(&lock);
}

void fault_disk_pause(int pause) { rests = pause; }

int fault_disk_fail(const char *call, long after, long count, long code, const char *text) {
  pthread_mutex_lock(&lock);
  const int has_room = rules_count < rules_max;
  if (has_room) {
    struct rule *rule = &rules[rules_count++];
    *rule = (struct rule){.number = rules_count, .after = after, .count = count, .code = code};
    snprintf(rule->call, sizeof rule->call, "%s", call);
    snprintf(rule->text, sizeof rule->text, "%s", text);
  }
  pthread_mutex_unlock(&lock);
  return has_room;
}

long fault_disk_hits(void) {
  pthread_mutex_lock(&lock);
  const long count = hits;
  pthread_mutex_unlock(&lock);
  return count;
}

/* MARK: Open files */

static int opened(const char *path, int flags, mode_t mode) {
  if (path_fails("open", path)) return -1;
  if (!is_recorded(path)) {
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (file >= 0 && file < files_max) inodes[file] = 0;
    return file;
  }
  pthread_mutex_lock(&lock);
  struct stat status;
  const int was_there = syscall(SYS_newfstatat, AT_FDCWD, path, &status, 0) == 0;
  int file = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
  if (file >= 0 && file < files_max && fstat(file, &status) == 0) {
    inodes[file] = status.st_ino;
    int64_t how = (was_there ? 0 : 1) | (flags & O_TRUNC ? 2 : 0);
    if (S_ISDIR(status.st_mode)) how = 4;
    record(FAULT_DISK_OPENED, status.st_ino, how, path, NULL, 0);
  }
  pthread_mutex_unlock(&lock);
  return file;
}

static mode_t mode_of(int flags, va_list rest) {
  return flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;
}

#define OPEN(NAME)                               \
  int NAME(const char *path, int flags, ...) {   \
    va_list rest;                                \
    va_start(rest, flags);                       \
    const mode_t mode = mode_of(flags, rest);    \
    va_end(rest);                                \
    return opened(path, flags, mode);            \
  }

OPEN(open)
OPEN(open64)
int __open_2(const char *path, int flags) { return opened(path, flags, 0); }
int __open64_2(const char *path, int flags) { return opened(path, flags, 0); }

int close(int file) {
  if (file >= 0 && file < files_max) inodes[file] = 0;
  return (int)syscall(SYS_close, file);
}

/* MARK: Content */

static ssize_t written(int file, const void *bytes, size_t count, off_t offset, int is_placed) {
  hold("holdwrite", file);
  if (fails("write", file)) return -1;
  if (count > 1 && fault_of("short", file) != 0) count /= 2;
  RECORDED(file);
  if (is_locked && !is_placed) offset = lseek(file, 0, SEEK_CUR);
  ssize_t done = is_placed ? syscall(SYS_pwrite64, file, bytes, count, offset)
                           : syscall(SYS_write, file, bytes, count);
  if (is_locked) {
    if (done > 0) record(FAULT_DISK_WRITTEN, ino, offset, NULL, bytes, (size_t)done);
    pthread_mutex_unlock(&lock);
  }
  return done;
}

ssize_t write(int file, const void *bytes, size_t count) {
  return written(file, bytes, count, 0, 0);
}
ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  return written(file, bytes, count, offset, 1);
}
ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
  return written(file, bytes, count, offset, 1);
}
ssize_t writev(int file, const struct iovec *parts, int count) {
  hold("holdwrite", file);
  if (fails("write", file)) return -1;
  return syscall(SYS_writev, file, parts, count);
}

static uint64_t turn = 88172645463325252;

void fault_disk_seed_flips(uint64_t seed) { turn = seed | 1; }

static ssize_t flipped(int file, void *bytes, ssize_t count) {
  if (count > 0 && fault_of("flip", file) != 0) {
    turn ^= turn << 13, turn ^= turn >> 7, turn ^= turn << 17;
    ((uint8_t *)bytes)[turn % (uint64_t)count] ^= (uint8_t)(1 << (turn >> 60) % 8);
  }
  return count;
}

ssize_t read(int file, void *bytes, size_t count) {
  if (fails("read", file)) return -1;
  return flipped(file, bytes, syscall(SYS_read, file, bytes, count));
}
ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
  if (fails("read", file)) return -1;
  return flipped(file, bytes, syscall(SYS_pread64, file, bytes, count, offset));
}
ssize_t pread64(int file, void *bytes, size_t count, off64_t offset) {
  return pread(file, bytes, count, offset);
}

/* As a write: what it takes room for has none. */
int posix_fallocate(int file, off_t offset, off_t length) {
  const int before = errno;
  int code = fails("write", file) ? errno : 0;
  if (code == 0 && syscall(SYS_fallocate, file, 0, offset, length) != 0) code = errno;
  errno = before;
  return code;
}
int posix_fallocate64(int file, off64_t offset, off64_t length) {
  return posix_fallocate(file, offset, length);
}

int ftruncate(int file, off_t length) {
  if (fails("truncate", file)) return -1;
  RECORDED(file);
  const int code = (int)syscall(SYS_ftruncate, file, length);
  if (is_locked) {
    if (code == 0) record(FAULT_DISK_TRUNCATED, ino, length, NULL, NULL, 0);
    pthread_mutex_unlock(&lock);
  }
  return code;
}
int ftruncate64(int file, off64_t length) { return ftruncate(file, length); }

static int synced(int file, long call) {
  delay(file);
  hold("holdsync", file);
  const int has_failed = fails("sync", file), reason = errno;
  RECORDED(file);
  const int code = has_failed ? -1 : (int)syscall(call, file);
  if (is_locked) {
    record(FAULT_DISK_SYNCED, ino, has_failed ? reason : code == 0 ? 0 : errno, NULL, NULL, 0);
    pthread_mutex_unlock(&lock);
  }
  if (has_failed) errno = reason;
  return code;
}
int fsync(int file) { return synced(file, SYS_fsync); }
int fdatasync(int file) { return synced(file, SYS_fdatasync); }

/* MARK: Names */

/* One call that changes names, and its entry. */
#define NAMES(CALL, KIND, PATH, OTHER, MADE)                                              \
  do {                                                                                    \
    const char *other = OTHER;                                                            \
    if (path_fails(CALL, other ? other : (PATH))) return -1;                              \
    const int is_locked = is_recorded(PATH);                                              \
    if (is_locked) pthread_mutex_lock(&lock);                                             \
    const int code = (int)(MADE);                                                         \
    if (is_locked) {                                                                      \
      if (code == 0) record(KIND, 0, 0, PATH, other, other ? strlen(other) : 0);          \
      pthread_mutex_unlock(&lock);                                                        \
    }                                                                                     \
    return code;                                                                          \
  } while (0)

int rename(const char *from, const char *to) {
  NAMES("rename", FAULT_DISK_RENAMED, from, to,
        syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
int link(const char *from, const char *to) {
  NAMES("link", FAULT_DISK_LINKED, from, to,
        syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
}
int unlink(const char *path) {
  NAMES("unlink", FAULT_DISK_UNLINKED, path, NULL, syscall(SYS_unlinkat, AT_FDCWD, path, 0));
}
int mkdir(const char *path, mode_t mode) {
  NAMES("mkdir", FAULT_DISK_MADE, path, NULL, syscall(SYS_mkdirat, AT_FDCWD, path, mode));
}
int rmdir(const char *path) {
  NAMES("unlink", FAULT_DISK_REMOVED, path, NULL,
        syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR));
}

/* MARK: Answers */

/* What was acknowledged is what was sent: each sending to a socket is a mark. */
ssize_t send(int socket, const void *bytes, size_t count, int flags) {
  if (journal >= 0) fault_disk_mark((int64_t)count);
  return syscall(SYS_sendto, socket, bytes, count, flags, NULL, 0);
}
