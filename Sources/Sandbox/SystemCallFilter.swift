internal import CSandbox
internal import Glibc

/// The system calls that a player never makes, as a program for the kernel's filter (seccomp(2), classic BPF).
///
/// It lists the forbidden calls rather than the allowed ones: libraries on other systems make calls that were never
/// tested, and an update of a library must not stop the player.
struct SystemCallFilter: Sendable {
  private(set) var program: [sock_filter]

  private init(code: [sock_filter]) { program = code }

  /// - Parameters:
  ///   - allowsModes: True if owner, mode and attributes of files may be changed.
  ///   - allowsProcesses: True if the process may be copied (fork).
  ///   - others: More forbidden calls.
  init(allowsModes: Bool = false, allowsProcesses: Bool = false, forbidding others: [Int32] = []) {
    self.init(code: [])
    load(Field.architecture)
    refuse(unlessEqual: SEGUE_AUDIT_ARCH, with: ENOSYS)
    load(Field.number)
    var verdicts = Self.verdicts(allowsModes: allowsModes, others)
    if allowsProcesses { verdicts[Int(__NR_clone)] = .allowed }
    program += Self.search(Self.ranges(verdicts)[...])
  }

  /// Applies the filter to the calling thread and to those that it creates. Returns true if the kernel accepted it.
  func enter() -> Bool {
    guard let count = UInt16(exactly: program.count), segue_no_new_privileges() == 0 else { return false }
    return program.withUnsafeBufferPointer { segue_filter_calls($0.baseAddress, count) == 0 }
  }

  // MARK: Verdicts

  /// The action of the filter for a call.
  private enum Verdict: Equatable {
    case allowed
    case refused(Int32)
    /// One argument decides.
    case inspected(Inspection)
  }

  private enum Inspection { case clone, ioctl, socket }

  private static func verdicts(allowsModes: Bool, _ others: [Int32]) -> [Verdict] {
    let refused = forbidden + others + (allowsModes ? [] : modes)
    let last = max(unknown.max() ?? 0, refused.max() ?? 0)
    var verdicts = [Verdict](repeating: .allowed, count: Int(last) + 1)
    verdicts[Int(__NR_clone)] = .inspected(.clone)
    verdicts[Int(__NR_ioctl)] = .inspected(.ioctl)
    verdicts[Int(__NR_socket)] = .inspected(.socket)
    for number in unknown { verdicts[Int(number)] = .refused(ENOSYS) }
    for number in refused { verdicts[Int(number)] = .refused(EPERM) }
    return verdicts
  }

  /// All call numbers with the same verdict, from `first` to the next range.
  private struct Range {
    var first: UInt32
    var verdict: Verdict
  }

  private static func ranges(_ verdicts: [Verdict]) -> [Range] {
    var ranges: [Range] = []
    func begin(_ first: UInt32, _ verdict: Verdict) {
      if ranges.last?.verdict != verdict { ranges.append(Range(first: first, verdict: verdict)) }
    }
    for (number, verdict) in verdicts.enumerated() { begin(UInt32(number), verdict) }
    begin(UInt32(verdicts.count), .allowed)
    #if arch(x86_64)
      // The calls of x32, which share numbers with other meanings.
      begin(0x4000_0000, .refused(ENOSYS))
    #endif
    return ranges
  }

  /// A binary search for the range of a number. The kernel runs the filter once for every call number when a thread
  /// enters it, so a list of comparisons would cost each start 0.2 ms per thread.
  private static func search(_ ranges: ArraySlice<Range>) -> [sock_filter] {
    guard ranges.count > 1 else { return ranges.first.map { leaf($0.verdict) } ?? [] }
    let middle = ranges.startIndex + ranges.count / 2
    let lower = search(ranges[..<middle])
    var filter = Self(code: [])
    if let distance = UInt8(exactly: lower.count) {
      filter.append(BPF_JMP | BPF_JGE | BPF_K, ranges[middle].first, whenTrue: distance)
    } else {
      // A conditional jump reaches at most 255 instructions.
      filter.append(BPF_JMP | BPF_JGE | BPF_K, ranges[middle].first, whenFalse: 1)
      filter.append(BPF_JMP | BPF_JA, UInt32(lower.count))
    }
    return filter.program + lower + search(ranges[middle...])
  }

  private static func leaf(_ verdict: Verdict) -> [sock_filter] {
    var filter = Self(code: [])
    switch verdict {
    case .allowed: break
    case .refused(let error):
      filter.answer(error: error)
      return filter.program
    case .inspected(.clone):
      // Threads, but no processes.
      filter.load(Field.argument(0))
      filter.append(BPF_JMP | BPF_JSET | BPF_K, cloneThread, whenTrue: 1)
      filter.answer(error: EPERM)
    case .inspected(.ioctl):
      filter.load(Field.argument(1))
      for request in keystrokes { filter.refuse(ifEqual: request, with: EPERM) }
    case .inspected(.socket):
      filter.load(Field.argument(0))
      let families = [AF_UNIX, AF_INET, AF_INET6, AF_NETLINK]
      for (index, family) in families.enumerated() {
        // Jumps over the remaining comparisons and the refusal.
        filter.append(BPF_JMP | BPF_JEQ | BPF_K, UInt32(family), whenTrue: UInt8(families.count - index))
      }
      filter.answer(error: EAFNOSUPPORT)
    }
    filter.answer(SEGUE_RETURN_ALLOW)
    return filter.program
  }

  /// Calls that fail as on an older kernel, so that callers use the previous call. A filter cannot see their arguments.
  static let unknown = [__NR_clone3, __NR_io_uring_setup, __NR_io_uring_enter, __NR_io_uring_register]

  static let forbidden: [Int32] =
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
  static let modes: [Int32] =
    [
      __NR_fchmod, __NR_fchmodat, __NR_fchown, __NR_fchownat, __NR_setxattr, __NR_lsetxattr, __NR_fsetxattr,
      __NR_removexattr, __NR_lremovexattr, __NR_fremovexattr, __NR_mknodat,
    ] + laterModes + modesOfX86
  /// Of Linux 6.6 to 6.17, for which headers may have no names: fchmodat2, setxattrat, removexattrat, file_setattr.
  private static let laterModes: [Int32] = [452, 463, 466, 469]
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
  private static let cloneThread: UInt32 = 0x0001_0000

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
}
