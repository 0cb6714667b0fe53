// Rubber Band's types, and its functions as a table that is filled when speed or pitch is first changed.
#ifndef SEGUE_CRUBBERBAND_SHIM_H
#define SEGUE_CRUBBERBAND_SHIM_H
#include <dlfcn.h>
#include <rubberband/rubberband-c.h>

#include "../CLibraries/libraries.h"

#define SEGUE_RUBBERBAND_FUNCTIONS(F)                                                                                  \
  F(new) F(delete) F(reset) F(set_time_ratio) F(set_pitch_scale) F(get_preferred_start_pad) F(get_start_delay)         \
  F(set_max_process_size) F(process) F(available) F(retrieve)

#define SEGUE_FIELD(name) __typeof__(&rubberband_##name) _Nonnull name;
typedef struct { SEGUE_RUBBERBAND_FUNCTIONS(SEGUE_FIELD) } rubberband_functions;
#undef SEGUE_FIELD

// The functions, each under its name without `rubberband_`; null where the library is not installed or lacks one (those
// before 3.0 know no start pad). To be called once.
static inline const rubberband_functions *_Nullable rubberband_load(void) {
  static rubberband_functions table;
  void *library = segue_library_open(SEGUE_RUBBERBAND);
  if (!library) return 0;
#define SEGUE_FIND(name) if (!(table.name = (__typeof__(&rubberband_##name))dlsym(library, "rubberband_" #name))) return 0;
  SEGUE_RUBBERBAND_FUNCTIONS(SEGUE_FIND)
#undef SEGUE_FIND
  return &table;
}
#endif
