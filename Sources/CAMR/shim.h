// opencore-amr's two libraries, each as a table of three functions that is filled when the first AMR is played.
#ifndef SEGUE_CAMR_SHIM_H
#define SEGUE_CAMR_SHIM_H
#include <dlfcn.h>
#include <opencore-amrnb/interf_dec.h>
#include <opencore-amrwb/dec_if.h>

#include "../CLibraries/libraries.h"

typedef struct {
  __typeof__(&Decoder_Interface_init) _Nonnull init;
  __typeof__(&Decoder_Interface_Decode) _Nonnull decode;
  __typeof__(&Decoder_Interface_exit) _Nonnull exit;
} segue_amr_functions;

// Both have the same form; the compiler sees to it.
#define SEGUE_AMR_LOADER(loader, id, INIT, DECODE, EXIT)                                                             \
  static inline const segue_amr_functions *_Nullable loader(void) {                                                    \
    static segue_amr_functions table;                                                                                  \
    void *library = segue_library_open(id);                                                                            \
    if (!library || !(table.init = (__typeof__(&INIT))dlsym(library, #INIT))                                           \
        || !(table.decode = (__typeof__(&DECODE))dlsym(library, #DECODE))                                              \
        || !(table.exit = (__typeof__(&EXIT))dlsym(library, #EXIT)))                                                   \
      return 0;                                                                                                        \
    return &table;                                                                                                     \
  }

SEGUE_AMR_LOADER(segue_amrnb_load, SEGUE_AMRNB, Decoder_Interface_init, Decoder_Interface_Decode,
                 Decoder_Interface_exit)
SEGUE_AMR_LOADER(segue_amrwb_load, SEGUE_AMRWB, D_IF_init, D_IF_decode, D_IF_exit)
#undef SEGUE_AMR_LOADER
#endif
