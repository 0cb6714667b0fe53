internal import ArgumentParser
internal import AudioModel
internal import ByteIO
internal import Playback

/// `segue packets`: where the packets of an input lie, as its parser sees them.
struct PacketsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "packets", abstract: "List the packets of an input.",
    discussion: "A line each, tab-separated: index, file offset, bytes, frames, first frame.")

  @OptionGroup var reading: ReadingOptions
  @Flag(help: "One JSON object per packet, a line each.") var json = false
  @Argument(help: "An audio file.") var input: BytePath

  func run() throws {
    var isUnderWay = false
    var output = LineWriter()
    defer { output.flush() }
    do throws(TrackError) {
      let reader = try PacketReader(location: .file(input), via: reading.via)
      while let packet = try reader.next() {
        output.add(line(packet))
        isUnderWay = true
      }
      if !reader.damage.isEmpty { report(input, reader.damage) }
    } catch {
      report(input, error)
      throw isUnderWay ? ExitCode.someFailed : .nothingPlayable
    }
  }

  private func line(_ packet: PacketReader.Packet) -> String {
    let description = packet.description
    let columns = [
      ("index", packet.index), ("fileOffset", description.byteOffset), ("byteCount", Int64(description.byteCount)),
      ("frameCount", Int64(description.frameCount)), ("startFrame", packet.startFrame),
    ]
    return json
      ? JSON.object(columns.map { ($0, .integer($1)) }).description
      : columns.map { String($1) }.joined(separator: "\t")
  }
}
