// The simplified interface of libpng 1.6, declared here because the library is loaded for the first PNG picture and its
// headers need not be installed. The structure carries its version, which libpng checks.
#ifndef SEGUE_CPNG_SHIM_H
#define SEGUE_CPNG_SHIM_H
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#include "../CLibraries/libraries.h"

// `png_image`.
typedef struct {
  void *_Nullable opaque;
  uint32_t version, width, height, format, flags, colormap_entries, warning_or_error;
  char message[64];
} segue_png_image;

// `png_color`.
typedef struct { unsigned char red, green, blue; } segue_png_color;

// PNG_IMAGE_VERSION, PNG_FORMAT_RGB.
enum { SEGUE_PNG_VERSION = 1, SEGUE_PNG_RGB = 2 };

typedef struct {
  int (*_Nonnull begin_read_from_memory)(segue_png_image *_Nonnull, const void *_Nonnull, size_t);
  int (*_Nonnull finish_read)(
      segue_png_image *_Nonnull, const segue_png_color *_Nullable background, void *_Nonnull to, int32_t row_stride,
      void *_Nullable colors);
  void (*_Nonnull free)(segue_png_image *_Nonnull);
} segue_png_functions;

// The functions, each under its name without `png_image_`; null where the library is not installed. To be called once.
static inline const segue_png_functions *_Nullable segue_png_load(void) {
  static segue_png_functions table;
  void *library = segue_library_open(SEGUE_PNG);
  if (!library) return 0;
#define SEGUE_FIND(name) if (!(table.name = (__typeof__(table.name))dlsym(library, "png_image_" #name))) return 0;
  SEGUE_FIND(begin_read_from_memory) SEGUE_FIND(finish_read) SEGUE_FIND(free)
#undef SEGUE_FIND
  return &table;
}
#endif
