import CSandbox
import Glibc
import Testing

@testable import Sandbox

/// The filter's program, run here as the kernel runs it: on a call's number and its arguments.
@Suite struct `The filter of system calls` {
  private let allowed: UInt32 = 0x7fff_0000
  private func refused(_ error: Int32) -> UInt32 { 0x0005_0000 | UInt32(error) }

  private func answer(_ number: Int32, _ arguments: [UInt32] = [], allowsModes: Bool = false) throws -> UInt32 {
    try run(
      SystemCallFilter(allowsModes: allowsModes).program, architecture: SEGUE_AUDIT_ARCH, UInt32(bitPattern: number),
      arguments)
  }

  /// linux/Documentation/networking/filter.rst, as far as the filter uses it.
  private func run(
    _ program: [sock_filter], architecture: UInt32, _ number: UInt32, _ arguments: [UInt32]
  ) throws -> UInt32 {
    var accumulator: UInt32 = 0
    var place = 0
    while true {
      let instruction = try #require(program.indices.contains(place) ? program[place] : nil, "the program has an end")
      var condition: Bool?
      switch Int32(instruction.code) {
      case BPF_LD | BPF_W | BPF_ABS:
        switch instruction.k {
        case 0: accumulator = number
        case 4: accumulator = architecture
        default:
          let index = Int(instruction.k - 16) / 8
          accumulator = arguments.indices.contains(index) ? arguments[index] : 0
        }
      case BPF_JMP | BPF_JEQ | BPF_K: condition = accumulator == instruction.k
      case BPF_JMP | BPF_JGE | BPF_K: condition = accumulator >= instruction.k
      case BPF_JMP | BPF_JSET | BPF_K: condition = accumulator & instruction.k != 0
      case BPF_JMP | BPF_JA: place += Int(instruction.k)
      case BPF_RET | BPF_K: return instruction.k
      default: Issue.record("unexpected instruction \(instruction)")
      }
      place += 1 + (condition.map { Int($0 ? instruction.jt : instruction.jf) } ?? 0)
    }
  }

  @Test func `refuses the calls of its lists, and no others`() throws {
    let forbidden = Set(SystemCallFilter.forbidden + SystemCallFilter.modes)
    let unknown = Set(SystemCallFilter.unknown)
    let inspected = Set([__NR_clone, __NR_ioctl, __NR_socket])
    for number in Int32(0)..<1000 where !inspected.contains(number) {
      let expected =
        unknown.contains(number) ? refused(ENOSYS) : forbidden.contains(number) ? refused(EPERM) : allowed
      #expect(try answer(number) == expected, "call \(number)")
    }
  }

  @Test func `refuses changes of modes that the kernel learned later`() throws {
    // fchmodat2, setxattrat, removexattrat, file_setattr
    for number: Int32 in [452, 463, 466, 469] { #expect(try answer(number) == refused(EPERM), "call \(number)") }
  }

  @Test func `only a process that is to be copied may make processes`() throws {
    #expect(try answer(__NR_clone, [0]) == refused(EPERM))
    let program = SystemCallFilter(allowsModes: true, allowsProcesses: true).program
    #expect(try run(program, architecture: SEGUE_AUDIT_ARCH, UInt32(__NR_clone), [0]) == allowed)
    #expect(try run(program, architecture: SEGUE_AUDIT_ARCH, UInt32(__NR_execve), []) == refused(EPERM))
  }

  @Test func `a list of any length is searched`() throws {
    let others = (0..<700).map { Int32(1000 + 2 * $0) }
    let program = SystemCallFilter(forbidding: others).program
    #expect(program.count < 4096, "the kernel's limit")
    for number in UInt32(1000)..<2500 {
      let expected = others.contains(Int32(number)) ? refused(EPERM) : allowed
      #expect(try run(program, architecture: SEGUE_AUDIT_ARCH, number, []) == expected, "call \(number)")
    }
  }

  @Test func `allows the process outside to change modes, and nothing else`() throws {
    for number in SystemCallFilter.modes { #expect(try answer(number, allowsModes: true) == allowed) }
    for number in SystemCallFilter.forbidden { #expect(try answer(number, allowsModes: true) == refused(EPERM)) }
  }

  @Test func `refuses other architectures, and on x86-64 the calls of x32`() throws {
    let program = SystemCallFilter().program
    #expect(try run(program, architecture: SEGUE_AUDIT_ARCH ^ 1, 0, []) == refused(ENOSYS))
    #if arch(x86_64)
      for number in [0x4000_0000, 0x4000_0001, UInt32.max] {
        #expect(try run(program, architecture: SEGUE_AUDIT_ARCH, number, []) == refused(ENOSYS))
      }
    #endif
  }

  @Test func `decides by an argument where a call has harmless uses`() throws {
    #expect(try answer(__NR_clone, [UInt32(SIGCHLD)]) == refused(EPERM), "a process")
    #expect(try answer(__NR_clone, [0x003d_0f00]) == allowed, "a thread")
    #expect(try answer(__NR_ioctl, [0, 0x5412]) == refused(EPERM), "TIOCSTI")
    #expect(try answer(__NR_ioctl, [0, 0x541c]) == refused(EPERM), "TIOCLINUX")
    #expect(try answer(__NR_ioctl, [0, 0x5413]) == allowed, "TIOCGWINSZ")
    for family in [AF_UNIX, AF_INET, AF_INET6, AF_NETLINK] {
      #expect(try answer(__NR_socket, [UInt32(family)]) == allowed)
    }
    for family in [AF_PACKET, AF_BLUETOOTH] {
      #expect(try answer(__NR_socket, [UInt32(family)]) == refused(EAFNOSUPPORT))
    }
  }
}
