// libpulse's types, and its functions as a table that is filled when the first sound is wanted: linked, it would bring 30
// libraries and 3.6 ms to the start of every command, those that play nothing included.
#ifndef SEGUE_CPULSE_SHIM_H
#define SEGUE_CPULSE_SHIM_H
#include <dlfcn.h>
#include <pulse/pulseaudio.h>

#include "../CLibraries/libraries.h"

#define SEGUE_PULSE_FUNCTIONS(F)                                                                                       \
  F(mainloop_new) F(mainloop_free) F(mainloop_get_api) F(mainloop_run) F(mainloop_quit) F(mainloop_set_poll_func)      \
  F(mainloop_wakeup) F(operation_unref) F(operation_cancel) F(strerror)                                                \
  F(proplist_new) F(proplist_free) F(proplist_sets)                                                                    \
  F(context_new_with_proplist) F(context_connect) F(context_disconnect) F(context_unref) F(context_errno)              \
  F(context_get_state) F(context_set_state_callback) F(context_rttime_new) F(context_rttime_restart)                   \
  F(context_set_sink_input_volume) F(context_set_sink_input_mute) F(context_move_sink_input_by_name) F(context_get_server)                                \
  F(context_subscribe) F(context_set_subscribe_callback) F(context_get_sink_input_info_list)                           \
  F(context_get_sink_info_list) F(context_get_server_info) F(context_get_sink_info_by_name) F(context_get_module_info_list)                            \
  F(proplist_gets) F(cvolume_avg)                                                                                      \
  F(channel_map_init_extend) F(sample_spec_valid) F(cvolume_set)                                                       \
  F(stream_new_with_proplist) F(stream_unref) F(stream_connect_playback) F(stream_disconnect) F(stream_get_state)      \
  F(stream_get_index) F(stream_get_device_index) F(stream_get_buffer_attr) F(stream_get_timing_info)                    \
  F(stream_begin_write) F(stream_cancel_write) F(stream_write) F(stream_writable_size) F(stream_cork) F(stream_flush)  \
  F(stream_trigger) F(stream_update_timing_info) F(stream_proplist_update)                                             \
  F(stream_set_state_callback) F(stream_set_write_callback) F(stream_set_started_callback)                             \
  F(stream_set_underflow_callback) F(stream_set_suspended_callback) F(stream_set_moved_callback)                       \
  F(stream_set_event_callback) F(stream_is_suspended)

#define SEGUE_FIELD(name) __typeof__(&pa_##name) _Nonnull name;
typedef struct { SEGUE_PULSE_FUNCTIONS(SEGUE_FIELD) } pulse_functions;
#undef SEGUE_FIELD

// The functions, each under its name without `pa_`; null where the library is not installed or lacks one. To be called
// once.
static inline const pulse_functions *_Nullable pulse_load(void) {
  static pulse_functions table;
  void *library = segue_library_open(SEGUE_PULSE);
  if (!library) return 0;
#define SEGUE_FIND(name) if (!(table.name = (__typeof__(&pa_##name))dlsym(library, "pa_" #name))) return 0;
  SEGUE_PULSE_FUNCTIONS(SEGUE_FIND)
#undef SEGUE_FIND
  return &table;
}
#endif
