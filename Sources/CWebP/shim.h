// The functions of libwebp that the player uses, declared here because the library is loaded for the first WebP picture
// and its headers need not be installed.
#ifndef SEGUE_CWEBP_SHIM_H
#define SEGUE_CWEBP_SHIM_H
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#include "../CLibraries/libraries.h"

// `WebPDecoderConfig`: `WebPBitstreamFeatures`, `WebPDecBuffer` with its `WebPRGBABuffer`, `WebPDecoderOptions`.
typedef struct {
  int width, height, has_alpha, has_animation, format;
  uint32_t padding_of_features[5];
  int colors, output_width, output_height, is_external_memory;
  unsigned char *_Nullable rgba;
  int stride;
  size_t byte_count;
  // The rest of the union with `WebPYUVABuffer`.
  uint64_t rest_of_buffer[7];
  uint32_t padding_of_output[4];
  unsigned char *_Nullable private_memory;
  int bypass_filtering, no_fancy_upsampling, use_cropping, crop_left, crop_top, crop_width, crop_height;
  int use_scaling, scaled_width, scaled_height, use_threads, dithering_strength, flip, alpha_dithering_strength;
  uint32_t padding_of_options[5];
} segue_webp_config;

// WEBP_DECODER_ABI_VERSION, of which libwebp compares the upper byte; MODE_RGBA.
enum { SEGUE_WEBP_DECODER_VERSION = 0x0209, SEGUE_WEBP_RGBA = 1 };

typedef struct {
  int (*_Nonnull GetInfo)(const unsigned char *_Nonnull, size_t, int *_Nonnull width, int *_Nonnull height);
  int (*_Nonnull InitDecoderConfigInternal)(segue_webp_config *_Nonnull, int version);
  // 0 for success.
  int (*_Nonnull Decode)(const unsigned char *_Nonnull, size_t, segue_webp_config *_Nonnull);
} segue_webp_functions;

// The functions, each under its name without `WebP`; null where the library is not installed. To be called once.
static inline const segue_webp_functions *_Nullable segue_webp_load(void) {
  static segue_webp_functions table;
  void *library = segue_library_open(SEGUE_WEBP);
  if (!library) return 0;
#define SEGUE_FIND(name) if (!(table.name = (__typeof__(table.name))dlsym(library, "WebP" #name))) return 0;
  SEGUE_FIND(GetInfo) SEGUE_FIND(InitDecoderConfigInternal) SEGUE_FIND(Decode)
#undef SEGUE_FIND
  return &table;
}
#endif
