#ifndef TIDINGS_CCURL_SHIM_H
#define TIDINGS_CCURL_SHIM_H

#include <curl/curl.h>

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

#endif
