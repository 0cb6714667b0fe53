#include "libraries.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define SEGUE_ROW(id, name, purpose, priority, debian12, debian13, fedora, arch, sonames)                              \
  [SEGUE_##id] = {name, purpose, priority, debian12, debian13, fedora, arch, sonames},
static const segue_library libraries[SEGUE_LIBRARY_COUNT] = {SEGUE_LIBRARIES(SEGUE_ROW)};

const segue_library *segue_library_row(long id) { return &libraries[id]; }

#ifndef SEGUE_LIBRARY_FOLDER
#define SEGUE_LIBRARY_FOLDER ""
#endif

static _Thread_local char failure[512];

const char *segue_library_failure(void) { return *failure ? failure : 0; }

// Keeps the loader's words, unless they say that there is no such file: then another name may be there.
static void keep_failure(const char *path) {
  const char *words = dlerror();
  if (!words || *failure) return;
  size_t length = strlen(path);
  if (!strncmp(words, path, length) && strstr(words + length, "No such file or directory")) return;
  snprintf(failure, sizeof failure, "%s", words);
}

void *segue_library_open(long id) {
  static const char separator[] = OR, *const folders[] = {SEGUE_LIBRARY_FOLDER "/", ""};
  char path[4096];
  *failure = 0;
  for (const char *rest = libraries[id].sonames; *rest;) {
    const char *end = strstr(rest, separator);
    size_t length = end ? (size_t)(end - rest) : strlen(rest);
    for (int i = *SEGUE_LIBRARY_FOLDER ? 0 : 1; i < 2; i++) {
      snprintf(path, sizeof path, "%s%.*s", folders[i], (int)length, rest);
      void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
      if (library) return library;
      keep_failure(path);
    }
    rest += length + (end ? sizeof separator - 1 : 0);
  }
  return 0;
}

// A note for each library: owner FDO, type 0x407c0c0a, a list of one JSON object.
#define SEGUE_JSON(name, purpose, priority, sonames)                                                                   \
  "[{\"soname\":[\"" sonames "\"],\"feature\":\"" name "\",\"description\":\"" purpose                                 \
  "\",\"priority\":\"" priority "\"}]"
#define SEGUE_NOTE(id, name, purpose, priority, debian12, debian13, fedora, arch, sonames)                             \
  __attribute__((used, retain, aligned(4), section(".note.dlopen"))) static const struct {                             \
    uint32_t ownerSize, textSize, type;                                                                                \
    char owner[4];                                                                                                     \
    char text[(sizeof SEGUE_JSON(name, purpose, priority, sonames) + 3) & ~3u];                                        \
  } segue_note_##id = {                                                                                                \
      4, sizeof SEGUE_JSON(name, purpose, priority, sonames), 0x407c0c0a, "FDO",                                       \
      SEGUE_JSON(name, purpose, priority, sonames)};
SEGUE_LIBRARIES(SEGUE_NOTE)
