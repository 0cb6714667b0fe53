import AudioModel
import AudioOutput
import ByteIO
import Glibc
import SoundServerSupport
import Testing

@Suite final class `A WAVE file in place of a device` {
  let path: BytePath

  init() throws {
    var template = Array("/tmp/segue-wave.XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    try #require(descriptor >= 0)
    close(descriptor)
    path = BytePath(template.map { UInt8(bitPattern: $0) })
  }

  deinit { path.withCString { _ = unlink($0) } }

  private func contents() throws -> [UInt8] {
    let source = try FileByteSource(path: path)
    var bytes = [UInt8](repeating: 0, count: Int(source.byteCount ?? 0))
    _ = try bytes.withUnsafeMutableBytes { try source.read(into: $0, at: 0) }
    return bytes
  }

  @Test func `contains the played audio without pauses, with correct sizes`() throws {
    let output = WAVEFileOutput(path: path)
    let player = try SignalPlayer(output)
    try player.feed(0..<30_000)
    #expect(player.queue.currentTime == 0)
    try player.queue.start()
    #expect(player.queue.currentTime == 30_000)
    player.queue.pause()
    try player.feed(30_000..<50_000)
    #expect(player.queue.currentTime == 30_000)
    try player.queue.start()
    player.queue.stop(immediately: false)
    #expect(player.events == ["isRunning(true)", "started", "isRunning(false)"])
    player.queue.dispose()
    // The next track, in a queue of its own.
    let second = try SignalPlayer(output)
    try second.queue.start()
    try second.feed(50_000..<60_000)
    second.queue.stop(immediately: false)
    second.queue.dispose()
    let bytes = try contents()
    let header = WAVEHeader.bytes(for: SignalPlayer.format, dataByteCount: 240_000)
    #expect(Array(bytes.prefix(header.count)) == header)
    let samples = bytes.dropFirst(header.count).withUnsafeBytes { raw in
      (0..<raw.count / 2).map { raw.loadUnaligned(fromByteOffset: $0 * 2, as: Int16.self) }
    }
    #expect(CodedSignal.runs(in: samples) == [0..<60_000])
  }

  @Test func `packs 24 bits, and scales every sample format`() throws {
    for (sampleFormat, sample, expected) in [
      (PCMFormat.SampleFormat.s16, [0xFF, 0x7F], [0x00, 0x40]),
      (.s24in32, [0x02, 0x00, 0x80, 0x00], [0x01, 0x00, 0xC0]),
      (.s32, [0, 0, 0, 0x80], [0, 0, 0, 0xC0]), (.f32, [0, 0, 0x80, 0x3F], [0, 0, 0, 0x3F]),
    ] as [(PCMFormat.SampleFormat, [UInt8], [UInt8])] {
      for (volume, result) in [(Float(0.5), expected), (1, nil), (7, nil), (-1, [0, 0, 0, 0]), (.nan, nil)] {
        let format = PCMFormat(sampleRate: 8000, channelCount: 1, sampleFormat: sampleFormat)
        let output = WAVEFileOutput(path: path, replacesExisting: true)
        let player = try SignalPlayer(output, format: format)
        let buffer = try player.takeBuffer()
        buffer.bytes.copyBytes(from: sample)
        buffer.frameCount = 1
        player.queue.volume = volume
        #expect(player.queue.volume == volume || volume.isNaN)
        try player.queue.enqueue(buffer)
        try player.queue.start()
        player.queue.dispose()
        try output.close()
        let header = WAVEHeader.bytes(for: format, dataByteCount: nil).count
        let width = sampleFormat == .s24in32 ? 3 : sampleFormat.byteCount
        let bytes = try contents()
        #expect(Array(bytes[header..<header + width]) == Array((result ?? sample).prefix(width)))
        #expect(bytes.count % 2 == 0)
      }
    }
  }

  @Test func `cannot continue in another format, and says so`() throws {
    let output = WAVEFileOutput(path: path)
    let first = try SignalPlayer(output)
    let second = try SignalPlayer(output, format: PCMFormat(sampleRate: 48000, channelCount: 2, sampleFormat: .s16))
    #expect(first.events.isEmpty)
    #expect(second.events.count == 1 && second.events[0].contains("cannotWrite"))
    #expect(throws: AudioQueueError.queueInvalidated) { try second.queue.start() }
  }

  @Test func `reports the reason if it cannot be written`() throws {
    let player = try SignalPlayer(WAVEFileOutput(path: BytePath("/proc/none/x.wav")))
    #expect(player.events.count == 1 && player.events[0].contains("No such file or directory"))
    let full = try SignalPlayer(WAVEFileOutput(path: BytePath("/dev/full")))
    #expect(full.events.count == 1 && full.events[0].contains("No space left on device"))
  }
}
