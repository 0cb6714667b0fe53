internal import AudioModel
internal import ByteIO
internal import Commands
internal import ControlSocket
internal import Desk
internal import Glibc
internal import Streaming
internal import Threads

/// The player's side of the process that runs programs. Main thread; `resolver` runs on others.
final class Programs {
  /// The time that the player's end waits for the programs of its last event.
  private static let patience = TimeSpan.milliseconds(500)

  private let settings: ProgramSettings
  private let link: PacketLink
  /// The failures that were said.
  private var said: Set<String> = []

  /// Starts the process; it must have only one thread. `nil` if the settings name no program.
  init?(_ settings: ProgramSettings) {
    guard let link = ProgramRunner.fork(settings) else { return nil }
    (self.settings, self.link) = (settings, link)
  }

  var takesEvents: Bool { settings.onEvent != nil }

  /// The descriptor to poll for POLLIN, to call `hear` then; -1 after the end of the process.
  var descriptor: CInt { link.descriptor }

  /// Gives an event to the program. Does not wait.
  func give(_ event: JSON) { link.send(ProgramRequest.event(event.description).words) }

  /// The reports since the last call, each failure once.
  func hear() -> [ProgramReport] {
    var reports: [ProgramReport] = []
    while true {
      switch link.receive() {
      case .message(let words, let descriptors):
        for descriptor in descriptors { close(descriptor) }
        if let report = ProgramReport(words: words) { reports.append(report) }
        continue
      case .nothing: break
      case .closed:
        link.close()
        reports.append(.failure("the process that runs programs has ended"))
      }
      return reports.filter { if case .failure(let text) = $0 { said.insert(text).inserted } else { true } }
    }
  }

  /// Lets the last programs end: waits for a moment only.
  func finish() {
    guard takesEvents, link.descriptor >= 0 else { return }
    shutdown(link.descriptor, CInt(SHUT_WR))
    let end = MonotonicTime.now + Self.patience
    while end > .now {
      var polled = pollfd(fd: link.descriptor, events: Int16(POLLIN), revents: 0)
      poll(&polled, 1, end.pollTimeout)
      if case .closed = link.receive() { return }
    }
  }

  /// Resolves addresses by the programs of the settings.
  var resolver: AddressResolver? {
    guard let resolvers = settings.resolver else { return nil }
    let door = ProgramDoor(link.descriptor)
    return AddressResolver(applies: { resolvers.program(for: $0) != nil }) { address, isWanted throws(NetworkError) in
      let name = resolvers.program(for: address)?.name ?? ""
      do throws(NetworkError) { return try Resolution(answer: door.answer(to: address, while: isWanted)) } catch {
        throw NetworkError(error.kind, "\(name): \(error.message)")
      }
    }
  }
}

/// Asks for answers of resolvers. Any thread.
private final class ProgramDoor: Sendable {
  /// Answers of yt-dlp have a megabyte at most.
  private static let answerLimit = 8 << 20
  private static let errorLimit = 4096
  /// The process ends programs earlier.
  private static let patience = TimeSpan.seconds(35)

  private let descriptor: CInt

  init(_ link: CInt) { descriptor = fcntl(link, F_DUPFD_CLOEXEC, 3) }

  deinit { close(descriptor) }

  /// The output of the program for an address; blocks. Throws if there is none, with its last line about errors.
  func answer(to address: WebAddress, while isWanted: () -> Bool) throws(NetworkError) -> [UInt8] {
    guard let answer = Pipe(), let errors = Pipe() else { throw NetworkError(.unusable, "no descriptors are left") }
    defer { for end in [answer.read, errors.read] { close(end) } }
    let link = PacketLink(owning: fcntl(descriptor, F_DUPFD_CLOEXEC, 3))
    let isSent = link.send(ProgramRequest.resolve(address).words, [answer.write, errors.write])
    for end in [answer.write, errors.write] { close(end) }
    guard isSent else { throw NetworkError(.unusable, "the process that runs programs does not answer") }
    var polled = [answer, errors].map { pollfd(fd: $0.read, events: Int16(POLLIN), revents: 0) }
    var texts: [[UInt8]] = [[], []]
    var window = [UInt8](repeating: 0, count: 1 << 16)
    let end = MonotonicTime.now + Self.patience
    while polled[0].fd >= 0 || texts[0].isEmpty && polled[1].fd >= 0, end > .now {
      guard isWanted() else { throw NetworkError(.cancelled, "cancelled") }
      poll(&polled, 2, 250)
      for index in polled.indices where polled[index].revents != 0 {
        let count = read(polled[index].fd, &window, window.count)
        if count > 0 { texts[index] += window[..<count] } else { polled[index].fd = -1 }
      }
      guard texts[0].count <= Self.answerLimit else { throw NetworkError(.unusable, "its answer is too long") }
      texts[1] = texts[1].suffix(Self.errorLimit)
    }
    if !texts[0].isEmpty { return texts[0] }
    let problem = String(decoding: texts[1], as: UTF8.self).split(whereSeparator: \.isNewline).last
    throw NetworkError(.unusable, problem.map { String($0).printable } ?? "it gives no answer")
  }
}
