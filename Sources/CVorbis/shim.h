// libvorbis' types, and its functions as a table that is filled when the first Vorbis packet is to be decoded.
#ifndef SEGUE_CVORBIS_SHIM_H
#define SEGUE_CVORBIS_SHIM_H
#include <dlfcn.h>
#include <vorbis/codec.h>

#include "../CLibraries/libraries.h"

#define SEGUE_VORBIS_FUNCTIONS(F)                                                                                      \
  F(info_init) F(info_clear) F(comment_init) F(comment_clear) F(block_init) F(block_clear) F(dsp_clear)                \
  F(synthesis_headerin) F(synthesis_init) F(synthesis_restart) F(synthesis) F(synthesis_blockin) F(synthesis_pcmout)   \
  F(synthesis_read)

#define SEGUE_FIELD(name) __typeof__(&vorbis_##name) _Nonnull name;
typedef struct { SEGUE_VORBIS_FUNCTIONS(SEGUE_FIELD) } vorbis_functions;
#undef SEGUE_FIELD

// The functions, each under its name without `vorbis_`; null where the library is not installed or lacks one. To be
// called once.
static inline const vorbis_functions *_Nullable vorbis_load(void) {
  static vorbis_functions table;
  void *library = segue_library_open(SEGUE_VORBIS);
  if (!library) return 0;
#define SEGUE_FIND(name) if (!(table.name = (__typeof__(&vorbis_##name))dlsym(library, "vorbis_" #name))) return 0;
  SEGUE_VORBIS_FUNCTIONS(SEGUE_FIND)
#undef SEGUE_FIND
  return &table;
}

// All that decoding one stream takes. Its parts point to each other: it stays where it is.
typedef struct {
  vorbis_info info;
  vorbis_comment comment;
  vorbis_dsp_state dsp;
  vorbis_block block;
} vorbis_decoder;
#endif
