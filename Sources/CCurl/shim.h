// libcurl's types, and its functions as a table that is filled when the first address is opened: linked, it would bring
// 33 libraries and 5 ms to each start.
#ifndef SEGUE_CCURL_SHIM_H
#define SEGUE_CCURL_SHIM_H
#include <curl/curl.h>
#include <dlfcn.h>

#include "../CLibraries/libraries.h"
// These check their arguments where the compiler knows how to; here they would stand in the way of their own names.
#undef curl_easy_setopt
#undef curl_easy_getinfo

// An enum's value up to curl 8.13, a macro since: Swift imports them as different types.
static const long SEGUE_CURL_NETRC_OPTIONAL = CURL_NETRC_OPTIONAL;

#define SEGUE_CURL_FUNCTIONS(F)                                                                                        \
  F(easy_init) F(easy_cleanup) F(easy_strerror) F(easy_pause) F(multi_init) F(multi_cleanup) F(multi_add_handle)       \
  F(multi_remove_handle) F(multi_perform) F(multi_poll) F(multi_wakeup) F(multi_info_read) F(slist_append)             \
  F(slist_free_all)

#define SEGUE_FIELD(name) __typeof__(&curl_##name) _Nonnull name;
typedef struct {
  SEGUE_CURL_FUNCTIONS(SEGUE_FIELD)
  // With any number of arguments, which Swift cannot call.
  void *_Nonnull easy_setopt;
  void *_Nonnull easy_getinfo;
} segue_curl_functions;
#undef SEGUE_FIELD

// The functions, each under its name without `curl_`; null where the library is not installed or lacks one. To be
// called once, by the first thread that needs it: it also does what must be done before all else.
static inline const segue_curl_functions *_Nullable segue_curl_load(void) {
  static segue_curl_functions table;
  void *library = segue_library_open(SEGUE_CURL);
  if (!library) return 0;
#define SEGUE_FIND(name) if (!(table.name = (__typeof__(&curl_##name))dlsym(library, "curl_" #name))) return 0;
  SEGUE_CURL_FUNCTIONS(SEGUE_FIND)
#undef SEGUE_FIND
  if (!(table.easy_setopt = dlsym(library, "curl_easy_setopt"))) return 0;
  if (!(table.easy_getinfo = dlsym(library, "curl_easy_getinfo"))) return 0;
  __typeof__(&curl_global_init) initialize = (__typeof__(&curl_global_init))dlsym(library, "curl_global_init");
  return initialize && initialize(CURL_GLOBAL_DEFAULT) == CURLE_OK ? &table : 0;
}

typedef CURLcode (*segue_curl_setopt)(CURL *, CURLoption, ...);
typedef CURLcode (*segue_curl_getinfo)(CURL *, CURLINFO, ...);

static inline CURLcode segue_curl_set_long(
  const segue_curl_functions *_Nonnull curl, CURL *_Nonnull handle, CURLoption option, long value) {
  return ((segue_curl_setopt)curl->easy_setopt)(handle, option, value);
}

static inline CURLcode segue_curl_set_pointer(
  const segue_curl_functions *_Nonnull curl, CURL *_Nonnull handle, CURLoption option, void *_Nullable value) {
  return ((segue_curl_setopt)curl->easy_setopt)(handle, option, value);
}

static inline CURLcode segue_curl_set_text(
  const segue_curl_functions *_Nonnull curl, CURL *_Nonnull handle, CURLoption option, const char *_Nullable value) {
  return ((segue_curl_setopt)curl->easy_setopt)(handle, option, value);
}

// The library copies the bytes.
static inline CURLcode segue_curl_set_blob(
  const segue_curl_functions *_Nonnull curl, CURL *_Nonnull handle, CURLoption option, const void *_Nonnull bytes,
  size_t count) {
  struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
  return ((segue_curl_setopt)curl->easy_setopt)(handle, option, &blob);
}

// For CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION, which are of one shape.
static inline CURLcode segue_curl_set_callback(
  const segue_curl_functions *_Nonnull curl, CURL *_Nonnull handle, CURLoption option,
  curl_write_callback _Nonnull callback) {
  return ((segue_curl_setopt)curl->easy_setopt)(handle, option, callback);
}

static inline const char *_Nullable segue_curl_text(
  const segue_curl_functions *_Nonnull curl, CURL *_Nonnull handle, CURLINFO information) {
  const char *text = 0;
  return ((segue_curl_getinfo)curl->easy_getinfo)(handle, information, &text) == CURLE_OK ? text : 0;
}

// The list is the caller's.
static inline struct curl_slist *_Nullable segue_curl_list(
  const segue_curl_functions *_Nonnull curl, CURL *_Nonnull handle, CURLINFO information) {
  struct curl_slist *list = 0;
  return ((segue_curl_getinfo)curl->easy_getinfo)(handle, information, &list) == CURLE_OK ? list : 0;
}

// Lines about the first certificate of the server (CURLOPT_CERTINFO). The list is the handle's.
static inline const struct curl_slist *_Nullable segue_curl_certificate(
  const segue_curl_functions *_Nonnull curl, CURL *_Nonnull handle) {
  const struct curl_certinfo *all = 0;
  CURLcode code = ((segue_curl_getinfo)curl->easy_getinfo)(handle, CURLINFO_CERTINFO, &all);
  return code == CURLE_OK && all && all->num_of_certs > 0 ? all->certinfo[0] : 0;
}

// The result of a finished transfer (a member of a union, which Swift cannot read).
static inline CURLcode segue_curl_result(const CURLMsg *_Nonnull message) { return message->data.result; }

static const size_t SEGUE_CURL_WRITEFUNC_PAUSE = CURL_WRITEFUNC_PAUSE;
#endif
