import AudioModel
import ByteIO
import Glibc
import SoundServerSupport
import Streaming
import Testing

@testable import Playback

/// Chained Ogg whose links differ in codec, sample rate, channels or output gain: each link is decoded by a decoder of
/// its own, and all are heard as one track. The test advances the device's time.
final class ChainedFormatTests {
  /// Vorbis of 44.1 kHz, Opus in mono, Vorbis of 8 kHz in mono, FLAC.
  private static let names = ["part-1-vorbis.ogg", "opus-mono.opus", "vorbis-oggenc-8000.ogg", "ogg-flac.oga"]

  private let output = HandCrankedOutput(tellsUnderruns: true)
  private let network: Network
  private let engine: PlaybackEngine
  private let folder: TemporaryFolder
  private var notices: [PlaybackNotice] = []
  private var heardByteCount = 0

  init() throws {
    var configuration = NetworkConfiguration()
    configuration.backOff.firstDelay = .milliseconds(1)
    // On a busy machine a second of audio may take many.
    (configuration.headLimit, configuration.stallLimit) = (.seconds(120), .seconds(120))
    network = Network(configuration)
    engine = PlaybackEngine(output: output, network: network) {}
    folder = try TemporaryFolder()
  }

  deinit {
    engine.shutDown()
    network.shutDown()
  }

  // MARK: Tools

  private static func bytes(_ name: String) -> [UInt8] { contents(of: Fixture.folder + "/" + name) }
  private static var chain: [UInt8] { names.flatMap { bytes($0) } }

  private static func samples(_ name: String) throws -> [UInt8] {
    try TrackReader(location: Fixture.location(name)).rest()
  }

  private func file(_ bytes: [UInt8]) throws -> MediaLocation {
    let path = folder.path + "/chain.ogg"
    try write(bytes, to: path)
    return .file(BytePath(path))
  }

  /// The samples of each link in turn.
  private func links(of location: MediaLocation, via: ReadingPreference = .auto) throws -> [[UInt8]] {
    var parts: [[UInt8]] = []
    var reader: TrackReader? = try TrackReader(location: location, via: via)
    while let link = reader {
      parts.append(try link.rest())
      reader = try TrackReader(behind: link)
    }
    return parts
  }

  /// Plays until something holds, or to the end. Returns the audio.
  private func hear(until isEnough: () -> Bool = { false }) -> [UInt8] {
    var bytes: [UInt8] = []
    engine.crank(output, note: { notices.append($0) }, until: isEnough) { _, taken in
      bytes += taken
      heardByteCount = bytes.count
    }
    return bytes
  }

  private var failures: [String] {
    notices.compactMap { if case .trackFailed(_, let error) = $0 { error.description } else { nil } }
  }

  private func play(_ location: MediaLocation, from seconds: Double = 0) {
    engine.send(.play(QueueEntry(id: 0, location: location), from: seconds))
  }

  private func expectAll(_ heard: [UInt8], _ comment: Comment? = nil) throws {
    let expected = try Self.names.flatMap { try Self.samples($0) }
    let isSame = identical(heard, expected)
    #expect(isSame, comment ?? "\(heard.count) bytes for \(expected.count)")
    #expect(failures.isEmpty && engine.snapshot.reason == .finished)
    #expect(notices.count { if case .trackBegan = $0 { true } else { false } } == 1)
  }

  // MARK: Reading

  @Test(arguments: ReadingPreference.own) func `each link decodes as it does alone`(via: ReadingPreference) throws {
    let parts = try links(of: file(Self.chain), via: via)
    #expect(parts.count == Self.names.count)
    for (part, name) in zip(parts, Self.names) {
      let isSame = identical(part, try Self.samples(name))
      #expect(isSame, "\(name)")
    }
  }

  @Test func `the duration is that of all links, once they were looked at`() throws {
    let reader = try TrackReader(location: file(Self.chain))
    #expect(reader.information.durationIsEstimated)
    while !reader.isIndexed { _ = reader.advanceIndex() }
    let seconds = try Self.names.reduce(0) { sum, name in
      let reader = try TrackReader(location: Fixture.location(name))
      while !reader.isIndexed { _ = reader.advanceIndex() }
      return sum + (reader.information.duration ?? 0)
    }
    #expect(abs((reader.information.duration ?? 0) - seconds) < 1e-9 && !reader.information.durationIsEstimated)
  }

