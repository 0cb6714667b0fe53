public import ByteIO
internal import CSandbox

/// What a process gives up before it reads the files and streams of strangers.
///
/// A restriction counts for the thread that takes it on and for the threads that this one creates afterwards; nobody can
/// take it off. What is refused answers with an error, as a missing permission does.
public final class Sandbox: Sendable {
  private let files: FileRules?

  /// Prepares the rules.
  ///
  /// - Parameter changeable: Files, and folders with all below them, that may be written, made and removed. They must
  ///   exist. Everything may be read.
  public init(changeable: [BytePath]) { files = FileRules(changeable: changeable) }

  /// The version of Landlock that this kernel has; `nil` where files cannot be kept from being changed.
  public static var landlockVersion: Int? {
    let version = segue_landlock_version()
    return version >= 1 ? version : nil
  }

  /// What holds for a thread that has entered.
  public struct Protection: Sendable, Hashable {
    /// No other program is run, no other process looked into, no keystroke sent (seccomp).
    public var filtersSystemCalls: Bool
    /// The version of Landlock that keeps files from being changed; `nil` where the kernel has none.
    public var landlockVersion: Int?
  }

  /// Restricts the calling thread, and those that it will create.
  @discardableResult
  public func enter() -> Protection {
    // Without this the kernel would take neither; it also keeps setuid programs from being of use.
    guard segue_no_new_privileges() == 0 else { return Protection(filtersSystemCalls: false, landlockVersion: nil) }
    let version = files.flatMap { $0.enter() ? $0.version : nil }
    return Protection(filtersSystemCalls: Self.filterSystemCalls(), landlockVersion: version)
  }

  /// The filter alone; whether the kernel took it.
  @discardableResult
  static func filterSystemCalls(allowsModes: Bool = false) -> Bool {
    guard segue_no_new_privileges() == 0 else { return false }
    return SystemCallFilter(allowsModes: allowsModes).program.withUnsafeBufferPointer { program in
      segue_filter_calls(program.baseAddress, UInt16(program.count)) == 0
    }
  }
}
