// What `import Glibc` leaves out. No _GNU_SOURCE: with it <sys/select.h> differs from the one that Glibc was built
// with, and the two modules contradict each other. What it would unlock is declared here by hand, as glibc declares it.
#ifndef SEGUE_CGNU_SHIM_H
#define SEGUE_CGNU_SHIM_H
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <wchar.h>

int wcwidth(wchar_t character);
int pthread_setname_np(pthread_t thread, const char *name);
int pipe2(int descriptors[2], int flags);
int posix_openpt(int flags);
int grantpt(int descriptor);
int unlockpt(int descriptor);
int ptsname_r(int descriptor, char *buffer, size_t size);
extern char **environ;
static inline char **segue_environment(void) { return environ; }
static const short SEGUE_POSIX_SPAWN_SETSID = 0x80;
#endif
