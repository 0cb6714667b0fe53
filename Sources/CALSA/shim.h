// The functions of libasound that the player uses, as a table that is filled when the first card is opened. They are
// declared here because building needs no header then; their interface has not changed since 1.0. Frames are counted in
// `long`; results below 0 are errors of errno.h, negative.
#ifndef SEGUE_CALSA_SHIM_H
#define SEGUE_CALSA_SHIM_H
#include <dlfcn.h>

#include "../CLibraries/libraries.h"

typedef struct _snd_pcm snd_pcm_t;
typedef struct _snd_pcm_hw_params snd_pcm_hw_params_t;
typedef struct _snd_pcm_sw_params snd_pcm_sw_params_t;

// alsa/pcm.h: SND_PCM_STREAM_PLAYBACK, SND_PCM_NONBLOCK, SND_PCM_ACCESS_RW_INTERLEAVED, SND_PCM_TYPE_HW.
enum { segue_alsa_playback = 0, segue_alsa_nonblock = 1, segue_alsa_interleaved = 3, segue_alsa_hardware = 0 };
// SND_PCM_STATE_...
enum { segue_alsa_running = 3, segue_alsa_draining = 5 };

typedef struct {
  int (*_Nonnull open)(snd_pcm_t *_Nullable *_Nonnull, const char *_Nonnull name, int stream, int mode);
  int (*_Nonnull close)(snd_pcm_t *_Nonnull);
  int (*_Nonnull type)(snd_pcm_t *_Nonnull);
  int (*_Nonnull state)(snd_pcm_t *_Nonnull);
  int (*_Nonnull prepare)(snd_pcm_t *_Nonnull);
  int (*_Nonnull start)(snd_pcm_t *_Nonnull);
  int (*_Nonnull drop)(snd_pcm_t *_Nonnull);
  int (*_Nonnull drain)(snd_pcm_t *_Nonnull);
  int (*_Nonnull avail_delay)(snd_pcm_t *_Nonnull, long *_Nonnull avail, long *_Nonnull delay);
  long (*_Nonnull rewindable)(snd_pcm_t *_Nonnull);
  long (*_Nonnull rewind)(snd_pcm_t *_Nonnull, unsigned long);
  long (*_Nonnull writei)(snd_pcm_t *_Nonnull, const void *_Nonnull, unsigned long);
  int (*_Nonnull hw_params_malloc)(snd_pcm_hw_params_t *_Nullable *_Nonnull);
  void (*_Nonnull hw_params_free)(snd_pcm_hw_params_t *_Nonnull);
  int (*_Nonnull hw_params_any)(snd_pcm_t *_Nonnull, snd_pcm_hw_params_t *_Nonnull);
  int (*_Nonnull hw_params_set_access)(snd_pcm_t *_Nonnull, snd_pcm_hw_params_t *_Nonnull, int);
  int (*_Nonnull hw_params_set_format)(snd_pcm_t *_Nonnull, snd_pcm_hw_params_t *_Nonnull, int);
  int (*_Nonnull hw_params_set_channels)(snd_pcm_t *_Nonnull, snd_pcm_hw_params_t *_Nonnull, unsigned);
  int (*_Nonnull hw_params_set_rate)(snd_pcm_t *_Nonnull, snd_pcm_hw_params_t *_Nonnull, unsigned, int direction);
  int (*_Nonnull hw_params_set_rate_resample)(snd_pcm_t *_Nonnull, snd_pcm_hw_params_t *_Nonnull, unsigned);
  int (*_Nonnull hw_params_set_buffer_size_near)(
      snd_pcm_t *_Nonnull, snd_pcm_hw_params_t *_Nonnull, unsigned long *_Nonnull);
  int (*_Nonnull hw_params_set_period_size_near)(
      snd_pcm_t *_Nonnull, snd_pcm_hw_params_t *_Nonnull, unsigned long *_Nonnull, int *_Nullable direction);
  int (*_Nonnull hw_params)(snd_pcm_t *_Nonnull, snd_pcm_hw_params_t *_Nonnull);
  int (*_Nonnull sw_params_malloc)(snd_pcm_sw_params_t *_Nullable *_Nonnull);
  void (*_Nonnull sw_params_free)(snd_pcm_sw_params_t *_Nonnull);
  int (*_Nonnull sw_params_current)(snd_pcm_t *_Nonnull, snd_pcm_sw_params_t *_Nonnull);
  int (*_Nonnull sw_params_get_boundary)(const snd_pcm_sw_params_t *_Nonnull, unsigned long *_Nonnull);
  int (*_Nonnull sw_params_set_start_threshold)(snd_pcm_t *_Nonnull, snd_pcm_sw_params_t *_Nonnull, unsigned long);
  int (*_Nonnull sw_params)(snd_pcm_t *_Nonnull, snd_pcm_sw_params_t *_Nonnull);
} alsa_functions;

// libasound writes its errors to standard error, across the screen, unless it is given another function.
static inline void segue_alsa_ignore(
    const char *_Nullable file, int line, const char *_Nullable function, int error, const char *_Nullable format, ...) {
}

// The functions, each under its name without `snd_pcm_`; null where the library is not installed or lacks one.
static inline const alsa_functions *_Nullable alsa_load(void) {
  static alsa_functions table;
  void *library = segue_library_open(SEGUE_ALSA);
  if (!library) return 0;
#define SEGUE_FIND(name) if (!(table.name = (__typeof__(table.name))dlsym(library, "snd_pcm_" #name))) return 0;
  SEGUE_FIND(open) SEGUE_FIND(close) SEGUE_FIND(type) SEGUE_FIND(state) SEGUE_FIND(prepare) SEGUE_FIND(start)
  SEGUE_FIND(drop) SEGUE_FIND(drain) SEGUE_FIND(avail_delay) SEGUE_FIND(rewindable)
  SEGUE_FIND(rewind) SEGUE_FIND(writei)
  SEGUE_FIND(hw_params_malloc) SEGUE_FIND(hw_params_free) SEGUE_FIND(hw_params_any) SEGUE_FIND(hw_params_set_access)
  SEGUE_FIND(hw_params_set_format) SEGUE_FIND(hw_params_set_channels) SEGUE_FIND(hw_params_set_rate)
  SEGUE_FIND(hw_params_set_rate_resample) SEGUE_FIND(hw_params_set_buffer_size_near)
  SEGUE_FIND(hw_params_set_period_size_near) SEGUE_FIND(hw_params)
  SEGUE_FIND(sw_params_malloc) SEGUE_FIND(sw_params_free) SEGUE_FIND(sw_params_current)
  SEGUE_FIND(sw_params_get_boundary) SEGUE_FIND(sw_params_set_start_threshold) SEGUE_FIND(sw_params)
#undef SEGUE_FIND
  int (*set_error_handler)(void (*)(const char *, int, const char *, int, const char *, ...)) =
      (__typeof__(set_error_handler))dlsym(library, "snd_lib_error_set_handler");
  if (set_error_handler) set_error_handler(segue_alsa_ignore);
  return &table;
}
#endif
