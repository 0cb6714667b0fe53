// opencore-amr's two libraries, each as a table of three functions that is filled when the first AMR is played.
#ifndef SEGUE_CAMR_SHIM_H
#define SEGUE_CAMR_SHIM_H
#include <dlfcn.h>
#include <opencore-amrnb/interf_dec.h>
#include <opencore-amrwb/dec_if.h>

typedef struct {
  __typeof__(&Decoder_Interface_init) _Nonnull init;
  __typeof__(&Decoder_Interface_Decode) _Nonnull decode;
  __typeof__(&Decoder_Interface_exit) _Nonnull exit;
} segue_amr_functions;

// Both have the same form; the compiler sees to it.
#define SEGUE_AMR_LOADER(loader, name, INIT, DECODE, EXIT)                                                             \
  static inline const segue_amr_functions *_Nullable loader(void) {                                                    \
    static segue_amr_functions table;                                                                                  \
    void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);                                                              \
    if (!library || !(table.init = (__typeof__(&INIT))dlsym(library, #INIT))                                           \
        || !(table.decode = (__typeof__(&DECODE))dlsym(library, #DECODE))                                              \
        || !(table.exit = (__typeof__(&EXIT))dlsym(library, #EXIT)))                                                   \
      return 0;                                                                                                        \
    return &table;                                                                                                     \
  }

SEGUE_AMR_LOADER(segue_amrnb_load, "libopencore-amrnb.so.0", Decoder_Interface_init, Decoder_Interface_Decode,
                 Decoder_Interface_exit)
SEGUE_AMR_LOADER(segue_amrwb_load, "libopencore-amrwb.so.0", D_IF_init, D_IF_decode, D_IF_exit)
#undef SEGUE_AMR_LOADER
#endif
