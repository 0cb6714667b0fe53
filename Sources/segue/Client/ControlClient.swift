internal import AudioModel
internal import ByteIO
internal import Commands
internal import ControlSocket
internal import Desk
internal import Glibc
internal import Library
internal import Player
internal import RemoteProtocols
internal import Threads

/// The other end of the control socket, for `segue ctl`.
final class ControlClient {
  /// The reason why there is no connection.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// The descriptor that events are written to: they end when its reader has gone.
  var eventOutput: CInt = -1

  private var descriptor: CInt = -1
  private var input: [UInt8] = []
  private var events: [JSON] = []

  /// Connects to the player with this process number, or to the one that was started first.
  init(folder: BytePath?, instance: Int32?) throws(Failure) {
    guard let folder else {
      throw Failure(description: "XDG_RUNTIME_DIR is not set, so players cannot be found")
    }
    let names = instance.map { ["control.\($0)", "control"] } ?? (["control"] + Self.others(in: folder))
    var (isSilent, isFull) = (false, false)
    for name in names {
      guard let new = try? LocalListener.connect(to: folder.appending(BytePath(name))) else { continue }
      if descriptor >= 0 { close(descriptor) }
      (descriptor, input, isOpen) = (new, [], true)
      guard let hello = greeting else {
        if isOpen { isSilent = true } else { isFull = true }
        continue
      }
      if let instance, hello["pid"]?.double != Double(instance) { continue }
      guard hello["protocol"]?.double == Double(ControlConnection.version) else {
        throw Failure(description: "the running player speaks another version of the protocol")
      }
      return
    }
    if isSilent { throw Failure(description: "the player does not answer: it may be suspended") }
    if isFull { throw Failure(description: "the player has too many clients, or is ending") }
    throw Failure(description: instance.map { "no player with process number \($0) runs" } ?? "no player runs")
  }

  /// The greeting; `nil` from a player that does not answer.
  private var greeting: JSON? {
    let patience = PlayerPatience()
    repeat { if let hello = nextEvent(within: 1) { return hello } } while isOpen && !patience.isOver(at: descriptor)
    return nil
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Sockets of later players.
  private static func others(in folder: BytePath) -> [String] {
    FolderContents(reading: folder, playableExtensions: []).items.map { $0.path.lastComponent.description }
      .filter { $0.hasPrefix("control.") }
  }

  /// Sends a request and waits for its answer; keeps the events that come before it.
  func ask(_ words: [String]) throws(Failure) -> JSON {
    let request: JSON = ["command": .array(words.map { .string($0) })]
    do throws(ByteIOError) { try FileWriter(descriptor: descriptor).write(Array("\(request)\n".utf8)) } catch {
      throw Failure(description: "the player has ended")
    }
    while let object = receive(within: nil) {
      if object["error"] != nil { return object }
      events.append(object)
    }
    // It may end because it was told to.
    if words.first == "quit" || words.first == "quit-without-saving" { return ["error": .string("success")] }
    throw Failure(description: "the player has ended")
  }

  /// The next event; `nil` when the player or the reader of events has ended, or the time is over.
  func nextEvent(within seconds: Double?) -> JSON? {
    events.isEmpty ? receive(within: seconds, writingTo: eventOutput) : events.removeFirst()
  }

  /// Waits for events and takes all that are there, or until the time is over; false when the player or the reader of
  /// events has ended.
  func waitForEvents(within seconds: Double?) -> Bool {
    if events.isEmpty {
      guard let event = receive(within: seconds, writingTo: eventOutput) else { return isOpen }
      events.append(event)
      while let more = receive(within: 0) { events.append(more) }
    }
    events = []
    return true
  }

  private var isOpen = true

  /// - Parameter output: Ends the wait when its reader has gone; a negative descriptor has none.
  private func receive(within seconds: Double?, writingTo output: CInt = -1) -> JSON? {
    let deadline = seconds.map { MonotonicTime.now + .seconds($0) }
    while true {
      if let end = input.firstIndex(of: 0x0a) {
        let line = Array(input[..<end])
        input.removeSubrange(...end)
        if let object = try? JSON(parsing: line) { return object }
        continue
      }
      var states = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: output, events: 0, revents: 0),
      ]
      let count = poll(&states, 2, deadline?.pollTimeout ?? -1)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      guard states[1].revents == 0 else {
        isOpen = false
        return nil
      }
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      let received = read(descriptor, &buffer, buffer.count)
      if received < 0, errno == EINTR { continue }
      guard received > 0 else {
        isOpen = false
        return nil
      }
      input += buffer[..<received]
    }
  }
}
