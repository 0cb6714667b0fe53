// libavcodec's types, and its functions as a table that is filled when the first AC-3 (or AAC that libfaad refuses) is
// played: loading the library takes 15 ms and 16 MB.
#ifndef SEGUE_CAVCODEC_SHIM_H
#define SEGUE_CAVCODEC_SHIM_H
#include <dlfcn.h>
#include <libavcodec/avcodec.h>
#include <libavutil/opt.h>

// Defines `type`, a table of the functions that FUNCTIONS(F) lists as F(name), and `load`, which returns the table of the
// version whose types are included here, or null where that version is not installed. Call `load` once. Functions of
// other libraries are found, too, if `library` needs them.
#define SEGUE_AV_FIELD(name) __typeof__(&name) _Nonnull name;
#define SEGUE_AV_FIND(name) if (!(table.name = (__typeof__(&name))dlsym(handle, #name))) return 0;
#define SEGUE_AV_TABLE(type, load, library, FUNCTIONS)                                                                 \
  typedef struct { FUNCTIONS(SEGUE_AV_FIELD) } type;                                                                   \
  static inline const type *_Nullable load(void) {                                                                     \
    static type table;                                                                                                 \
    void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);                                                            \
    if (!handle) return 0;                                                                                             \
    FUNCTIONS(SEGUE_AV_FIND)                                                                                           \
    return &table;                                                                                                     \
  }

#define SEGUE_AV_FUNCTIONS(F)                                                                                          \
  F(avcodec_find_decoder) F(avcodec_find_decoder_by_name) F(avcodec_alloc_context3) F(avcodec_free_context)            \
  F(avcodec_open2) F(avcodec_send_packet) F(avcodec_receive_frame) F(av_packet_alloc) F(av_packet_free)                \
  F(av_frame_alloc) F(av_frame_free) F(av_opt_set) F(av_log_set_level) F(av_strerror) F(av_channel_layout_default)   \
  F(av_mallocz) F(av_max_alloc)

SEGUE_AV_TABLE(
  segue_av_functions, segue_av_load_table, "libavcodec.so." AV_STRINGIFY(LIBAVCODEC_VERSION_MAJOR), SEGUE_AV_FUNCTIONS)

// The table; no allocation of the library may be of more than `allocated_byte_count` bytes. Call it once.
static inline const segue_av_functions *_Nullable segue_av_load(size_t allocated_byte_count) {
  const segue_av_functions *table = segue_av_load_table();
  if (table) table->av_max_alloc(allocated_byte_count);
  return table;
}

static const int SEGUE_AVERROR_EAGAIN = AVERROR(EAGAIN);
static const int SEGUE_AVERROR_EOF = AVERROR_EOF;
#endif
