// libavcodec's types, and its functions as a table that is filled when the first AC-3 (or AAC that
// libfaad refuses) is played: loading it takes 15 ms and 16 MB.
#ifndef SEGUE_CAVCODEC_SHIM_H
#define SEGUE_CAVCODEC_SHIM_H
#include <dlfcn.h>
#include <libavcodec/avcodec.h>
#include <libavutil/opt.h>

#define SEGUE_AV_FUNCTIONS(F)                                                                                          \
  F(avcodec_find_decoder) F(avcodec_find_decoder_by_name) F(avcodec_alloc_context3) F(avcodec_free_context)            \
  F(avcodec_open2) F(avcodec_send_packet) F(avcodec_receive_frame) F(av_packet_alloc) F(av_packet_free)                \
  F(av_frame_alloc) F(av_frame_free) F(av_opt_set) F(av_log_set_level) F(av_strerror) F(av_channel_layout_default)   \
  F(av_mallocz) F(av_max_alloc)

#define SEGUE_FIELD(name) __typeof__(&name) _Nonnull name;
typedef struct { SEGUE_AV_FUNCTIONS(SEGUE_FIELD) } segue_av_functions;
#undef SEGUE_FIELD

// The functions of the very version whose types stand above; null where it is not installed. To be called once.
static inline const segue_av_functions *_Nullable segue_av_load(void) {
  static segue_av_functions table;
  void *library = dlopen("libavcodec.so." AV_STRINGIFY(LIBAVCODEC_VERSION_MAJOR), RTLD_LAZY | RTLD_LOCAL);
  if (!library) return 0;
  // What is libavutil's is found through libavcodec, which needs it.
#define SEGUE_FIND(name) if (!(table.name = (__typeof__(&name))dlsym(library, #name))) return 0;
  SEGUE_AV_FUNCTIONS(SEGUE_FIND)
#undef SEGUE_FIND
  return &table;
}

static const int SEGUE_AVERROR_EAGAIN = AVERROR(EAGAIN);
static const int SEGUE_AVERROR_EOF = AVERROR_EOF;
#endif
