// The functions of libpcre2 that the player uses, declared here because the library is loaded for the first regular
// expression.
#ifndef SEGUE_CPCRE2_SHIM_H
#define SEGUE_CPCRE2_SHIM_H
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#include "../CLibraries/libraries.h"

static const uint32_t SEGUE_PCRE2_CASELESS = 0x00000008;
static const uint32_t SEGUE_PCRE2_NO_AUTO_CAPTURE = 0x00002000;
static const uint32_t SEGUE_PCRE2_UTF = 0x00080000;
static const uint32_t SEGUE_PCRE2_NEVER_BACKSLASH_C = 0x00100000;
static const uint32_t SEGUE_PCRE2_NO_UTF_CHECK = 0x40000000;
static const int SEGUE_PCRE2_ERROR_NOMATCH = -1;

typedef struct pcre2_real_code_8 *pcre2_code_t;
typedef struct pcre2_real_match_data_8 *pcre2_match_data_t;

typedef struct {
  pcre2_code_t _Nullable (*_Nonnull compile)(const char *_Nonnull pattern, size_t length, uint32_t options,
                                             int *_Nonnull error, size_t *_Nonnull offset, void *_Nullable context);
  void (*_Nonnull freeCode)(pcre2_code_t _Nullable code);
  pcre2_match_data_t _Nullable (*_Nonnull createData)(uint32_t count, void *_Nullable context);
  void (*_Nonnull freeData)(pcre2_match_data_t _Nullable data);
  int (*_Nonnull match)(pcre2_code_t _Nonnull code, const char *_Nonnull text, size_t length, size_t start,
                        uint32_t options, pcre2_match_data_t _Nonnull data, void *_Nullable context);
  int (*_Nonnull errorMessage)(int error, char *_Nonnull text, size_t size);
} pcre2_functions;

// The functions; null where the library is not installed. To be called once.
static inline const pcre2_functions *_Nullable segue_pcre2_load(void) {
  static pcre2_functions table;
  void *library = segue_library_open(SEGUE_PCRE2);
  if (!library) return 0;
  if (!(table.compile = (__typeof__(table.compile))dlsym(library, "pcre2_compile_8"))) return 0;
  if (!(table.freeCode = (__typeof__(table.freeCode))dlsym(library, "pcre2_code_free_8"))) return 0;
  if (!(table.createData = (__typeof__(table.createData))dlsym(library, "pcre2_match_data_create_8"))) return 0;
  if (!(table.freeData = (__typeof__(table.freeData))dlsym(library, "pcre2_match_data_free_8"))) return 0;
  if (!(table.match = (__typeof__(table.match))dlsym(library, "pcre2_match_8"))) return 0;
  if (!(table.errorMessage = (__typeof__(table.errorMessage))dlsym(library, "pcre2_get_error_message_8"))) return 0;
  return &table;
}
#endif
