// The functions of libuchardet that the player uses, declared here because the library is loaded for the first text that
// is neither ASCII nor UTF-8.
#ifndef SEGUE_CUCHARDET_SHIM_H
#define SEGUE_CUCHARDET_SHIM_H
#include <dlfcn.h>
#include <stddef.h>

#include "../CLibraries/libraries.h"

typedef struct uchardet *uchardet_t;

typedef struct {
  uchardet_t _Nullable (*_Nonnull create)(void);
  void (*_Nonnull destroy)(uchardet_t _Nonnull detector);
  int (*_Nonnull handle)(uchardet_t _Nonnull detector, const char *_Nonnull bytes, size_t count);
  void (*_Nonnull finish)(uchardet_t _Nonnull detector);
  // Empty if it has no answer.
  const char *_Nullable (*_Nonnull charset)(uchardet_t _Nonnull detector);
} uchardet_functions;

// The functions; null where the library is not installed. To be called once.
static inline const uchardet_functions *_Nullable segue_uchardet_load(void) {
  static uchardet_functions table;
  void *library = segue_library_open(SEGUE_UCHARDET);
  if (!library) return 0;
  if (!(table.create = (__typeof__(table.create))dlsym(library, "uchardet_new"))) return 0;
  if (!(table.destroy = (__typeof__(table.destroy))dlsym(library, "uchardet_delete"))) return 0;
  if (!(table.handle = (__typeof__(table.handle))dlsym(library, "uchardet_handle_data"))) return 0;
  if (!(table.finish = (__typeof__(table.finish))dlsym(library, "uchardet_data_end"))) return 0;
  if (!(table.charset = (__typeof__(table.charset))dlsym(library, "uchardet_get_charset"))) return 0;
  return &table;
}
#endif
