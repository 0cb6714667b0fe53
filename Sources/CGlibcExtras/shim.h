// Functions of glibc that Swift's `Glibc` lacks, declared by hand as glibc declares them. No glibc header is included: a
// type that two modules declare belongs to the one that the compiler happens to load first, so a file that imports the
// other compiles on one machine and not on the next.
#ifndef SEGUE_CGLIBCEXTRAS_SHIM_H
#define SEGUE_CGLIBCEXTRAS_SHIM_H
#include <stddef.h>
#include <stdint.h>

int wcwidth(int32_t character);
int pthread_setname_np(unsigned long thread, const char *name);
int mallopt(int parameter, int value);
static const int SEGUE_M_ARENA_MAX = -8;
static const int SEGUE_M_MMAP_THRESHOLD = -3;

// dladdr(3): which file an address was loaded from.
struct segue_dl_info {
  const char *file;
  void *base;
  const char *symbol;
  void *address;
};
int segue_dladdr(const void *address, struct segue_dl_info *information) __asm__("dladdr");

int malloc_trim(size_t padding);

// ioprio_set(2) for the calling thread: its disk requests wait for those of all others.
long segue_syscall(long number, ...) __asm__("syscall");
static inline void segue_read_at_idle(void) {
#if defined(__x86_64__)
  segue_syscall(251, 1, 0, 3 << 13);  // IOPRIO_WHO_PROCESS, IOPRIO_CLASS_IDLE
#elif defined(__aarch64__)
  segue_syscall(30, 1, 0, 3 << 13);
#endif
}

// dl_iterate_phdr(3): the program and its libraries as they lie in memory. Elf64_Phdr, Elf64_Dyn and dl_phdr_info.
struct segue_elf_segment {
  uint32_t type, flags;
  uint64_t file_offset, address, physical_address, file_size, memory_size, alignment;
};
struct segue_elf_dynamic {
  int64_t tag;
  uint64_t value;
};
struct segue_elf_object {
  uintptr_t base;
  const char *name;
  const struct segue_elf_segment *segments;
  uint16_t segment_count;
};
int segue_each_elf_object(int (*call)(const struct segue_elf_object *, size_t, void *), void *context)
    __asm__("dl_iterate_phdr");

// timerfd_create(2) and timerfd_settime(2).
struct segue_itimerspec {
  int64_t interval_seconds, interval_nanoseconds, seconds, nanoseconds;
};
int timerfd_create(int clock, int flags);
int segue_timerfd_settime(int descriptor, int flags, const struct segue_itimerspec *value, struct segue_itimerspec *old)
    __asm__("timerfd_settime");
static const int SEGUE_TFD_FLAGS = 04000 | 02000000;  // TFD_NONBLOCK | TFD_CLOEXEC
static const int SEGUE_TFD_TIMER_ABSTIME = 1;

// eventfd(2) and signalfd(2). A mask is a sigset_t; what is read from a signalfd begins with the signal's number.
int eventfd(unsigned int count, int flags);
int signalfd(int descriptor, const void *mask, int flags);
static const int SEGUE_EFD_FLAGS = 04000 | 02000000;  // EFD_NONBLOCK | EFD_CLOEXEC
static const int SEGUE_SFD_FLAGS = 04000 | 02000000;  // SFD_NONBLOCK | SFD_CLOEXEC
struct segue_signalfd_siginfo {
  uint32_t number;
  uint8_t rest[124];
};

// A file in memory, and holes in files. An offset is a 64-bit off_t.
int memfd_create(const char *name, unsigned int flags);
int fallocate(int descriptor, int mode, int64_t offset, int64_t count);
static const unsigned int SEGUE_MFD_CLOEXEC = 1;
static const int SEGUE_O_TMPFILE = 020000000 | 0200000;  // __O_TMPFILE | O_DIRECTORY
static const int SEGUE_PUNCH_HOLE = 1 | 2;  // FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE

// statfs(2) of 64-bit machines: the type of a file system and its number.
struct segue_statfs {
  int64_t type, block_size;
  uint64_t blocks, free_blocks, available_blocks, files, free_files;
  int64_t filesystem;
  int64_t name_length, fragment_size, flags, spare[4];
};
int segue_statfs(const char *path, struct segue_statfs *facts) __asm__("statfs");

// preadv2(2) with RWF_NOWAIT: reads only what needs no disk.
struct segue_iovec {
  void *base;
  size_t count;
};
long segue_preadv2(int descriptor, const struct segue_iovec *parts, int count, int64_t offset, int flags)
    __asm__("preadv2");
static const int SEGUE_RWF_NOWAIT = 8;

// statx(2) of an open file with AT_EMPTY_PATH | AT_STATX_DONT_SYNC: what the kernel knows, without asking a server.
struct segue_statx_time {
  int64_t seconds;
  uint32_t nanoseconds;
  int32_t unused;
};
struct segue_statx {
  uint32_t mask, block_size;
  uint64_t attributes;
  uint32_t links, user, group;
  uint16_t mode, unused;
  uint64_t number, size, blocks, attributes_mask;
  struct segue_statx_time accessed, created, changed, modified;
  uint64_t rest[16];
};
int segue_statx(int descriptor, const char *path, int flags, unsigned int mask, struct segue_statx *facts)
    __asm__("statx");
static const int SEGUE_STATX_FLAGS = 0x1000 | 0x4000;
static const unsigned int SEGUE_STATX_BASIC = 0x7ff;

static const int SEGUE_SOCK_CLOEXEC = 02000000;
int segue_accept4(int descriptor, void *address, void *length, int flags) __asm__("accept4");

// Processes and pseudo-terminals, for the tests.
int pipe2(int descriptors[2], int flags);
int posix_openpt(int flags);
int grantpt(int descriptor);
int unlockpt(int descriptor);
int ptsname_r(int descriptor, char *buffer, size_t size);
extern char **environ;
static inline char **segue_environment(void) { return environ; }
static const short SEGUE_POSIX_SPAWN_SETSID = 0x80;
#endif
