// FFmpeg's libavformat, libavcodec and libavutil, as far as all versions in LibavMajor.swift have them alike:
// declared here so that building needs no header, and one program works with each version. `scripts/check-libav` compares
// this file with the headers of a version.
#ifndef SEGUE_CLIBAV_SHIM_H
#define SEGUE_CLIBAV_SHIM_H
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>

typedef struct AVCodec AVCodec;
typedef struct AVCodecContext AVCodecContext;
typedef struct AVDictionary AVDictionary;
typedef struct AVStream AVStream;

typedef struct AVRational { int num, den; } AVRational;

// The structures go on behind the last field here: only the libraries allocate them.
typedef struct AVPacket {
  void *_Nullable buf;
  int64_t pts, dts;
  uint8_t *_Nullable data;
  int size, stream_index, flags;
  void *_Nullable side_data;
  int side_data_elems;
  int64_t duration, pos;
} AVPacket;

typedef struct AVFrame {
  uint8_t *_Nullable data[8];
  int linesize[8];
  uint8_t *_Nullable *_Nullable extended_data;
  int width, height, nb_samples, format;
} AVFrame;

// Whole: it is also allocated here.
typedef struct AVChannelLayout {
  int order, nb_channels;
  union { uint64_t mask; void *_Nullable map; } u;
  void *_Nullable opaque;
} AVChannelLayout;

typedef struct AVCodecParameters {
  int codec_type, codec_id;
  uint32_t codec_tag;
  uint8_t *_Nullable extradata;
  int extradata_size;
} AVCodecParameters;

typedef struct AVCodecDescriptor { int id; } AVCodecDescriptor;
typedef struct AVDictionaryEntry { char *_Nullable key, *_Nullable value; } AVDictionaryEntry;
typedef struct AVInputFormat { const char *_Nullable name; } AVInputFormat;

typedef struct AVOption {
  const char *_Nullable name, *_Nullable help;
  int offset;
} AVOption;

typedef struct AVChapter {
  int64_t id;
  AVRational time_base;
  int64_t start, end;
  AVDictionary *_Nullable metadata;
} AVChapter;

typedef struct AVIOContext {
  const void *_Nullable av_class;
  unsigned char *_Nullable buffer;
  int buffer_size;
  unsigned char *_Nullable buf_ptr, *_Nullable buf_end;
  void *_Nullable opaque, *_Nullable functions[3];
  int64_t pos;
  int eof_reached, error;
  int64_t unused[7];
  int seekable;
} AVIOContext;

typedef struct AVFormatContext {
  const void *_Nullable av_class;
  const AVInputFormat *_Nullable iformat;
  const void *_Nullable oformat;
  void *_Nullable priv_data;
  AVIOContext *_Nullable pb;
  int ctx_flags;
  unsigned int nb_streams;
  AVStream *_Nullable *_Nullable streams;
} AVFormatContext;

// A part of AVStream; segue_av_major says where it begins.
typedef struct segue_av_stream {
  AVRational time_base;
  int64_t start_time, duration, nb_frames;
  int disposition, discard;
  AVRational sample_aspect_ratio;
  AVDictionary *_Nullable metadata;
  AVRational avg_frame_rate;
  AVPacket attached_pic;
} segue_av_stream;

// A version of libavformat, and the places of fields that differ from others, in bytes: the part of AVStream that is above,
// and `codecpar`; fields of AVFormatContext; decode_error_flags of AVFrame.
typedef struct segue_av_major {
  int number;
  int stream, codecpar;
  int duration, nb_chapters, chapters, metadata;
  int decode_error_flags;
} segue_av_major;

