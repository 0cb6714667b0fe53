// libFLAC's types, and its functions as a table that is filled when the first FLAC packet is to be decoded.
#ifndef SEGUE_CFLAC_SHIM_H
#define SEGUE_CFLAC_SHIM_H
#include <FLAC/stream_decoder.h>
#include <dlfcn.h>

#include "../CLibraries/libraries.h"

#define SEGUE_FLAC_FUNCTIONS(F)                                                                                        \
  F(new) F(delete) F(init_stream) F(process_single) F(flush)

#define SEGUE_FIELD(name) __typeof__(&FLAC__stream_decoder_##name) _Nonnull name;
typedef struct { SEGUE_FLAC_FUNCTIONS(SEGUE_FIELD) } flac_functions;
#undef SEGUE_FIELD

// The functions, each under its name without `FLAC__stream_decoder_`; null where the library is not installed or lacks
// one. To be called once.
static inline const flac_functions *_Nullable flac_load(void) {
  static flac_functions table;
  // 12 is 1.4, 14 is 1.5, which differs in nothing that is used here.
  void *library = segue_library_open(SEGUE_FLAC);
  if (!library) return 0;
#define SEGUE_FIND(name)                                                                                               \
  if (!(table.name = (__typeof__(&FLAC__stream_decoder_##name))dlsym(library, "FLAC__stream_decoder_" #name))) return 0;
  SEGUE_FLAC_FUNCTIONS(SEGUE_FIND)
#undef SEGUE_FIND
  return &table;
}
#endif
