internal import CSandbox
internal import Glibc

/// Standard input, output and error.
public enum StandardDescriptors {
  /// Makes /dev/null of those that are closed. The next file or socket would otherwise get their number, and all text
  /// that is meant for them. Call first.
  public static func fill() {
    var descriptor: Int32
    // Each one gets the lowest free number.
    repeat { descriptor = open("/dev/null", O_RDWR) } while STDIN_FILENO...STDERR_FILENO ~= descriptor
    if descriptor > STDERR_FILENO { Glibc.close(descriptor) }
  }

  /// Replaces those that satisfy a condition by /dev/null.
  public static func close(where condition: (Int32) -> Bool) {
    let nowhere = open("/dev/null", O_RDWR | O_CLOEXEC)
    for descriptor in STDIN_FILENO...STDERR_FILENO where condition(descriptor) { dup2(nowhere, descriptor) }
    if nowhere > STDERR_FILENO { Glibc.close(nowhere) }
  }

  /// Closes all descriptors but these and one more, in a process that needs nothing else of its parent.
  public static func closeOthers(but kept: Int32) { segue_close_others(kept) }
}
