// The files that rpcgw serves: the JavaScript client, and the pages of the dashboard.
#ifndef TIDINGS_WEB_FILES_H
#define TIDINGS_WEB_FILES_H

#include <stddef.h>

typedef struct {
  // The path below Sources/TidingsGateway/Web, with a zero byte at the end.
  const char *name;
  const unsigned char *bytes;
  size_t count;
} tidings_web_file;

const tidings_web_file *tidings_web_files_first(void);
extern const size_t tidings_web_file_count;

#endif
