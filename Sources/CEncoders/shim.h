// The encoders of libopus, libFLAC and libmp3lame, declared here so that building needs no header, and their functions
// as tables that are filled when a stream is first served in their format.
#ifndef SEGUE_CENCODERS_SHIM_H
#define SEGUE_CENCODERS_SHIM_H
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#include "../CLibraries/libraries.h"

#define SEGUE_FIND(field, name) if (!(table.field = (__typeof__(table.field))dlsym(library, name))) return 0

// opus.h, the same since version 1.0.
typedef struct OpusEncoder OpusEncoder;
typedef struct {
  OpusEncoder *_Nullable (*_Nonnull create)(int32_t rate, int channels, int application, int *_Nullable error);
  void (*_Nonnull destroy)(OpusEncoder *_Nonnull encoder);
  int (*_Nonnull ctl)(OpusEncoder *_Nonnull encoder, int request, ...);
  int32_t (*_Nonnull encode_float)(
      OpusEncoder *_Nonnull encoder, const float *_Nonnull samples, int frames, uint8_t *_Nonnull packet, int32_t size);
} opus_encoder_functions;

// The functions; null where the library is not installed. To be called once.
static inline const opus_encoder_functions *_Nullable opus_encoder_load(void) {
  static opus_encoder_functions table;
  void *library = segue_library_open(SEGUE_OPUS);
  if (!library) return 0;
  SEGUE_FIND(create, "opus_encoder_create");
  SEGUE_FIND(destroy, "opus_encoder_destroy");
  SEGUE_FIND(ctl, "opus_encoder_ctl");
  SEGUE_FIND(encode_float, "opus_encode_float");
  return &table;
}

// Swift calls no variadic functions. OPUS_SET_BITRATE, OPUS_GET_LOOKAHEAD.
static inline int opus_encoder_set_bit_rate(
    const opus_encoder_functions *_Nonnull opus, OpusEncoder *_Nonnull encoder, int32_t bits) {
  return opus->ctl(encoder, 4002, bits);
}
static inline int32_t opus_encoder_lookahead(
    const opus_encoder_functions *_Nonnull opus, OpusEncoder *_Nonnull encoder) {
  int32_t frames = 0;
  opus->ctl(encoder, 4027, &frames);
  return frames;
}

// FLAC/stream_encoder.h, the same since version 1.2.
typedef struct FLACEncoder FLACEncoder;
typedef int (*flac_encoder_write)(
    const FLACEncoder *_Nonnull encoder, const uint8_t *_Nonnull bytes, size_t count, uint32_t frames, uint32_t number,
    void *_Nullable client);
typedef int (*flac_encoder_set)(FLACEncoder *_Nonnull encoder, uint32_t value);
typedef struct {
  FLACEncoder *_Nullable (*_Nonnull create)(void);
  void (*_Nonnull destroy)(FLACEncoder *_Nonnull encoder);
  flac_encoder_set _Nonnull set_channels, set_bits_per_sample, set_sample_rate, set_compression_level, set_blocksize;
  int (*_Nonnull set_streamable_subset)(FLACEncoder *_Nonnull encoder, int value);
  int (*_Nonnull init_stream)(
      FLACEncoder *_Nonnull encoder, flac_encoder_write _Nonnull write, void *_Nullable seek, void *_Nullable tell,
      void *_Nullable metadata, void *_Nullable client);
  int (*_Nonnull process_interleaved)(
      FLACEncoder *_Nonnull encoder, const int32_t *_Nonnull samples, uint32_t frames);
  int (*_Nonnull finish)(FLACEncoder *_Nonnull encoder);
} flac_encoder_functions;

// The functions; null where the library is not installed. To be called once.
static inline const flac_encoder_functions *_Nullable flac_encoder_load(void) {
  static flac_encoder_functions table;
  // 12 is 1.4, 14 is 1.5, which differs in nothing that is used here.
  void *library = segue_library_open(SEGUE_FLAC);
  if (!library) return 0;
  SEGUE_FIND(create, "FLAC__stream_encoder_new");
  SEGUE_FIND(destroy, "FLAC__stream_encoder_delete");
  SEGUE_FIND(set_channels, "FLAC__stream_encoder_set_channels");
  SEGUE_FIND(set_bits_per_sample, "FLAC__stream_encoder_set_bits_per_sample");
  SEGUE_FIND(set_sample_rate, "FLAC__stream_encoder_set_sample_rate");
  SEGUE_FIND(set_compression_level, "FLAC__stream_encoder_set_compression_level");
  SEGUE_FIND(set_blocksize, "FLAC__stream_encoder_set_blocksize");
  SEGUE_FIND(set_streamable_subset, "FLAC__stream_encoder_set_streamable_subset");
  SEGUE_FIND(init_stream, "FLAC__stream_encoder_init_stream");
  SEGUE_FIND(process_interleaved, "FLAC__stream_encoder_process_interleaved");
  SEGUE_FIND(finish, "FLAC__stream_encoder_finish");
  return &table;
}

// lame.h, the same since version 3.98.
typedef struct lame_global_struct LAME;
typedef int (*lame_set)(LAME *_Nonnull lame, int value);
typedef struct {
  LAME *_Nullable (*_Nonnull create)(void);
  int (*_Nonnull destroy)(LAME *_Nonnull lame);
  lame_set _Nonnull set_in_samplerate, set_out_samplerate, set_num_channels, set_brate, set_quality, set_write_tag;
  int (*_Nonnull init_params)(LAME *_Nonnull lame);
  int (*_Nonnull encode)(
      LAME *_Nonnull lame, const float *_Nonnull samples, int frames, uint8_t *_Nonnull bytes, int size);
} lame_functions;

// The functions; null where the library is not installed. To be called once.
static inline const lame_functions *_Nullable lame_load(void) {
  static lame_functions table;
  void *library = segue_library_open(SEGUE_LAME);
  if (!library) return 0;
  SEGUE_FIND(create, "lame_init");
  SEGUE_FIND(destroy, "lame_close");
  SEGUE_FIND(set_in_samplerate, "lame_set_in_samplerate");
  SEGUE_FIND(set_out_samplerate, "lame_set_out_samplerate");
  SEGUE_FIND(set_num_channels, "lame_set_num_channels");
  SEGUE_FIND(set_brate, "lame_set_brate");
  SEGUE_FIND(set_quality, "lame_set_quality");
  SEGUE_FIND(set_write_tag, "lame_set_bWriteVbrTag");
  SEGUE_FIND(init_params, "lame_init_params");
  SEGUE_FIND(encode, "lame_encode_buffer_interleaved_ieee_float");
  return &table;
}
#undef SEGUE_FIND
#endif
