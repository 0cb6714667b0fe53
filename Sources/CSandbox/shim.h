// Landlock and seccomp. glibc has no functions for either, and Debian 12's headers know only the first version of
// Landlock: the numbers are the kernel's (include/uapi/linux/landlock.h).
#ifndef SEGUE_CSANDBOX_SHIM_H
#define SEGUE_CSANDBOX_SHIM_H
#include <asm/unistd.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

struct segue_landlock_rules {
  uint64_t files;    // LANDLOCK_ACCESS_FS_...
  uint64_t network;  // LANDLOCK_ACCESS_NET_..., from version 4 on
};

// Packed in the kernel, too.
struct segue_landlock_path {
  uint64_t allowed;
  int32_t descriptor;
} __attribute__((packed));

// The version of Landlock that the kernel has, or -1.
static inline long segue_landlock_version(void) {
  return syscall(__NR_landlock_create_ruleset, NULL, (size_t)0, 1u);
}
static inline int segue_landlock_create(const struct segue_landlock_rules *rules, size_t byte_count) {
  return (int)syscall(__NR_landlock_create_ruleset, rules, byte_count, 0u);
}
static inline int segue_landlock_allow(int rules, const struct segue_landlock_path *path) {
  return (int)syscall(__NR_landlock_add_rule, rules, 1, path, 0u);
}
struct segue_landlock_port {
  uint64_t allowed, port;
};
static inline int segue_landlock_allow_port(int rules, const struct segue_landlock_port *port) {
  return (int)syscall(__NR_landlock_add_rule, rules, 2, port, 0u);
}
static inline int segue_landlock_enter(int rules) {
  return (int)syscall(__NR_landlock_restrict_self, rules, 0u);
}

static inline int segue_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }
// 0, or -1 with errno. Counts for the calling thread and for those that it creates.
static inline int segue_filter_calls(const struct sock_filter *filter, uint16_t count) {
  struct sock_fprog program = {count, (struct sock_filter *)filter};
  return (int)syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0u, &program);
}

// fork(2), which Swift does not offer: whoever calls it must have no other thread.
int segue_fork(void) __asm__("fork");
void segue_exit(int status) __asm__("_exit") __attribute__((noreturn));
static inline void segue_name_process(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }
// Closes all files but the standard ones and one more, which is above them (close_range(2), since Linux 5.9).
static inline void segue_close_others(int kept) {
  if ((kept == 3 || syscall(__NR_close_range, 3u, (unsigned)kept - 1, 0u) == 0) &&
      syscall(__NR_close_range, (unsigned)kept + 1, ~0u, 0u) == 0)
    return;
  for (int file = 3; file < 1024; file++)
    if (file != kept) close(file);
}
// The processors that this process may use, as a mask of any size, and the one that it uses. Bytes or 0, or -1 with errno.
static inline long segue_processors(unsigned long *mask, size_t byte_count) {
  return syscall(__NR_sched_getaffinity, 0, byte_count, mask);
}
static inline long segue_use_processors(const unsigned long *mask, size_t byte_count) {
  return syscall(__NR_sched_setaffinity, 0, byte_count, mask);
}
static inline long segue_processor(unsigned *number) { return syscall(__NR_getcpu, number, NULL, NULL); }
// A signal for this process when its parent ends; 0: none.
static inline void segue_end_with_parent(int signal) { prctl(PR_SET_PDEATHSIG, (unsigned long)signal, 0, 0, 0); }

// One byte, and with it a descriptor where there is one (-1: none). 0, or -1 with errno.
static inline int segue_send_descriptor(int socket, int descriptor) {
  char byte = 0;
  struct iovec piece = {&byte, 1};
  union { struct cmsghdr header; char bytes[CMSG_SPACE(sizeof(int))]; } control;
  struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
  if (descriptor >= 0) {
    memset(&control, 0, sizeof control);
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(&control.header), &descriptor, sizeof descriptor);
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL) == 1 ? 0 : -1;
}
// Its counterpart: the descriptor, -1 for none, -2 if nobody sends.
static inline int segue_receive_descriptor(int socket) {
  char byte;
  struct iovec piece = {&byte, 1};
  union { struct cmsghdr header; char bytes[CMSG_SPACE(sizeof(int))]; } control;
  struct msghdr message = {
      .msg_iov = &piece, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != 1) return -2;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) return -1;
  int descriptor;
  memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  return descriptor;
}

#if defined(__x86_64__)
static const uint32_t SEGUE_AUDIT_ARCH = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
static const uint32_t SEGUE_AUDIT_ARCH = AUDIT_ARCH_AARCH64;
#else
static const uint32_t SEGUE_AUDIT_ARCH = 0;
#endif
static const uint32_t SEGUE_RETURN_ALLOW = SECCOMP_RET_ALLOW;
static const uint32_t SEGUE_RETURN_ERROR = SECCOMP_RET_ERRNO;
#endif
