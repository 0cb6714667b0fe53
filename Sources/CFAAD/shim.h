// libfaad's types, and its functions as a table that is filled when the first AAC packet is to be decoded: the library is
// under the GPL, and what is not linked with it plays everything else without it.
#ifndef SEGUE_CFAAD_SHIM_H
#define SEGUE_CFAAD_SHIM_H
#include <dlfcn.h>
#include <neaacdec.h>

#include "../CLibraries/libraries.h"

#define SEGUE_FAAD_FUNCTIONS(F)                                                                                        \
  F(Open) F(Close) F(GetCurrentConfiguration) F(SetConfiguration) F(Init2) F(Decode2) F(GetErrorMessage)

#define SEGUE_FIELD(name) __typeof__(&NeAACDec##name) _Nonnull name;
typedef struct { SEGUE_FAAD_FUNCTIONS(SEGUE_FIELD) } faad_functions;
#undef SEGUE_FIELD

// The functions, each under its name without `NeAACDec`; null where the library is not installed or lacks one. To be
// called once.
static inline const faad_functions *_Nullable faad_load(void) {
  static faad_functions table;
  void *library = segue_library_open(SEGUE_FAAD);
  if (!library) return 0;
#define SEGUE_FIND(name) if (!(table.name = (__typeof__(&NeAACDec##name))dlsym(library, "NeAACDec" #name))) return 0;
  SEGUE_FAAD_FUNCTIONS(SEGUE_FIND)
#undef SEGUE_FIND
  return &table;
}
#endif
