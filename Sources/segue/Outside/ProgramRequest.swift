internal import ByteIO
internal import CGlibcExtras
internal import Glibc

/// A request of the player to the process that runs programs.
enum ProgramRequest: Equatable {
  /// An event as JSON.
  case event(String)
  /// An address to resolve, with two pipes: for the answer and for errors.
  case resolve(WebAddress)

  var isEvent: Bool { if case .event = self { true } else { false } }

  var words: [String] {
    switch self {
    case .event(let text): ["event", text]
    case .resolve(let address): ["resolve", address.description]
    }
  }

  init?(words: [String], pipes: [CInt]) {
    switch (words.first, words.count, pipes.count) {
    case ("event", 2, 0): self = .event(words[1])
    case ("resolve", 2, 2): self = .resolve(WebAddress(words[1]))
    default: return nil
    }
  }
}

/// A report of that process to the player.
enum ProgramReport: Equatable {
  /// A line that a program has written.
  case log(String)
  /// A program could not be started, or has failed.
  case failure(String)

  var words: [String] {
    switch self {
    case .log(let text): ["log", text]
    case .failure(let text): ["failure", text]
    }
  }

  init?(words: [String]) {
    switch (words.first, words.count) {
    case ("log", 2): self = .log(words[1])
    case ("failure", 2): self = .failure(words[1])
    default: return nil
    }
  }
}

/// Both ends of a pipe, which nobody inherits.
struct Pipe {
  let read: CInt
  let write: CInt

  /// `nil` if the system refuses.
  init?() {
    var ends: [CInt] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC) == 0 else { return nil }
    (read, write) = (ends[0], ends[1])
  }
}
