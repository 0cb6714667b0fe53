// libsamplerate's converter, declared here so that building needs no header, and its functions as a table that is filled
// when a sample rate is first changed.
#ifndef SEGUE_CSAMPLERATE_SHIM_H
#define SEGUE_CSAMPLERATE_SHIM_H
#include <dlfcn.h>

#include "../CLibraries/libraries.h"

typedef struct SRC_STATE_tag SRC_STATE;

// SRC_DATA of samplerate.h, the same since version 0.1.
typedef struct {
  const float *_Nullable data_in;
  float *_Nullable data_out;
  long input_frames, output_frames;
  long input_frames_used, output_frames_gen;
  int end_of_input;
  double src_ratio;
} SRC_DATA;

typedef struct {
  SRC_STATE *_Nullable (*_Nonnull create)(int converter_type, int channels, int *_Nullable error);
  SRC_STATE *_Nullable (*_Nonnull delete_state)(SRC_STATE *_Nonnull state);
  int (*_Nonnull process)(SRC_STATE *_Nonnull state, SRC_DATA *_Nonnull data);
  int (*_Nonnull reset)(SRC_STATE *_Nonnull state);
} samplerate_functions;

// The functions; null where the library is not installed. To be called once.
static inline const samplerate_functions *_Nullable samplerate_load(void) {
  static samplerate_functions table;
  void *library = segue_library_open(SEGUE_SAMPLERATE);
  if (!library) return 0;
  if (!(table.create = (__typeof__(table.create))dlsym(library, "src_new"))) return 0;
  if (!(table.delete_state = (__typeof__(table.delete_state))dlsym(library, "src_delete"))) return 0;
  if (!(table.process = (__typeof__(table.process))dlsym(library, "src_process"))) return 0;
  if (!(table.reset = (__typeof__(table.reset))dlsym(library, "src_reset"))) return 0;
  return &table;
}
#endif
