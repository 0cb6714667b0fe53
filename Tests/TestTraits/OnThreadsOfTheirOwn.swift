public import Testing
internal import Threads

/// Tests that wait for other processes, on threads of their own: they neither hold up the tests of other suites, which
/// share few threads, nor miss what happens because those hold them up. At most eight run at once.
public struct OnThreadsOfTheirOwn: SuiteTrait, TestTrait, TestScoping {
  /// Also the tests of a suite.
  public var isRecursive: Bool { true }

  /// Runs a test on these threads.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(Workers.shared) { try await function() }
  }
}

extension Trait where Self == OnThreadsOfTheirOwn {
  /// Runs tests that wait for other processes on threads of their own.
  public static var onThreadsOfTheirOwn: Self { Self() }
}

/// Threads that run tasks to their next `await`, however long that takes.
private final class Workers: TaskExecutor, @unchecked Sendable {
  static let shared = Workers()

  // Safety: `jobs` is touched only under the monitor.
  private let monitor = Monitor()
  private var jobs: [UnownedJob] = []
  private var threads: [WorkerThread] = []

  private init() {
    threads = (0..<8).map { _ in WorkerThread(named: "test") { self.work() } }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    monitor.locked {
      jobs.append(job)
      monitor.signal()
    }
  }

  private func work() {
    while true {
      let job = monitor.locked {
        monitor.wait { !jobs.isEmpty }
        return jobs.removeFirst()
      }
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
