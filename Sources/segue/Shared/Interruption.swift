internal import Glibc
internal import Synchronization

/// Ctrl-C while a command works for long: the first signal lets it come to an end, a second one ends the program.
enum Interruption {
  /// True after the first signal. Any thread.
  static var hasCome: Bool { isInterrupted.load(ordering: .relaxed) }

  static func expect() { for number in [SIGINT, SIGTERM] { signal(number, noteInterruption) } }
}

private let isInterrupted = Atomic(false)

private func noteInterruption(_ number: Int32) {
  isInterrupted.store(true, ordering: .relaxed)
  signal(number, SIG_DFL)
}
