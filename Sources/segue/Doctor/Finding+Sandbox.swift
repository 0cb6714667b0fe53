internal import ByteIO
internal import Commands
internal import Glibc
internal import Player
internal import Sandbox
internal import Threads

extension Finding {
  /// Tries on a thread inside the sandbox whether forbidden calls fail.
  static func sandbox() -> Finding {
    let trial = SandboxTrial()
    let problem: (text: String, remedy: String)? =
      switch (trial.refusesPrograms, trial.refusesWriting) {
      case (true, true): nil
      case (true, false):
        ("decoders can change files outside segue's folders: this kernel has no Landlock", "use Linux 5.13 or later")
      case (false, _):
        ("decoders run with all rights of the user: this kernel refuses seccomp filters", "use a kernel with seccomp")
      }
    return Finding(
      subject: "sandbox", verdict: problem == nil ? .ok : .warning,
      text: problem?.text ?? "decoders cannot run programs or change files outside segue's folders",
      remedy: problem?.remedy ?? "",
      facts: [
        "refusesPrograms": .bool(trial.refusesPrograms), "refusesWriting": .bool(trial.refusesWriting),
        "landlockVersion": JSON(Sandbox.landlockVersion),
      ])
  }
}

/// An attempt at forbidden actions inside the sandbox.
private struct SandboxTrial {
  var refusesPrograms = false
  var refusesWriting = false

  init() {
    let result = Guarded((programs: false, writing: false))
    WorkerThread(named: "trial") {
      Sandbox(changeable: []).enter()
      let outcome = (programs: Self.refusesProgram(), writing: Self.refusesFile())
      result.withLock { $0 = outcome }
    }.join()
    (refusesPrograms, refusesWriting) = result.withLock { $0 }
  }

  /// A program that does not exist: without a refusal, nothing happens.
  private static func refusesProgram() -> Bool {
    var arguments: [UnsafeMutablePointer<CChar>?] = [nil]
    execve("/nonexistent/program", &arguments, &arguments)
    return errno == EPERM
  }

  /// A new file in the home folder.
  private static func refusesFile() -> Bool {
    let home = getenv("HOME").map { String(cString: $0) } ?? "/tmp"
    let path = home + "/.segue-trial-\(getpid())"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return errno == EACCES && Sandbox.landlockVersion != nil }
    close(descriptor)
    unlink(path)
    return false
  }
}
