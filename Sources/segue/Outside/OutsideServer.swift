internal import AudioOutput
internal import ByteIO
internal import Desk
internal import Glibc
internal import Player
internal import Sandbox

/// The process behind `OutsideFiles`. It does not trust requests: a playlist always gets a playlist's extension, the
/// output file is the one from the command line, and the rules that protect existing files are checked here.
final class OutsideServer {
  private let output: WAVEDestination?
  private var file: WAVEDestinationFile?

  /// Nil if nothing forbids writing.
  init?(output: WAVEDestination?) {
    guard Sandbox.landlockVersion != nil else { return nil }
    self.output = output
  }

  func answer(_ message: [UInt8]) -> OutsideProcess.Answer {
    do throws(ByteIOError) {
      switch OutsideRequest(message) {
      case .save(let bytes, let path, let permission):
        do throws(PlaylistFile.Refusal) { try PlaylistFile(named: path).write(bytes, over: permission) } catch {
          return OutsideProcess.Answer(Array(error.description.utf8))
        }
        return OutsideProcess.Answer()
      case .open(let inputs): return try open(inputs)
      case .finish(let keeps):
        defer { file = nil }
        if keeps { try file?.keep() } else { file?.discard() }
        return OutsideProcess.Answer()
      case nil: return OutsideProcess.Answer()
      }
    } catch { return OutsideProcess.Answer(error.message) }
  }

  private func open(_ inputs: [BytePath]) throws(ByteIOError) -> OutsideProcess.Answer {
    guard var output, file == nil else { throw ByteIOError(operation: "create", errno: EPERM) }
    output.inputs += inputs
    let opened = try output.open()
    file = opened
    // The original stays open here, for `keep`.
    return OutsideProcess.Answer(opened.replacesExisting ? [1] : [], descriptor: dup(opened.descriptor))
  }
}

extension ByteIOError {
  /// As a message, which begins with `error`.
  var message: [UInt8] {
    let number = Array(String(errno).utf8)
    let fields = [Array("error".utf8), Array(operation.utf8), number]
    return FieldList(fields + (detail.map { [Array($0.utf8)] } ?? [])).bytes
  }

  /// Nil for a message that is not an error.
  init?(message: [UInt8]) {
    guard let fields = FieldList(message)?.fields.map({ String(decoding: $0, as: UTF8.self) }), 3...4 ~= fields.count,
      fields[0] == "error"
    else { return nil }
    self.init(operation: fields[1], errno: Int32(fields[2]) ?? EIO, detail: fields.count > 3 ? fields[3] : nil)
  }
}