static const int AVMEDIA_TYPE_AUDIO = 1, AVMEDIA_TYPE_DATA = 2, AV_CODEC_ID_NONE = 0, AV_CHANNEL_ORDER_NATIVE = 1,
  AV_SAMPLE_FMT_U8 = 0, AV_SAMPLE_FMT_S16 = 1, AV_SAMPLE_FMT_S32 = 2, AV_SAMPLE_FMT_FLT = 3, AV_SAMPLE_FMT_DBL = 4,
  AV_SAMPLE_FMT_U8P = 5, AV_SAMPLE_FMT_S16P = 6, AV_SAMPLE_FMT_S32P = 7, AV_SAMPLE_FMT_FLTP = 8, AV_SAMPLE_FMT_DBLP = 9,
  AVDISCARD_ALL = 48, AV_DISPOSITION_ATTACHED_PIC = 1 << 10, AVFMTCTX_NOHEADER = 1, AVSEEK_FLAG_BACKWARD = 1,
  AVSEEK_SIZE = 0x10000, AVSEEK_FORCE = 0x20000, AVIO_SEEKABLE_NORMAL = 1, AV_INPUT_BUFFER_PADDING_SIZE = 64,
  AV_DICT_IGNORE_SUFFIX = 2, AV_OPT_SEARCH_CHILDREN = 1, AV_OPT_SEARCH_FAKE_OBJ = 2, AV_EF_CRCCHECK = 1,
  AV_EF_EXPLODE = 8, AV_PROFILE_AAC_HE_V2 = 28, AV_LOG_QUIET = -8, AV_TIME_BASE = 1000000, AVERROR_EOF = -0x20464f45,
  AVERROR_EAGAIN = -EAGAIN, AVERROR_EIO = -EIO;
static const int64_t AV_NOPTS_VALUE = INT64_MIN;

// Functions of libavcodec and libavutil: F(result, name, parameters).
#define SEGUE_AVCODEC_FUNCTIONS(F)                                                                                     \
  F(AVCodecContext *_Nullable, avcodec_alloc_context3, (const AVCodec *_Nullable))                                     \
  F(const void *_Nullable, avcodec_get_class, (void))                                                                  \
  F(unsigned, avcodec_version, (void))                                                                                 \
  F(unsigned, avutil_version, (void))                                                                                  \
  F(const AVCodec *_Nullable, avcodec_find_decoder, (int))                                                             \
  F(const AVCodec *_Nullable, avcodec_find_decoder_by_name, (const char *_Nonnull))                                    \
  F(const AVCodecDescriptor *_Nullable, avcodec_descriptor_get_by_name, (const char *_Nonnull))                        \
  F(const char *_Nullable, avcodec_get_name, (int))                                                                    \
  F(void, avcodec_free_context, (AVCodecContext *_Nullable *_Nonnull))                                                 \
  F(int, avcodec_open2, (AVCodecContext *_Nonnull, const AVCodec *_Nullable, void *_Nullable))                         \
  F(int, avcodec_send_packet, (AVCodecContext *_Nullable, const AVPacket *_Nullable))                                  \
  F(int, avcodec_receive_frame, (AVCodecContext *_Nullable, AVFrame *_Nullable))                                       \
  F(AVCodecParameters *_Nullable, avcodec_parameters_alloc, (void))                                                    \
  F(void, avcodec_parameters_free, (AVCodecParameters *_Nullable *_Nonnull))                                           \
  F(int, avcodec_parameters_to_context, (AVCodecContext *_Nonnull, const AVCodecParameters *_Nonnull))                 \
  F(AVPacket *_Nullable, av_packet_alloc, (void))                                                                      \
  F(void, av_packet_free, (AVPacket *_Nullable *_Nonnull))                                                             \
  F(void, av_packet_unref, (AVPacket *_Nonnull))                                                                       \
  F(AVFrame *_Nullable, av_frame_alloc, (void))                                                                        \
  F(void, av_frame_free, (AVFrame *_Nullable *_Nonnull))                                                               \
  F(void, av_frame_unref, (AVFrame *_Nonnull))                                                                         \
  F(int, av_frame_copy_props, (AVFrame *_Nonnull, const AVFrame *_Nonnull))                                            \
  F(const AVOption *_Nullable, av_opt_find,                                                                            \
    (void *_Nonnull, const char *_Nonnull, const char *_Nullable unit, int flags, int search))                         \
  F(int, av_opt_set, (void *_Nonnull, const char *_Nonnull, const char *_Nonnull, int search))                         \
  F(int, av_opt_set_int, (void *_Nonnull, const char *_Nonnull, int64_t, int search))                                  \
  F(int, av_opt_set_q, (void *_Nonnull, const char *_Nonnull, AVRational, int search))                                 \
  F(int, av_opt_get_int, (void *_Nonnull, const char *_Nonnull, int search, int64_t *_Nonnull))                        \
  F(int, av_opt_get_chlayout, (void *_Nonnull, const char *_Nonnull, int search, AVChannelLayout *_Nonnull))           \
  F(void, av_channel_layout_default, (AVChannelLayout *_Nonnull, int channels))                                        \
  F(void, av_channel_layout_uninit, (AVChannelLayout *_Nonnull))                                                       \
  F(void *_Nullable, av_mallocz, (size_t))                                                                             \
  F(void, av_max_alloc, (size_t))                                                                                      \
  F(void, av_log_set_level, (int))                                                                                     \
  F(int, av_strerror, (int, char *_Nonnull, size_t))

