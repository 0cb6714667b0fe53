internal import Glibc
internal import SoundServerSupport
public import Testing

/// Failures with PipeWire are known issues if the host let a processor of the virtual machine stand still for a block or
/// longer at a stretch, between the start of the test and the failure; the reason is printed. PipeWire's driver then runs
/// the cycles that it missed one upon the other, and the recorder misses or spoils whole blocks, also the first or the
/// last of a sound.
public struct ExcusedByStolenTime: SuiteTrait, TestTrait, TestScoping {
  /// Also the tests of a suite.
  public var isRecursive: Bool { true }

  /// Runs a test under this rule.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard !SoundServer.isPulseAudio else { return try await function() }
    let watch = StandstillWatch()
    defer { watch.end() }
    try await withKnownIssue("PipeWire on a machine that stood still", isIntermittent: true) {
      try await function()
    } matching: { _ in
      // The watch looks 20 times a second. The unit of stolen time is a hundredth of a second: of a block two.
      usleep(100_000)
      guard let (seconds, time) = watch.longest, seconds > 0.015 else { return false }
      print("excused: a processor stood still for \(seconds) s, \(time) after the start of the test")
      return true
    }
  }
}

extension Trait where Self == ExcusedByStolenTime {
  /// Excuses failures with PipeWire while the virtual machine stood still.
  public static var excusedByStolenTime: Self { Self() }
}
