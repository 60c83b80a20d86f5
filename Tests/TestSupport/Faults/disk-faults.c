/* Fails calls on files as a failing disk would. Loaded into rpcd with LD_PRELOAD by `DiskFaults`.

   TIDINGS_DISK_FAULTS names the control file, one rule a line, replaced by rename:

       NUMBER CALL AFTER COUNT ERRNO TEXT

   Of the calls named CALL (`sync`, `write`, `read`, `truncate`, `rename`) on paths that contain
   TEXT (that end in it, when its last character is `$`) the first AFTER succeed, the next COUNT
   (0: all) fail with ERRNO (0: none fails, all are logged). A rule keeps its counter while its
   NUMBER is there.
   Each call that failed, or was logged, is a line in the file `<control file>.log`. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { rules_max = 32, text_max = 512 };

struct rule {
  long number, after, count, code, seen;
  char call[16], text[text_max];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rule rules[rules_max];
static int rules_count;
static struct stat version;

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
  char name[4096], line[4096 + 64];
  snprintf(name, sizeof name, "%s.log", control);
  int length = snprintf(line, sizeof line, "%s %ld %s\n", call, code, path);
  int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC;
  int file = (int)syscall(SYS_openat, AT_FDCWD, name, flags, 0600);
  if (file < 0) return;
  syscall(SYS_write, file, line, (size_t)length);
  syscall(SYS_close, file);
}

/* The error that a call on a path fails with; 0: the call is made. */
static int fault(const char *call, const char *path) {
  const char *control = getenv("TIDINGS_DISK_FAULTS");
  if (!control) return 0;
  long code = 0;
  pthread_mutex_lock(&lock);
  read_rules(control);
  for (int index = 0; index < rules_count && code == 0; index++) {
    struct rule *rule = &rules[index];
    if (!applies(rule, call, path)) continue;
    rule->seen++;
    if (rule->code == 0)
      write_log(control, call, path, 0);
    else if (rule->seen > rule->after &&
             (rule->count == 0 || rule->seen <= rule->after + rule->count))
      code = rule->code;
  }
  if (code != 0) write_log(control, call, path, code);
  pthread_mutex_unlock(&lock);
  return (int)code;
}

static int fault_of(const char *call, int file) {
  int before = errno;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  int code = 0;
  if (length > 0 && path[0] == '/') {
    path[length] = 0;
    code = fault(call, path);
  }
  errno = code == 0 ? before : code;
  return code;
}

static void *real(void **kept, const char *name) {
  void *known = __atomic_load_n(kept, __ATOMIC_RELAXED);
  if (!known) {
    known = dlsym(RTLD_NEXT, name);
    __atomic_store_n(kept, known, __ATOMIC_RELAXED);
  }
  return known;
}

/* One function of the C library: fails by rule, or is the real one. */
#define INTERPOSE(CALL, RESULT, NAME, PARAMETERS, ARGUMENTS)                       \
  RESULT NAME PARAMETERS {                                                         \
    static void *kept;                                                             \
    if (fault_of(CALL, file) != 0) return -1;                                      \
    return ((RESULT(*) PARAMETERS)real(&kept, #NAME))ARGUMENTS;                    \
  }

INTERPOSE("sync", int, fsync, (int file), (file))
INTERPOSE("sync", int, fdatasync, (int file), (file))
INTERPOSE("write", ssize_t, write, (int file, const void *bytes, size_t count),
          (file, bytes, count))
INTERPOSE("write", ssize_t, pwrite, (int file, const void *bytes, size_t count, off_t offset),
          (file, bytes, count, offset))
INTERPOSE("write", ssize_t, pwrite64, (int file, const void *bytes, size_t count, off64_t offset),
          (file, bytes, count, offset))
INTERPOSE("write", ssize_t, writev, (int file, const struct iovec *parts, int count),
          (file, parts, count))
INTERPOSE("read", ssize_t, read, (int file, void *bytes, size_t count), (file, bytes, count))
INTERPOSE("read", ssize_t, pread, (int file, void *bytes, size_t count, off_t offset),
          (file, bytes, count, offset))
INTERPOSE("read", ssize_t, pread64, (int file, void *bytes, size_t count, off64_t offset),
          (file, bytes, count, offset))
INTERPOSE("truncate", int, ftruncate, (int file, off_t length), (file, length))
INTERPOSE("truncate", int, ftruncate64, (int file, off64_t length), (file, length))

int rename(const char *from, const char *to) {
  static void *kept;
  int code = fault("rename", to);
  if (code != 0) {
    errno = code;
    return -1;
  }
  return ((int (*)(const char *, const char *))real(&kept, "rename"))(from, to);
}
