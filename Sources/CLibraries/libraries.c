#include "libraries.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define SEGUE_ROW(id, name, purpose, priority, debian12, debian13, fedora, arch, sonames)                              \
  [SEGUE_##id] = {name, purpose, priority, debian12, debian13, fedora, arch, sonames},
static const segue_library libraries[SEGUE_LIBRARY_COUNT] = {
  SEGUE_LIBRARIES(SEGUE_ROW) SEGUE_LINKED_LIBRARIES(SEGUE_ROW)};

const segue_library *segue_library_row(long id) { return &libraries[id]; }

#ifndef SEGUE_LIBRARY_FOLDER
#define SEGUE_LIBRARY_FOLDER ""
#endif

static _Thread_local char failure[512];

const char *segue_library_failure(void) { return *failure ? failure : 0; }

// Opens a file, and keeps the loader's words unless they say that there is none: another name may be there.
static void *open_file(const char *folder, const char *soname, int length) {
  char path[4096];
  int count = snprintf(path, sizeof path, "%s%.*s", folder, length, soname);
  void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  const char *words = library ? 0 : dlerror();
  if (!words || *failure) return library;
  if (strncmp(words, path, (size_t)count) || !strstr(words + count, "No such file or directory"))
    snprintf(failure, sizeof failure, "%s", words);
  return 0;
}

static void *open_name(const char *soname, size_t length) {
  void *library = *SEGUE_LIBRARY_FOLDER ? open_file(SEGUE_LIBRARY_FOLDER "/", soname, (int)length) : 0;
  return library ? library : open_file("", soname, (int)length);
}

void *segue_open(const char *soname) {
  *failure = 0;
  return open_name(soname, strlen(soname));
}

void *segue_library_open(long id) {
  static const char separator[] = OR;
  *failure = 0;
  for (const char *rest = libraries[id].sonames; *rest;) {
    const char *end = strstr(rest, separator);
    size_t length = end ? (size_t)(end - rest) : strlen(rest);
    void *library = open_name(rest, length);
    if (library) return library;
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
