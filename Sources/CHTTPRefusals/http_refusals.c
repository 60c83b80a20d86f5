#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "http_refusals.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>
#include <strings.h>

/* libmicrohttpd 0.9 calls these functions of its own by name, so it finds those of the program first. */

typedef enum MHD_Result (*answer_function)(struct MHD_Connection *, unsigned int, struct MHD_Response *);

enum MHD_Result tidings_mhd_answer(struct MHD_Connection *connection, unsigned int status,
                                   struct MHD_Response *response) {
  static _Atomic(answer_function) original;
  answer_function next = atomic_load_explicit(&original, memory_order_relaxed);
  if (!next) {
    next = (answer_function)dlsym(RTLD_NEXT, "MHD_queue_response");
    atomic_store_explicit(&original, next, memory_order_relaxed);
  }
  return next(connection, status, response);
}

static const char *reason(unsigned int status) {
  switch (status) {
  case MHD_HTTP_CONTENT_TOO_LARGE: return "the size of a chunk is too large\n";
  case MHD_HTTP_URI_TOO_LONG: return "the line of the request is too long\n";
  case MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE: return "the headers are too long\n";
  case MHD_HTTP_HTTP_VERSION_NOT_SUPPORTED: return "the version of HTTP is not known here: use HTTP/1.1\n";
  default: return "a line of the request, or before a chunk of its body, is not valid, or is too long\n";
  }
}

/* What libmicrohttpd refuses by itself. Its texts are pages of HTML that do not say so, and a line before a chunk that has
   no room in its buffer is a defect of the server to it. */
__attribute__((visibility("default"), used)) enum MHD_Result
MHD_queue_response(struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response) {
  if (status == MHD_HTTP_INTERNAL_SERVER_ERROR) status = MHD_HTTP_BAD_REQUEST;
  const char *text = reason(status);
  struct MHD_Response *plain =
      MHD_create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_PERSISTENT);
  if (!plain) return tidings_mhd_answer(connection, status, response);
  MHD_add_response_header(plain, MHD_HTTP_HEADER_CONTENT_TYPE, "text/plain; charset=utf-8");
  enum MHD_Result result = tidings_mhd_answer(connection, status, plain);
  MHD_destroy_response(plain);
  return result;
}

typedef enum MHD_Result (*lookup_function)(struct MHD_Connection *, enum MHD_ValueKind, const char *, size_t,
                                           const char **, size_t *);

static enum MHD_Result look_up(struct MHD_Connection *connection, enum MHD_ValueKind kind, const char *name,
                               size_t name_size, const char **value, size_t *size) {
  static _Atomic(lookup_function) original;
  lookup_function next = atomic_load_explicit(&original, memory_order_relaxed);
  if (!next) {
    next = (lookup_function)dlsym(RTLD_NEXT, "MHD_lookup_connection_value_n");
    atomic_store_explicit(&original, next, memory_order_relaxed);
  }
  return next(connection, kind, name, name_size, value, size);
}

static int is_name(const char *name, size_t size, const char *other) {
  return size == strlen(other) && strncasecmp(name, other, size) == 0;
}

/* Space behind a value is none of it. */
static size_t trimmed(const char *value, size_t size) {
  while (size > 0 && (value[size - 1] == ' ' || value[size - 1] == '\t')) size--;
  return size;
}

/* Whether libmicrohttpd can read it as a length. */
static int is_length(const char *value, size_t size) {
  for (size_t index = 0; index < size; index++) {
    if (value[index] < '0' || value[index] > '9') return 0;
  }
  return size > 0 && size < 19;
}

/* What libmicrohttpd looks up to find the end of a request. It would refuse a wrong length, or cookies that have no room, and
   then go on as if it had not, so that the head of the answer is sent twice: it finds none, and the program refuses them. */
__attribute__((visibility("default"), used)) enum MHD_Result
MHD_lookup_connection_value_n(struct MHD_Connection *connection, enum MHD_ValueKind kind, const char *name,
                              size_t name_size, const char **value, size_t *size) {
  if (kind != MHD_HEADER_KIND || !value) return look_up(connection, kind, name, name_size, value, size);
  if (is_name(name, name_size, MHD_HTTP_HEADER_COOKIE)) return MHD_NO;
  size_t found = 0;
  enum MHD_Result result = look_up(connection, kind, name, name_size, value, &found);
  if (result == MHD_NO || !*value) return result;
  size_t count = trimmed(*value, found);
  if (is_name(name, name_size, MHD_HTTP_HEADER_CONTENT_LENGTH) && !is_length(*value, count)) return MHD_NO;
  if (is_name(name, name_size, MHD_HTTP_HEADER_TRANSFER_ENCODING) && is_name(*value, count, "chunked")) {
    *value = "chunked";
    count = strlen(*value);
  }
  if (size) *size = count;
  return result;
}
