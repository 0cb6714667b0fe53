// libavformat's types, and its functions as a table that is filled for the first input that no parser of ours knows:
// loading the library takes tens of milliseconds, as it needs more than a hundred other libraries.
#ifndef SEGUE_CAVFORMAT_SHIM_H
#define SEGUE_CAVFORMAT_SHIM_H
#include "../CAVCodec/shim.h"
#include <libavformat/avformat.h>

#define SEGUE_AVFORMAT_FUNCTIONS(F)                                                                                    \
  F(avformat_alloc_context) F(avformat_open_input) F(avformat_close_input) F(av_read_frame) F(av_seek_frame)           \
  F(avio_alloc_context) F(avio_context_free) F(av_malloc) F(av_free) F(av_packet_alloc) F(av_packet_free)              \
  F(av_packet_unref) F(avcodec_parameters_to_context) F(avcodec_get_name) F(av_dict_get) F(av_max_alloc) F(av_opt_set) \
  F(av_strerror) F(av_log_set_level) F(av_log_set_callback)

SEGUE_AV_TABLE(
  segue_avformat_functions, segue_avformat_load, "libavformat.so." AV_STRINGIFY(LIBAVFORMAT_VERSION_MAJOR),
  SEGUE_AVFORMAT_FUNCTIONS)

static const int SEGUE_AVERROR_EIO = AVERROR(EIO);
static const int SEGUE_AVERROR_EPERM = AVERROR(EPERM);
static const int64_t SEGUE_AV_NOPTS = AV_NOPTS_VALUE;
#endif
