// The functions of libjpeg-turbo's libturbojpeg that the player uses (its 2.0 interface, which 3.0 keeps), declared
// here because the library is loaded for the first JPEG picture and its headers need not be installed.
#ifndef SEGUE_CTURBOJPEG_SHIM_H
#define SEGUE_CTURBOJPEG_SHIM_H
#include <dlfcn.h>

#include "../CLibraries/libraries.h"

typedef void *segue_tj;
typedef struct { int numerator, denominator; } segue_tj_factor;

// TJPF_RGB, TJPF_CMYK; TJCS_CMYK, TJCS_YCCK; TJERR_WARNING.
enum {
  SEGUE_TJ_RGB = 0, SEGUE_TJ_CMYK = 11, SEGUE_TJ_COLORS_CMYK = 3, SEGUE_TJ_COLORS_YCCK = 4, SEGUE_TJ_WARNING = 0
};

typedef struct {
  segue_tj _Nullable (*_Nonnull InitDecompress)(void);
  int (*_Nonnull Destroy)(segue_tj _Nonnull);
  int (*_Nonnull DecompressHeader3)(
      segue_tj _Nonnull, const unsigned char *_Nonnull, unsigned long, int *_Nonnull width, int *_Nonnull height,
      int *_Nonnull subsampling, int *_Nonnull colors);
  segue_tj_factor *_Nullable (*_Nonnull GetScalingFactors)(int *_Nonnull count);
  int (*_Nonnull Decompress2)(
      segue_tj _Nonnull, const unsigned char *_Nonnull, unsigned long, unsigned char *_Nonnull to, int width, int pitch,
      int height, int format, int flags);
  char *_Nullable (*_Nonnull GetErrorStr2)(segue_tj _Nonnull);
  int (*_Nonnull GetErrorCode)(segue_tj _Nonnull);
} segue_tj_functions;

// The functions, each under its name without `tj`; null where the library is not installed. To be called once.
static inline const segue_tj_functions *_Nullable segue_tj_load(void) {
  static segue_tj_functions table;
  void *library = segue_library_open(SEGUE_TURBOJPEG);
  if (!library) return 0;
#define SEGUE_FIND(name) if (!(table.name = (__typeof__(table.name))dlsym(library, "tj" #name))) return 0;
  SEGUE_FIND(InitDecompress) SEGUE_FIND(Destroy) SEGUE_FIND(DecompressHeader3) SEGUE_FIND(GetScalingFactors)
  SEGUE_FIND(Decompress2) SEGUE_FIND(GetErrorStr2) SEGUE_FIND(GetErrorCode)
#undef SEGUE_FIND
  return &table;
}
#endif
