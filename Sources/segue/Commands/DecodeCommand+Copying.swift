internal import ArgumentParser
internal import AudioModel
internal import AudioOutput
internal import ByteIO
internal import Containers
internal import Playback

extension DecodeCommand {
  /// `--copy`: the packets of the input in another container.
  func copyPackets(to destination: WAVEDestination) throws {
    guard case .file = MediaLocation(input) else {
      throw ExitCode.nothingPlayable.reporting(
        MediaLocation(input), "--copy takes a file, not a track of a cue sheet or an address")
    }
    let file: AudioFile
    do throws(ContainerError) { file = try AudioFile(path: input) } catch {
      throw ExitCode.nothingPlayable.reporting(MediaLocation(input), TrackError.container(error))
    }
    var destination = destination
    destination.inputs = [input]
    let size = max(1 << 16, file.information.packetSizeUpperBound ?? 1 << 20)
    var bytes = [UInt8](repeating: 0, count: size)
    do {
      let type = output.fileExtension == "caf" ? AudioFileTypeID.caf : .adts
      let writer = try AudioPacketWriter(destination, type: type, information: file.information)
      while true {
        let read = try nextPackets(of: file, from: writer.packetCount, into: &bytes)
        guard read.packetCount > 0 else { break }
        try read.forEachPacket(in: bytes.span.bytes) { (packet, data) throws(ByteIOError) in
          try writer.write(packet, data)
        }
      }
      writer.packetTable = file.information.packetTable
      try writer.close()
    } catch let error as ByteIOError { throw ExitCode.cannotWork.reporting(output, error) }
  }

  private func nextPackets(
    of file: AudioFile, from packet: Int64, into bytes: inout [UInt8]
  ) throws -> AudioFile.PacketRead {
    let result = bytes.withUnsafeMutableBytes { buffer in
      Result { () throws(ContainerError) in try file.readPacketData(startPacket: packet, count: 1 << 12, into: buffer) }
    }
    do throws(ContainerError) { return try result.get() } catch {
      throw ExitCode.nothingPlayable.reporting(MediaLocation(input), TrackError.container(error))
    }
  }
}
