import ByteIO
import Glibc
import Sandbox
import Testing
import Threads

/// Each on a thread of its own, which alone is restricted.
@Suite struct SandboxTests {
  /// The result of `body` on a thread inside the sandbox, where `changeable` may be changed.
  private func inside<Result: Sendable>(
    changeable: [BytePath] = [], _ body: @escaping @Sendable (Sandbox.Protection) -> Result
  ) -> Result? {
    let result = Guarded<Result?>(nil)
    let sandbox = Sandbox(changeable: changeable)
    WorkerThread(named: "inside") {
      let value = body(sandbox.enter())
      result.withLock { $0 = value }
    }.join()
    return result.withLock { $0 }
  }

  /// A folder of its own, which is removed afterwards.
  private func withFolder(_ body: (String) throws -> Void) throws {
    var template = Array("/tmp/segue-sandbox-XXXXXX".utf8CString)
    let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
    defer {
      for name in ["old", "new", "inside"] { unlink(folder + "/" + name) }
      rmdir(folder)
    }
    try body(folder)
  }

  @Test func `no program can be run`() {
    let code = inside { _ in
      var arguments: [UnsafeMutablePointer<CChar>?] = [nil]
      // A path that is not there: even where the sandbox fails, the tests continue.
      execve("/nonexistent/program", &arguments, &arguments)
      return errno
    }
    #expect(code == EPERM)
  }

  @Test func `no process can be made, but threads can`() {
    #expect(
      inside { _ in
        var child = pid_t()
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
        defer { free(arguments[0]) }
        return posix_spawn(&child, "/bin/true", nil, nil, &arguments, nil)
      } == EPERM)
    #expect(
      inside { _ in
        let isDone = Guarded(false)
        WorkerThread(named: "child") { isDone.withLock { $0 = true } }.join()
        return isDone.withLock { $0 }
      } == true)
  }

  @Test func `nothing is typed into the terminal`() {
    // 0x5412: TIOCSTI, on an invalid descriptor; refused before the kernel checks it.
    #expect(inside { _ in ioctl(-1, 0x5412, 0) == -1 ? errno : 0 } == EPERM)
    #expect(inside { _ in ioctl(-1, UInt(FIONREAD), 0) == -1 ? errno : 0 } == EBADF)
  }

  @Test func `only sockets of a player's kinds can be made`() {
    let stream = Int32(SOCK_STREAM.rawValue)
    #expect(inside { _ in socket(17, 3, 0) == -1 ? errno : 0 } == EAFNOSUPPORT)
    for family in [AF_UNIX, AF_INET] {
      #expect(
        inside { _ in
          let descriptor = socket(family, stream, 0)
          defer { close(descriptor) }
          return descriptor >= 0
        } == true)
    }
  }

  @Test(.enabled(if: hasLandlock)) func `files elsewhere can be read, and neither made, changed, renamed nor removed`()
    throws
  {
    try withFolder { folder in
      let old = folder + "/old"
      close(open(old, O_WRONLY | O_CREAT, 0o600))
      let codes = inside { _ in
        [
          outcome(open(folder + "/new", O_WRONLY | O_CREAT, 0o600)), outcome(open(old, O_WRONLY)),
          outcome(rename(old, folder + "/new")), outcome(unlink(old)), outcome(mkdir(folder + "/new", 0o700)),
          outcome(chmod(old, 0o777)), outcome(open(old, O_RDONLY)),
        ]
      }
      #expect(codes == [EACCES, EACCES, EACCES, EACCES, EACCES, EPERM, 0])
    }
  }

  @Test func `files in folders that are named can be made, changed and removed`() throws {
    try withFolder { folder in
      let codes = inside(changeable: [BytePath(folder)]) { _ in
        let (path, other) = (folder + "/inside", folder + "/new")
        return [
          outcome(open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)), outcome(open(path, O_RDWR | O_TRUNC)),
          outcome(rename(path, other)), outcome(unlink(other)), outcome(mkdir(path, 0o700)), outcome(rmdir(path)),
        ]
      }
      #expect(codes == [0, 0, 0, 0, 0, 0])
    }
  }

  @Test func `it reports its protection`() {
    let protection = inside { $0 }
    #expect(protection?.filtersSystemCalls == true)
    #expect((protection?.landlockVersion != nil) == hasLandlock)
  }

  @Test func `threads outside are as they were`() {
    _ = inside { _ in 0 }
    var arguments: [UnsafeMutablePointer<CChar>?] = [nil]
    execve("/nonexistent/program", &arguments, &arguments)
    let code = errno
    #expect(code == ENOENT)
  }
}

/// True if this kernel can keep files from being changed.
private let hasLandlock = Sandbox.landlockVersion != nil

/// 0, or errno. Closes an opened descriptor.
private func outcome(_ result: Int32) -> Int32 {
  if result < 0 { return errno }
  if result > 2 { close(result) }
  return 0
}