// Functions of libavformat and libavutil.
#define SEGUE_AVFORMAT_FUNCTIONS(F)                                                                                    \
  F(AVFormatContext *_Nullable, avformat_alloc_context, (void))                                                        \
  F(unsigned, avformat_version, (void))                                                                                \
  F(int, avformat_open_input,                                                                                          \
    (AVFormatContext *_Nullable *_Nonnull, const char *_Nullable, const AVInputFormat *_Nullable, void *_Nullable))    \
  F(void, avformat_close_input, (AVFormatContext *_Nullable *_Nonnull))                                                \
  F(const AVInputFormat *_Nullable, av_find_input_format, (const char *_Nonnull))                                      \
  F(const void *_Nullable, av_stream_get_class, (void))                                                                \
  F(int, av_read_frame, (AVFormatContext *_Nonnull, AVPacket *_Nonnull))                                               \
  F(int, av_seek_frame, (AVFormatContext *_Nonnull, int, int64_t, int flags))                                          \
  F(AVIOContext *_Nullable, avio_alloc_context,                                                                        \
    (unsigned char *_Nullable, int, int writes, void *_Nullable,                                                       \
     int (*_Nullable read)(void *_Nullable, uint8_t *_Nullable, int), void *_Nullable write,                           \
     int64_t (*_Nullable seek)(void *_Nullable, int64_t, int)))                                                        \
  F(void, avio_context_free, (AVIOContext *_Nullable *_Nonnull))                                                       \
  F(AVDictionaryEntry *_Nullable, av_dict_get,                                                                         \
    (const AVDictionary *_Nullable, const char *_Nonnull, const AVDictionaryEntry *_Nullable, int flags))              \
  F(void *_Nullable, av_malloc, (size_t))                                                                              \
  F(void, av_free, (void *_Nullable))

#define SEGUE_AV_FIELD(result, name, parameters) result (*_Nonnull name) parameters;
#define SEGUE_AV_FIND(result, name, parameters)                                                                        \
  if (!(table->name = (__typeof__(table->name))dlsym(library, #name))) return #name;

typedef struct segue_avcodec {
  SEGUE_AVCODEC_FUNCTIONS(SEGUE_AV_FIELD)
  segue_av_major major;
} segue_avcodec;

// With the functions of the libavcodec that this libavformat uses.
typedef struct segue_avformat {
  SEGUE_AVFORMAT_FUNCTIONS(SEGUE_AV_FIELD)
  segue_avcodec codec;
} segue_avformat;

// Fills a table from an open library and those that it needs. Returns the name of a function that is missing, or null.
static inline const char *_Nullable segue_avcodec_find(void *_Nonnull library, segue_avcodec *_Nonnull table) {
  SEGUE_AVCODEC_FUNCTIONS(SEGUE_AV_FIND)
  return 0;
}
static inline const char *_Nullable segue_avformat_find(void *_Nonnull library, segue_avformat *_Nonnull table) {
  SEGUE_AVFORMAT_FUNCTIONS(SEGUE_AV_FIND)
  return segue_avcodec_find(library, &table->codec);
}
#endif
