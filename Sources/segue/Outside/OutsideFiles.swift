internal import AudioOutput
internal import ByteIO
internal import Desk
internal import Player
internal import Sandbox

/// Writes files that the sandbox forbids, through a process outside it: playlists, and the one output file that the
/// command line names.
final class OutsideFiles: PlaylistSaver {
  private let process: OutsideProcess

  init(_ process: OutsideProcess) { self.process = process }

  /// Forks; the process must have only one thread. Nil if nothing forbids writing, or the system refuses.
  init?(output: WAVEDestination?) {
    guard let server = OutsideServer(output: output) else { return nil }
    guard let process = OutsideProcess.fork(prepare: StartMemory.releaseCode, handler: server.answer) else {
      return nil
    }
    self.process = process
  }

  /// Writes a playlist; returns the reason if it was not written.
  func save(_ bytes: [UInt8], to file: PlaylistFile, over permission: PlaylistFile.Permission) -> String? {
    let answer = process.ask(OutsideRequest.save(bytes, path: file.path, permission).bytes)
    guard let answer else { return "\(file.path): the process that saves files has ended; not saved" }
    return answer.bytes.isEmpty ? nil : String(decoding: answer.bytes, as: UTF8.self)
  }

  /// A destination that is opened, kept and discarded outside.
  func opening(_ destination: WAVEDestination) -> WAVEDestination {
    var destination = destination
    destination.opener = { [self] destination throws(ByteIOError) in
      let answer = try ask(.open(inputs: destination.inputs))
      guard let descriptor = answer.descriptor else { throw Self.isGone }
      return WAVEDestinationFile(descriptor: descriptor, replacesExisting: !answer.bytes.isEmpty) {
        keeps throws(ByteIOError) in _ = try self.ask(.finish(keeps: keeps))
      }
    }
    return destination
  }

  private func ask(_ request: OutsideRequest) throws(ByteIOError) -> OutsideProcess.Answer {
    guard let answer = process.ask(request.bytes) else { throw Self.isGone }
    if let error = ByteIOError(message: answer.bytes) { throw error }
    return answer
  }

  private static let isGone = ByteIOError(
    operation: "write", errno: 0, detail: "the process that saves files has ended")
}

/// A request, as a list of fields that begins with its name.
enum OutsideRequest {
  case save([UInt8], path: BytePath, PlaylistFile.Permission)
  case open(inputs: [BytePath])
  case finish(keeps: Bool)

  var bytes: [UInt8] {
    switch self {
    case .save(let bytes, let path, .anyPlaylist): Self.message("save", [bytes, path.bytes])
    case .save(let bytes, let path, .only(let source)):
      Self.message("save-only", [bytes, path.bytes] + (source.map { [$0.bytes] } ?? []))
    case .open(let inputs): Self.message("open", inputs.map(\.bytes))
    case .finish(let keeps): Self.message(keeps ? "keep" : "discard", [])
    }
  }

  private static func message(_ name: String, _ fields: [[UInt8]]) -> [UInt8] {
    FieldList([Array(name.utf8)] + fields).bytes
  }

  /// Nil if the bytes are not a request.
  init?(_ bytes: [UInt8]) {
    guard let fields = FieldList(bytes)?.fields, let name = fields.first else { return nil }
    switch (String(decoding: name, as: UTF8.self), fields.count) {
    case ("save", 3): self = .save(fields[1], path: BytePath(fields[2]), .anyPlaylist)
    case ("save-only", 3): self = .save(fields[1], path: BytePath(fields[2]), .only(nil))
    case ("save-only", 4): self = .save(fields[1], path: BytePath(fields[2]), .only(BytePath(fields[3])))
    case ("open", _): self = .open(inputs: fields.dropFirst().map { BytePath($0) })
    case ("keep", 1): self = .finish(keeps: true)
    case ("discard", 1): self = .finish(keeps: false)
    default: return nil
    }
  }
}
