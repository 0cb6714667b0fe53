// The shared libraries that are opened by name: one table, from which they are opened, messages and `segue doctor` name
// them, packages recommend them, and notes in the program (.note.dlopen) tell packagers of them.
#ifndef SEGUE_CLIBRARIES_H
#define SEGUE_CLIBRARIES_H

// Between the names of one library, as in a list of JSON.
#define OR "\",\""

// L(id, name, purpose, priority for packagers (uapi-group.org/specifications/specs/elf_dlopen_metadata),
//   packages of Debian 12, of Debian 13, of Fedora, of Arch, sonames with the newest first)
// Where Debian 13 and the newer ones have several names, `|` stands between them.
#define SEGUE_LIBRARIES(L)                                                                                             \
  L(PULSE, "libpulse", "sound", "recommended",                                                                         \
    "libpulse0", "libpulse0", "pulseaudio-libs", "libpulse", "libpulse.so.0")                                          \
  L(ALSA, "libasound", "sound without a server", "suggested",                                                          \
    "libasound2", "libasound2t64", "alsa-lib", "alsa-lib", "libasound.so.2")                                           \
  L(FLAC, "libFLAC", "FLAC", "recommended",                                                                            \
    "libflac12", "libflac14|libflac12t64", "flac-libs", "flac", "libFLAC.so.14" OR "libFLAC.so.12")                    \
  L(VORBIS, "libvorbis", "Vorbis", "recommended",                                                                      \
    "libvorbis0a", "libvorbis0a", "libvorbis", "libvorbis", "libvorbis.so.0")                                          \
  L(OPUS, "libopus", "Opus", "recommended", "libopus0", "libopus0", "opus", "opus", "libopus.so.0")                    \
  L(FAAD, "libfaad", "AAC", "recommended", "libfaad2", "libfaad2", "faad2-libs", "faad2", "libfaad.so.2")              \
  L(AVCODEC, "libavcodec", "AC-3, E-AC-3, AAC that libfaad does not decode", "recommended",                            \
    "libavcodec59", "libavcodec61|libavcodec62|libavcodec63|libavcodec60", "libavcodec-free", "ffmpeg",                \
    "libavcodec.so.63" OR "libavcodec.so.62" OR "libavcodec.so.61" OR "libavcodec.so.60" OR "libavcodec.so.59")        \
  L(AVFORMAT, "libavformat", "WMA, WavPack, Monkey's Audio, Musepack, True Audio, MPEG-TS, FLV, AVI, DSD",             \
    "recommended",                                                                                                     \
    "libavformat59", "libavformat61|libavformat62|libavformat63|libavformat60", "libavformat-free", "ffmpeg",          \
    "libavformat.so.63" OR "libavformat.so.62" OR "libavformat.so.61" OR "libavformat.so.60" OR "libavformat.so.59")   \
  L(AMRNB, "libopencore-amrnb", "AMR", "recommended",                                                                  \
    "libopencore-amrnb0", "libopencore-amrnb0", "opencore-amr", "opencore-amr", "libopencore-amrnb.so.0")              \
  L(AMRWB, "libopencore-amrwb", "AMR-WB", "recommended",                                                               \
    "libopencore-amrwb0", "libopencore-amrwb0", "opencore-amr", "opencore-amr", "libopencore-amrwb.so.0")              \
  L(LAME, "libmp3lame", "serving MP3", "suggested",                                                                    \
    "libmp3lame0", "libmp3lame0", "lame-libs", "lame", "libmp3lame.so.0")                                              \
  L(CURL, "libcurl", "http:// and https:// addresses", "recommended",                                                  \
    "libcurl4", "libcurl4t64", "libcurl", "curl", "libcurl.so.4")                                                      \
  L(CRYPTO, "libcrypto", "encrypted HLS, Last.fm", "recommended",                                                      \
    "libssl3", "libssl3t64|libssl4", "openssl-libs", "openssl", "libcrypto.so.4" OR "libcrypto.so.3")                  \
  L(TURBOJPEG, "libturbojpeg", "JPEG covers", "recommended",                                                           \
    "libturbojpeg0", "libturbojpeg0|libturbojpeg", "turbojpeg", "libjpeg-turbo", "libturbojpeg.so.0")                  \
  L(PNG, "libpng16", "PNG covers", "recommended",                                                                      \
    "libpng16-16", "libpng16-16t64", "libpng", "libpng", "libpng16.so.16")                                             \
  L(WEBP, "libwebp", "WebP covers", "recommended", "libwebp7", "libwebp7", "libwebp", "libwebp", "libwebp.so.7")       \
  L(RUBBERBAND, "Rubber Band", "speeds other than 1, and the effect pitch", "recommended",                             \
    "librubberband2", "librubberband2|librubberband3", "rubberband-libs", "rubberband",                                \
    "librubberband.so.3" OR "librubberband.so.2")                                                                      \
  L(SAMPLERATE, "libsamplerate", "other sample rates", "suggested",                                                    \
    "libsamplerate0", "libsamplerate0", "libsamplerate", "libsamplerate", "libsamplerate.so.0")                        \
  L(FRIBIDI, "libfribidi", "right-to-left scripts", "recommended",                                                     \
    "libfribidi0", "libfribidi0", "fribidi", "fribidi", "libfribidi.so.0")                                             \
  L(SQLITE, "libsqlite3", "the music library", "recommended",                                                          \
    "libsqlite3-0", "libsqlite3-0", "sqlite-libs", "sqlite", "libsqlite3.so.0")                                        \
  L(UCHARDET, "libuchardet", "character sets", "recommended",                                                          \
    "libuchardet0", "libuchardet0", "uchardet", "uchardet", "libuchardet.so.0")                                        \
  L(PCRE2, "libpcre2-8", "regular expressions of MPD clients", "suggested",                                            \
    "libpcre2-8-0", "libpcre2-8-0", "pcre2", "pcre2", "libpcre2-8.so.0")                                               \
  L(DBUS, "libdbus-1", "media keys, sleep", "suggested",                                                               \
    "libdbus-1-3", "libdbus-1-3", "dbus-libs", "dbus", "libdbus-1.so.3")

