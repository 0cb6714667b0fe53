public import ByteIO
internal import CSandbox

/// Rights that a process gives up before it reads untrusted files and streams.
///
/// A restriction applies to the thread that enters and to the threads that it creates afterwards. It cannot be undone.
/// A refused call fails with an error, as it does when a permission is missing.
public final class Sandbox: Sendable {
  private let files: FileRules?
  private let filter = SystemCallFilter()

  /// Prepares the rules.
  ///
  /// - Parameters:
  ///   - changeable: Folders (and files) that may be changed, with everything below them. Paths that do not exist are left
  ///     out. Everything may be read.
  ///   - ports: The TCP ports that may be listened at.
  public init(changeable: [BytePath], ports: [UInt16] = []) { files = FileRules(changeable: changeable, ports: ports) }

  /// The version of Landlock in this kernel; `nil` if it has none, so that files cannot be protected.
  public static var landlockVersion: Int? {
    let version = segue_landlock_version()
    return version >= 1 ? version : nil
  }

  /// The restrictions that apply to a thread.
  public struct Protection: Sendable, Hashable {
    /// The thread cannot run programs, trace processes or type into the terminal (seccomp).
    public var filtersSystemCalls: Bool
    /// The version of Landlock that protects files; `nil` if the kernel has none.
    public var landlockVersion: Int?
  }

  /// Restricts the calling thread, and those that it will create.
  @discardableResult
  public func enter() -> Protection {
    // The kernel requires this for both.
    guard segue_no_new_privileges() == 0 else { return Protection(filtersSystemCalls: false, landlockVersion: nil) }
    let version = files.flatMap { $0.enter() ? $0.version : nil }
    return Protection(filtersSystemCalls: filter.enter(), landlockVersion: version)
  }
}
