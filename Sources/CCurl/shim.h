#ifndef TIDINGS_CCURL_SHIM_H
#define TIDINGS_CCURL_SHIM_H

#include <curl/curl.h>
#include <netinet/in.h>
#include <sys/socket.h>

/* What is variadic in libcurl, for Swift. */

static inline CURLcode tidings_curl_set_number(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode tidings_curl_set_text(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode tidings_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

typedef size_t (*tidings_curl_receive)(char *, size_t, size_t, void *);
static inline CURLcode tidings_curl_set_receive(CURL *easy, CURLoption option, tidings_curl_receive function) {
  return curl_easy_setopt(easy, option, function);
}
typedef curl_socket_t (*tidings_curl_open)(void *, curlsocktype, struct curl_sockaddr *);
static inline CURLcode tidings_curl_set_open(CURL *easy, tidings_curl_open function) {
  return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, function);
}

static inline const char *tidings_curl_version(void) { return curl_version_info(CURLVERSION_NOW)->version; }

static inline long tidings_curl_status(CURL *easy) {
  long status = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

/* Seconds of the header Retry-After; 0: there was none. */
static inline long tidings_curl_retry_after(CURL *easy) {
  curl_off_t seconds = 0;
  curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &seconds);
  return (long)seconds;
}
static inline void *tidings_curl_context(CURL *easy) {
  char *context = NULL;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &context);
  return context;
}
static inline CURLMcode tidings_curl_multi_set(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}
/* The outcome of a message, which is in a union. */
static inline CURLcode tidings_curl_result(const CURLMsg *message) { return message->data.result; }

static inline const struct sockaddr *tidings_curl_address(const struct curl_sockaddr *address) { return &address->addr; }

#endif
