// queue FILE [--silent]: the classic player. `AudioFile` gives packets, a decoder makes PCM of them, three buffers go
// round through an `AudioQueue`. One task owns file, decoder and queue; the queue's events tell it what to do.
import SegueAudio

/// A file as PCM, buffer by buffer.
final class PacketDecoder {
  let file: AudioFile
  let decoder: any AudioDecoder
  private var nextPacket: Int64 = 0
  private var packets: [UInt8]
  private let packetCount: Int
  /// Frames of the sound that were not read yet; `nil` if the file does not tell its length.
  private var framesLeft: Int64?

  /// Frames that a buffer must hold.
  let frameCapacity: Int

  init(_ path: BytePath) throws {
    file = try AudioFile(path: path)
    decoder = try AudioDecoders.decoder(for: file.information)
    let format = file.information.dataFormat
    // Packets for a tenth of a second, but between 16 and 320 KiB of them.
    let size = deriveBufferSize(
      sampleRate: format?.sampleRate ?? 44100, framesPerPacket: format?.framesPerPacket ?? 0,
      maximumPacketSize: file.information.packetSizeUpperBound ?? 1 << 16, seconds: 0.1)
    packets = [UInt8](repeating: 0, count: size.byteCount)
    // A packet of a format whose packets differ decodes to at most so many frames.
    let framesPerPacket = max(1, format?.framesPerPacket == 0 ? 8192 : format?.framesPerPacket ?? 8192)
    frameCapacity = max(decoder.format.sampleRate / 2, framesPerPacket)
    packetCount = frameCapacity / framesPerPacket
    framesLeft = file.information.packetTable?.validFrames
  }

  /// Fills a buffer; returns false at the end. `trims`: frames of the encoder that nobody is to hear.
  func fill(_ buffer: AudioQueueBuffer, trims: inout (start: Int, end: Int)) throws -> Bool {
    let read = try packets.withUnsafeMutableBytes {
      try file.readPacketData(startPacket: nextPacket, count: packetCount, into: $0)
    }
    trims = (nextPacket == 0 ? file.information.packetTable?.primingFrames ?? 0 : 0, 0)
    nextPacket += Int64(read.packetCount)
    buffer.frameCount = 0
    let bytes = packets
    read.forEachPacket(in: bytes.span.bytes) { packet, data in
      let output = UnsafeMutableRawBufferPointer(
        rebasing: buffer.bytes[(buffer.frameCount * decoder.format.bytesPerFrame)...])
      do {
        buffer.frameCount += try decoder.decode(data, packet, into: output)
      } catch {
        // A damaged packet plays as silence, so that the time is right.
        let silence = output.prefix(packet.frameCount * decoder.format.bytesPerFrame)
        for index in silence.indices { output[index] = 0 }
        buffer.frameCount += silence.count / decoder.format.bytesPerFrame
      }
    }
    if let left = framesLeft {
      let count = Int64(max(0, buffer.frameCount - trims.start))
      trims.end = Int(max(0, count - left))
      framesLeft = max(0, left - count)
    }
    return buffer.frameCount > 0
  }
}

@main struct QueuePlayer {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 1 else { return print("usage: queue FILE [--silent]") }
    let output: any AudioOutput =
      arguments.contains("--silent") ? SilentOutput() : PulseOutput(applicationName: "queue example")
    let source = try PacketDecoder(BytePath(arguments[1]))
    let (queue, events) = try AudioQueue.withEvents(format: source.decoder.format, output: output)
    var trims = (start: 0, end: 0)
    for _ in 0..<AudioQueue.recommendedBufferCount {
      let buffer = try queue.allocateBuffer(frameCapacity: source.frameCapacity)
      guard try source.fill(buffer, trims: &trims) else { break }
      try queue.enqueue(buffer, trimStart: trims.start, trimEnd: trims.end)
    }
    queue.volume = 0.8
    queue.isMetering = true
    try queue.start()
    var hasPaused = false
    for await event in events {
      switch event {
      case .started:
        print("started")
        if !hasPaused {
          // A pause loses no frame; `start` continues with the next.
          hasPaused = true
          queue.pause()
          print("paused")
          try queue.start()
        }
      case .bufferReturned(let buffer):
        let levels = queue.levels.map { $0.peak }
        if levels.contains(where: { $0 > 0 }) { print("peak \(levels[0] <= 1 ? "within" : "beyond") full scale") }
        if try source.fill(buffer, trims: &trims) {
          try queue.enqueue(buffer, trimStart: trims.start, trimEnd: trims.end)
        } else {
          // Plays what is queued, then says `isRunning(false)`.
          queue.stop(immediately: false)
        }
      case .isRunning(false):
        print("stopped after \(queue.currentTime) frames")
        return
      case .outputLost(let error):
        return print("no sound: \(error)")
      default: break
      }
    }
  }
}
