internal import SoundServerSupport
public import Testing

/// Failures with PipeWire are known issues if the host let the virtual machine stand still for a block or longer during
/// the test. PipeWire's driver then runs the cycles that it missed one upon the other, and the recorder misses or spoils
/// whole blocks, also the first or the last of a sound.
public struct ExcusedByStolenTime: SuiteTrait, TestTrait, TestScoping {
  /// Also the tests of a suite.
  public var isRecursive: Bool { true }

  /// Runs a test under this rule.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard !SoundServer.isPulseAudio else { return try await function() }
    let before = stolenSeconds
    try await withKnownIssue("PipeWire on a machine that stood still", isIntermittent: true) {
      try await function()
    } matching: { _ in
      stolenSeconds - before >= Double(SoundServer.blockFrames) / 44_100
    }
  }
}

extension Trait where Self == ExcusedByStolenTime {
  /// Excuses failures with PipeWire while the virtual machine stood still.
  public static var excusedByStolenTime: Self { Self() }
}
