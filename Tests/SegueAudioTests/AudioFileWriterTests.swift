import SegueAudio
import SoundServerSupport
import Testing

@Suite struct `A writer of sound files` {
  struct Case: Sendable, CustomStringConvertible {
    var type: AudioFileTypeID
    var ending: String
    var sampleFormat: PCMFormat.SampleFormat
    var channelCount: Int
    var description: String { "\(type) \(sampleFormat) \(channelCount)" }
    var format: PCMFormat {
      PCMFormat(sampleRate: 44100, channelCount: channelCount, sampleFormat: sampleFormat)
    }
  }

  static let cases: [Case] = [(.wave, "wav"), (.aiff, "aiff"), (.aifc, "aifc"), (.caf, "caf")].flatMap { type, ending in
    [.s16, .s24in32, .s32, .f32].flatMap { format in
      [1, 2, 6].map { Case(type: type, ending: ending, sampleFormat: format, channelCount: $0) }
    }
  }

  /// Samples of all sizes, in the format's range.
  static func samples(_ format: PCMFormat, frameCount: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    let floats = (0..<frameCount * format.channelCount).map { _ in Float.random(in: -1..<1, using: &generator) }
    var bytes = [UInt8](repeating: 0, count: frameCount * format.bytesPerFrame)
    floats.withUnsafeBufferPointer { floats in
      bytes.withUnsafeMutableBytes { format.sampleFormat.store(floats, into: $0) }
    }
    return bytes
  }

  @Test(arguments: cases) func `writes what is read back, sample by sample`(test: Case) throws {
    let folder = try TemporaryFolder()
    let path = folder("out." + test.ending)
    let samples = Self.samples(test.format, frameCount: 1001)
    let writer = try AudioFileWriter(path: BytePath(path), type: test.type, format: test.format)
    let half = 500 * test.format.bytesPerFrame
    try samples[half...].withUnsafeBytes { try writer.write($0, atFrame: 500) }
    try samples[..<half].withUnsafeBytes { try writer.write($0, atFrame: 0) }
    #expect(writer.frameCount == 1001)
    try writer.close()
    let reader = try TrackReader(location: .file(BytePath(path)), sampleFormat: test.sampleFormat)
    #expect(reader.pcmFormat.speakers == test.format.speakers && reader.pcmFormat.sampleRate == 44100)
    var read = [UInt8](repeating: 0, count: samples.count + 100)
    let count = try read.withUnsafeMutableBytes { try reader.read(into: $0) }
    #expect(read.prefix(count).elementsEqual(samples))
    #expect(reader.information.packetCount == 1001 && reader.information.isOptimized)
    // ffmpeg reads the same.
    let raw = folder("out.raw")
    let (format, codec) = test.sampleFormat == .f32 ? ("f32le", "pcm_f32le") : ("s32le", "pcm_s32le")
    let status = try ChildProcess([
      "ffmpeg", "-v", "error", "-i", path, "-f", format, "-c:a", codec, raw,
    ]).wait()
    #expect(status == 0)
    #expect(contents(of: raw) == widened(samples, test.sampleFormat))
  }

  /// As 32-bit samples, or as they are.
  private func widened(_ bytes: [UInt8], _ format: PCMFormat.SampleFormat) -> [UInt8] {
    bytes.withUnsafeBytes { bytes in
      (0..<bytes.count / format.byteCount).flatMap { index -> [UInt8] in
        switch format {
        case .s16: [0, 0, bytes[2 * index], bytes[2 * index + 1]]
        case .s24in32: [0] + bytes[4 * index..<4 * index + 3]
        default: Array(bytes[4 * index..<4 * index + 4])
        }
      }
    }
  }

  @Test func `refuses what cannot be, and loses nothing`() throws {
    let folder = try TemporaryFolder()
    let format = PCMFormat(sampleRate: 44100, channelCount: 2, sampleFormat: .s16)
    let text = folder("text")
    try write(Array("a letter".utf8), to: text)
    #expect(throws: ByteIOError.self) {
      try AudioFileWriter(path: BytePath(text), format: format, replacesExisting: true)
    }
    #expect(contents(of: text) == Array("a letter".utf8))
    let path = BytePath(folder("a.mp3"))
    #expect(throws: ByteIOError.self) { try AudioFileWriter(path: path, type: .mp3, format: format) }
    var none = format
    none.channelCount = 0
    #expect(throws: ByteIOError.self) { try AudioFileWriter(path: path, format: none) }
    // An old file stays until the new one is complete.
    let wave = BytePath(folder("a.wav"))
    let old = try AudioFileWriter(path: wave, format: format)
    try [UInt8](repeating: 1, count: 400).withUnsafeBytes { try old.write($0) }
    try old.close()
    let before = contents(of: folder("a.wav"))
    #expect(throws: ByteIOError.self) { try AudioFileWriter(path: wave, format: format) }
    do {
      let new = try AudioFileWriter(path: wave, format: format, replacesExisting: true)
      try [UInt8](repeating: 2, count: 40).withUnsafeBytes { try new.write($0) }
    }
    #expect(contents(of: folder("a.wav")) == before)
    let new = try AudioFileWriter(path: wave, format: format, replacesExisting: true)
    #expect(throws: ByteIOError.self) { try new.write(UnsafeRawBufferPointer(start: nil, count: 0), atFrame: -1) }
    try new.close()
    #expect(contents(of: folder("a.wav")).count < before.count)
    #expect(throws: ByteIOError.self) { try new.write(UnsafeRawBufferPointer(start: nil, count: 0)) }
  }

  @Test func `knows where AIFF ends`() throws {
    let folder = try TemporaryFolder()
    let format = PCMFormat(sampleRate: 44100, channelCount: 2, sampleFormat: .s16)
    let writer = try AudioFileWriter(path: BytePath(folder("a.aiff")), type: .aiff, format: format)
    let frame: [UInt8] = [1, 2, 3, 4]
    #expect(throws: ByteIOError.self) { try frame.withUnsafeBytes { try writer.write($0, atFrame: 1 << 30) } }
  }
}
