// libopus' types, and its functions as a table that is filled when the first Opus packet is to be decoded.
#ifndef SEGUE_COPUS_SHIM_H
#define SEGUE_COPUS_SHIM_H
#include <dlfcn.h>
#include <opus/opus_multistream.h>

#include "../CLibraries/libraries.h"

#define SEGUE_OPUS_FUNCTIONS(F)                                                                                        \
  F(multistream_decoder_create) F(multistream_decoder_destroy) F(multistream_decoder_ctl) F(multistream_decode_float)  \
  F(pcm_soft_clip)

#define SEGUE_FIELD(name) __typeof__(&opus_##name) _Nonnull name;
typedef struct { SEGUE_OPUS_FUNCTIONS(SEGUE_FIELD) } opus_functions;
#undef SEGUE_FIELD

// The functions, each under its name without `opus_`; null where the library is not installed or lacks one. To be called
// once.
static inline const opus_functions *_Nullable opus_load(void) {
  static opus_functions table;
  void *library = segue_library_open(SEGUE_OPUS);
  if (!library) return 0;
#define SEGUE_FIND(name) if (!(table.name = (__typeof__(&opus_##name))dlsym(library, "opus_" #name))) return 0;
  SEGUE_OPUS_FUNCTIONS(SEGUE_FIND)
#undef SEGUE_FIND
  return &table;
}

// Swift calls no variadic functions.
static inline int opus_set_gain(const opus_functions *_Nonnull opus, OpusMSDecoder *_Nonnull decoder, int gain) {
  return opus->multistream_decoder_ctl(decoder, OPUS_SET_GAIN(gain));
}
static inline int opus_reset(const opus_functions *_Nonnull opus, OpusMSDecoder *_Nonnull decoder) {
  return opus->multistream_decoder_ctl(decoder, OPUS_RESET_STATE);
}
#endif
