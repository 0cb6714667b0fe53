internal import ArgumentParser
internal import AudioModel
internal import ByteIO
internal import Commands
internal import Library
internal import Playback
internal import Player
internal import Streaming

/// `segue packets`: the positions of the packets of an input.
struct PacketsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "packets", abstract: "List the packets of an input.",
    discussion: """
      Each packet is one line with tab-separated columns: index, file offset, bytes, frames, first frame. --count \
      prints one line of totals: packets, bytes, frames.
      """)

  @OptionGroup var reading: ReadingOptions
  @OptionGroup var protection: ProtectionOptions
  @Flag(help: "Print JSON objects instead of columns, one per line.") var json = false
  @Flag(help: "Print totals instead of a list.") var count = false
  @Argument(help: "An audio file, or the address of one.") var input: BytePath

  func run() throws {
    protection.enter(reading.streams)
    var isUnderWay = false
    var (packetCount, byteCount, frameCount) = (0 as Int64, 0 as Int64, 0 as Int64)
    var output = LineWriter()
    let network = reading.network
    let location = MediaLocation(input)
    defer {
      network.shutDown()
      output.flush()
    }
    do throws(TrackError) {
      let reader = try PacketReader(location: location, via: reading.via, network: network)
      while let packet = try reader.next() {
        if !count { for index in 0..<packet.description.packetCount { output.add(line(packet, index)) } }
        packetCount += Int64(packet.description.packetCount)
        byteCount += Int64(packet.description.byteCount)
        frameCount += Int64(packet.description.frameCount)
        isUnderWay = true
      }
      if count {
        output.add(line([("packetCount", packetCount), ("byteCount", byteCount), ("frameCount", frameCount)]))
      }
      if !reader.damage.isEmpty { report(location, reader.damage) }
    } catch {
      report(location, error)
      throw isUnderWay ? ExitCode.someFailed : .nothingPlayable
    }
  }

  private func line(_ run: PacketReader.Packet, _ index: Int) -> String {
    let count = run.description.packetCount
    let (bytes, frames) = (run.description.byteCount / count, run.description.frameCount / count)
    return line([
      ("index", run.index + Int64(index)), ("fileOffset", run.description.byteOffset + Int64(index * bytes)),
      ("byteCount", Int64(bytes)), ("frameCount", Int64(frames)),
      ("startFrame", run.startFrame + Int64(index * frames)),
    ])
  }

  private func line(_ columns: [(name: String, value: Int64)]) -> String {
    json
      ? JSON.object(columns.map { ($0.name, .integer($0.value)) }).description
      : columns.map { String($0.value) }.joined(separator: "\t")
  }
}