// The same of libraries that are linked: packagers find them by themselves.
#define SEGUE_LINKED_LIBRARIES(L)                                                                                      \
  L(MPG123, "libmpg123", "MP3, MP2, MP1", "required",                                                                  \
    "libmpg123-0", "libmpg123-0t64", "mpg123-libs", "mpg123", "libmpg123.so.0")

#define SEGUE_ID(id, ...) SEGUE_##id,
enum { SEGUE_LIBRARIES(SEGUE_ID) SEGUE_LINKED_LIBRARIES(SEGUE_ID) SEGUE_LIBRARY_COUNT };
#undef SEGUE_ID

// A row of the table. Names are separated by `","`, packages by `|`.
typedef struct {
  const char *_Nonnull name, *_Nonnull purpose, *_Nonnull priority;
  const char *_Nonnull debian12, *_Nonnull debian13, *_Nonnull fedora, *_Nonnull arch;
  const char *_Nonnull sonames;
} segue_library;

// The row of a library. Any thread.
const segue_library *_Nonnull segue_library_row(long id);

// Opens a library by a name of its file; null if it cannot be loaded. A program that was built with SEGUE_LIBRARY_FOLDER
// looks in that folder first. Any thread.
void *_Nullable segue_open(const char *_Nonnull soname);

// Opens a library by the first of its names that can be loaded; null if none can. Any thread.
void *_Nullable segue_library_open(long id);

// The loader's words about a library that is there and could not be loaded, after this thread's last call of one of both;
// null if it is not there at all.
const char *_Nullable segue_library_failure(void);

#endif
