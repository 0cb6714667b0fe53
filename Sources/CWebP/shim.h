// The functions of libwebp that the player uses, declared here because the library is loaded for the first WebP picture
// and its headers need not be installed.
#ifndef SEGUE_CWEBP_SHIM_H
#define SEGUE_CWEBP_SHIM_H
#include <dlfcn.h>
#include <stddef.h>

#include "../CLibraries/libraries.h"

typedef struct {
  int (*_Nonnull GetInfo)(const unsigned char *_Nonnull, size_t, int *_Nonnull width, int *_Nonnull height);
  unsigned char *_Nullable (*_Nonnull DecodeRGBAInto)(
      const unsigned char *_Nonnull, size_t, unsigned char *_Nonnull to, size_t, int stride);
} segue_webp_functions;

// The functions, each under its name without `WebP`; null where the library is not installed. To be called once.
static inline const segue_webp_functions *_Nullable segue_webp_load(void) {
  static segue_webp_functions table;
  void *library = segue_library_open(SEGUE_WEBP);
  if (!library) return 0;
#define SEGUE_FIND(name) if (!(table.name = (__typeof__(table.name))dlsym(library, "WebP" #name))) return 0;
  SEGUE_FIND(GetInfo) SEGUE_FIND(DecodeRGBAInto)
#undef SEGUE_FIND
  return &table;
}
#endif
