internal import AudioModel

extension FetchMachine {
  /// A request that is running or planned.
  struct Transfer: Hashable {
    /// The first requested byte, and the end if it is not that of the resource.
    var start: Int64
    var end: Int64?
    /// The offset of the next byte.
    var position: Int64
    /// True if it only checks that the kept bytes are still valid.
    var isValidation = false
    var isPaused = false
    /// The time of its start.
    var time = MonotonicTime.zero

    /// The error of a body that has ended early; `length`: the size of the resource, if known.
    func shortage(_ length: Int64?) -> NetworkError? {
      guard !isValidation, let end = end ?? length, position < min(end, length ?? end) else { return nil }
      return NetworkError(.interrupted, "the server sent \(position) of \(length ?? end) bytes")
    }
  }
}
