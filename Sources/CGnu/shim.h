// What `import Glibc` leaves out.
#ifndef SEGUE_CGNU_SHIM_H
#define SEGUE_CGNU_SHIM_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <wchar.h>
#endif
