internal import ArgumentParser

extension ExitCode {
  /// The program failed for a reason other than the input: output cannot be written, for instance.
  static let cannotWork = ExitCode(1)
  /// No input could be read.
  static let nothingPlayable = ExitCode(2)
  /// Some inputs, or the later part of one, could not be read.
  static let someFailed = ExitCode(3)
}