  @Test func `the output gain of a later link of Opus is applied`() throws {
    // -6 dB, RFC 7845 5.1.
    let quiet = Self.withOpusGain(-6 * 256, Self.bytes("part-2-opus.opus"))
    let alone = try links(of: file(quiet))[0]
    let parts = try links(of: file(Self.bytes("part-1-opus.opus") + quiet))
    let isQuiet = parts.count == 2 && identical(parts[1], alone)
    let loud = try Self.samples("part-2-opus.opus")
    #expect(isQuiet && !identical(alone, loud))
    let isFirstSame = identical(parts[0], try Self.samples("part-1-opus.opus"))
    #expect(isFirstSame)
    // Without another format the device's stream goes on.
    play(try file(Self.bytes("part-1-opus.opus") + quiet))
    let isHeard = identical(hear(), parts.flatMap(\.self))
    #expect(isHeard && output.streamCount == 1)
  }

  /// Sets the gain in the head, which is the first page, and that page's checksum (RFC 3533 6).
  private static func withOpusGain(_ gain: Int, _ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    let head = 27 + Int(bytes[26])
    (bytes[head + 16], bytes[head + 17]) = (UInt8(truncatingIfNeeded: gain), UInt8(truncatingIfNeeded: gain >> 8))
    let end = head + Int(bytes[27])
    bytes.replaceSubrange(22..<26, with: [0, 0, 0, 0])
    var sum: UInt32 = 0
    for byte in bytes[..<end] {
      sum ^= UInt32(byte) << 24
      for _ in 0..<8 { sum = sum << 1 ^ (sum >> 31 == 1 ? 0x04c1_1db7 : 0) }
    }
    for place in 0..<4 { bytes[22 + place] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * place)) }
    return bytes
  }

  // MARK: Playing

  @Test func `a file plays to its end without a gap, as one track`() throws {
    play(try file(Self.chain))
    try expectAll(hear())
    #expect(output.streamCount == Self.names.count)
  }

  @Test(arguments: 0..<4, 0..<4) func `a seek leads from each link into each`(origin: Int, target: Int) throws {
    let readers = try Self.names.map { try TrackReader(location: Fixture.location($0)) }
    let parts = try readers.map { try $0.rest() }
    let rates = readers.map { $0.pcmFormat.sampleRate * $0.pcmFormat.bytesPerFrame }
    let starts = parts.indices.map { index in
      zip(parts, rates).prefix(index).reduce(0) { $0 + Double($1.0.count) / Double($1.1) }
    }
    play(try file(Self.chain), from: starts[origin] + 0.2)
    _ = hear { heardByteCount >= 8192 }
    engine.send(.seek(to: starts[target] + 0.5))
    let size = readers[target].pcmFormat.bytesPerFrame
    let skipped = Int((0.5 * Double(readers[target].pcmFormat.sampleRate)).rounded()) * size
    let rest = Array(parts[target][skipped...]) + parts[(target + 1)...].flatMap(\.self)
    let heard = hear()
    let isSame = identical(Array(heard.suffix(rest.count)), rest)
    #expect(isSame && failures.isEmpty, "\(heard.count) bytes for \(rest.count) \(failures)")
  }

  @Test func `an address plays to its end`() throws {
    let body = Self.chain
    let server = try ScriptedServer { request, connection in connection.serve(body, request) }
    play(.url(server.address + "/chain.ogg"))
    try expectAll(hear())
  }

  @Test func `a station continues in the next format for any division of its bytes`() throws {
    let body = Self.chain
    let server = try ScriptedServer { _, connection in
      connection.send("ICY 200 OK\r\nicy-name: Radio\r\nContent-Type: application/ogg\r\n\r\n")
      for start in Swift.stride(from: 0, to: body.count, by: 4000) {
        connection.send(body[start..<min(body.count, start + 4000)])
        usleep(2000)
      }
      connection.waitForClient()
    }
    play(.url(server.address))
    let expected = try Self.names.flatMap { try Self.samples($0) }
    let heard = hear { heardByteCount >= expected.count * 9 / 10 }
    let isSame = identical(heard, Array(expected.prefix(heard.count)))
    #expect(isSame && heard.count > expected.count / 2, "\(heard.count) bytes for \(expected.count)")
    #expect(server.requests.count == 1 && failures.isEmpty, "\(server.requests.count) requests, \(failures)")
  }
}
