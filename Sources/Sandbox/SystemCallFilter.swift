internal import CSandbox
internal import Glibc

/// The system calls that a player never makes, as a program for the kernel's filter (seccomp(2), classic BPF).
///
/// It lists the forbidden calls rather than the allowed ones, because libraries on other systems make calls that were never
/// seen here, and an update of one of them must not stop the player.
struct SystemCallFilter {
  private(set) var program: [sock_filter] = []

  /// - Parameter allowsModes: Whether owner, mode and attributes of files may be changed.
  init(allowsModes: Bool = false) {
    load(Field.architecture)
    refuse(unlessEqual: SEGUE_AUDIT_ARCH, with: ENOSYS)
    load(Field.number)
    #if arch(x86_64)
      // The calls of x32, which share numbers with other meanings.
      refuse(ifAtLeast: 0x4000_0000, with: ENOSYS)
    #endif
    for number in Self.unknown { refuse(ifEqual: UInt32(number), with: ENOSYS) }
    for number in Self.forbidden { refuse(ifEqual: UInt32(number), with: EPERM) }
    if !allowsModes { for number in Self.modes { refuse(ifEqual: UInt32(number), with: EPERM) } }
    inspect(Int32(__NR_clone), Field.argument(0)) { filter in
      // Threads, but no processes.
      filter.append(BPF_JMP | BPF_JSET | BPF_K, UInt32(Self.cloneThread), whenTrue: 1, whenFalse: 0)
      filter.answer(error: EPERM)
    }
    inspect(Int32(__NR_ioctl), Field.argument(1)) { filter in
      for request in Self.keystrokes { filter.refuse(ifEqual: request, with: EPERM) }
    }
    inspect(Int32(__NR_socket), Field.argument(0)) { filter in
      let families = [AF_UNIX, AF_INET, AF_INET6, AF_NETLINK]
      for (index, family) in families.enumerated() {
        // Jumps over the remaining comparisons and the refusal.
        filter.append(
          BPF_JMP | BPF_JEQ | BPF_K, UInt32(family), whenTrue: UInt8(families.count - index), whenFalse: 0)
      }
      filter.answer(error: EAFNOSUPPORT)
    }
    answer(SEGUE_RETURN_ALLOW)
  }

  /// Calls that fail as on an older kernel, so that callers use the previous call. A filter cannot see their arguments.
  private static let unknown = [__NR_clone3, __NR_io_uring_setup, __NR_io_uring_enter, __NR_io_uring_register]

  private static let forbidden: [Int32] =
    programs + otherProcesses + namespaces + privileges + kernel + architectureSpecific

  private static let programs = [__NR_execve, __NR_execveat]
  private static let otherProcesses = [
    __NR_ptrace, __NR_process_vm_readv, __NR_process_vm_writev, __NR_process_madvise, __NR_pidfd_getfd, __NR_kcmp,
  ]
  private static let namespaces = [
    __NR_unshare, __NR_setns, __NR_mount, __NR_umount2, __NR_pivot_root, __NR_chroot, __NR_open_tree, __NR_move_mount,
    __NR_fsopen, __NR_fsconfig, __NR_fsmount, __NR_fspick, __NR_mount_setattr,
  ]
  private static let privileges = [
    __NR_setuid, __NR_setgid, __NR_setreuid, __NR_setregid, __NR_setresuid, __NR_setresgid, __NR_setgroups,
    __NR_setfsuid, __NR_setfsgid, __NR_capset, __NR_add_key, __NR_request_key, __NR_keyctl, __NR_personality,
  ]
  private static let kernel = [
    __NR_init_module, __NR_finit_module, __NR_delete_module, __NR_kexec_load, __NR_reboot, __NR_bpf,
    __NR_perf_event_open, __NR_userfaultfd, __NR_swapon, __NR_swapoff, __NR_acct, __NR_quotactl, __NR_syslog,
    __NR_settimeofday, __NR_clock_settime, __NR_adjtimex, __NR_clock_adjtime, __NR_sethostname, __NR_setdomainname,
    __NR_vhangup, __NR_open_by_handle_at, __NR_fanotify_init, __NR_lookup_dcookie, __NR_nfsservctl,
  ]
  /// Landlock does not restrict these.
  private static let modes: [Int32] =
    [
      __NR_fchmod, __NR_fchmodat, __NR_fchown, __NR_fchownat, __NR_setxattr, __NR_lsetxattr, __NR_fsetxattr,
      __NR_removexattr, __NR_lremovexattr, __NR_fremovexattr, __NR_mknodat,
    ] + modesOfX86
  #if arch(x86_64)
    private static let modesOfX86 = [__NR_chmod, __NR_chown, __NR_lchown, __NR_mknod]
    private static let architectureSpecific = [
      __NR_fork, __NR_vfork, __NR_iopl, __NR_ioperm, __NR_modify_ldt, __NR_uselib, __NR__sysctl, __NR_kexec_file_load,
    ]
  #else
    private static let modesOfX86: [Int32] = []
    private static let architectureSpecific: [Int32] = []
  #endif

  /// TIOCSTI and TIOCLINUX type into the terminal: the shell would run the text after the player has ended.
  private static let keystrokes: [UInt32] = [0x5412, 0x541c]
  private static let cloneThread = 0x0001_0000

  // MARK: The program

  /// Offsets of the fields of `seccomp_data`. The lower halves of the arguments are read: these have 32 bits.
  private enum Field {
    static let number: UInt32 = 0
    static let architecture: UInt32 = 4
    static func argument(_ index: UInt32) -> UInt32 { 16 + 8 * index }
  }

  private mutating func append(_ code: Int32, _ value: UInt32, whenTrue: UInt8 = 0, whenFalse: UInt8 = 0) {
    program.append(sock_filter(code: UInt16(truncatingIfNeeded: code), jt: whenTrue, jf: whenFalse, k: value))
  }

  private mutating func load(_ field: UInt32) { append(BPF_LD | BPF_W | BPF_ABS, field) }

  private mutating func answer(_ value: UInt32) { append(BPF_RET | BPF_K, value) }

  private mutating func answer(error: Int32) { answer(SEGUE_RETURN_ERROR | UInt32(error)) }

  private mutating func refuse(ifEqual value: UInt32, with error: Int32) {
    append(BPF_JMP | BPF_JEQ | BPF_K, value, whenTrue: 0, whenFalse: 1)
    answer(error: error)
  }

  private mutating func refuse(unlessEqual value: UInt32, with error: Int32) {
    append(BPF_JMP | BPF_JEQ | BPF_K, value, whenTrue: 1, whenFalse: 0)
    answer(error: error)
  }

  private mutating func refuse(ifAtLeast value: UInt32, with error: Int32) {
    append(BPF_JMP | BPF_JGE | BPF_K, value, whenTrue: 0, whenFalse: 1)
    answer(error: error)
  }

  /// Checks an argument of one call. The instructions of `check` refuse the call or run to their end, which allows it.
  private mutating func inspect(_ number: Int32, _ field: UInt32, _ check: (inout Self) -> Void) {
    let start = program.count
    append(BPF_JMP | BPF_JEQ | BPF_K, UInt32(number))
    load(field)
    check(&self)
    answer(SEGUE_RETURN_ALLOW)
    program[start].jf = UInt8(program.count - start - 1)
  }
}
