import ByteIO
import SoundServerSupport
import Streaming
import Testing

@testable import Playback

/// The loudness of a track along its length.
struct WaveformTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A WAVE file of 8 kHz in mono, whose parts have these samples.
  private func file(_ parts: [(sample: Int16, frames: Int)]) throws -> MediaLocation {
    let data = parts.reduce(into: [UInt8]()) { bytes, part in
      bytes += Array(repeating: part.sample, count: part.frames).withUnsafeBytes { Array($0) }
    }
    let little = { (number: Int, count: Int) in (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
    var bytes = Array("RIFF".utf8) + little(36 + data.count, 4) + Array("WAVEfmt ".utf8)
    bytes += little(16, 4) + little(1, 2) + little(1, 2) + little(8000, 4) + little(16000, 4) + little(2, 2)
    bytes += little(16, 2) + Array("data".utf8) + little(data.count, 4) + data
    try write(bytes, to: folder("track.wav"))
    return .file(BytePath(folder("track.wav")))
  }

  @Test(arguments: [1, 7, 100, 12_345, 600_000]) func `loudness is where it is in the track, however long`(
    frames: Int
  ) throws {
    let location = try file([(8000, frames), (0, frames), (16000, frames), (4000, frames)])
    let waveform = try #require(try Waveform.read(location) { true })
    #expect(1...Waveform.partLimit ~= waveform.levels.count)
    guard frames > 10_000 else { return }
    let loudness = waveform.loudness(inParts: 4)
    for (found, wanted) in zip(loudness, [0.5, 0, 1, 0.25]) { #expect(abs(found - wanted) < 0.05) }
  }

  @Test func `of silence there is nothing louder, and of nothing there is nothing`() throws {
    let silent = try #require(try Waveform.read(try file([(0, 20_000)])) { true })
    #expect(silent.loudness(inParts: 60) == Array(repeating: 0, count: 60))
    #expect(Waveform(levels: []).loudness(inParts: 60) == [])
    #expect(Waveform(levels: [255]).loudness(inParts: 3) == [1, 1, 1])
    #expect(Waveform(levels: [255, 0]).loudness(inParts: 0) == [])
  }

  @Test func `places serve for what lasts longer than twenty minutes`() throws {
    let location = try file([(8000, 5_000_000), (16000, 5_000_000)])
    let waveform = try #require(try Waveform.read(location) { true })
    #expect(waveform.levels.count == 1024)
    for (found, wanted) in zip(waveform.loudness(inParts: 4), [0.5, 0.5, 1, 1]) { #expect(abs(found - wanted) < 0.01) }
  }

  @Test func `of a sheet's track it is the track's alone`() throws {
    _ = try file([(16000, 24_000), (8000, 24_000), (0, 24_000)])
    let sheet = "FILE track.wav WAVE\nTRACK 1 AUDIO\nINDEX 01 0:0:0\nTRACK 2 AUDIO\nINDEX 01 0:3:0\n"
    try write(sheet.utf8, to: folder("a.cue"))
    let waveform = try #require(try Waveform.read(.track(BytePath(folder("a.cue")), number: 2)) { true })
    for (found, wanted) in zip(waveform.loudness(inParts: 2), [1.0, 0]) { #expect(abs(found - wanted) < 0.05) }
  }

  @Test func `of an address it is that of what has come, and asks for nothing`() throws {
    let location = try file([(8000, 20_000), (16000, 20_000)])
    let body = contents(of: folder("track.wav"))
    let server = try ScriptedServer { request, connection in connection.serve(body, request) }
    let network = Network()
    defer { network.shutDown() }
    let address = server.address + "/track.wav"
    #expect(try Waveform.read(.url(address), network: network) { true } == nil && server.requests.isEmpty)
    let reader = try TrackReader(location: .url(address), network: network)
    expectSame(try reader.rest(), try TrackReader(location: location).rest())
    let waveform = try Waveform.read(.url(address), network: network) { true }
    let ofFile = try Waveform.read(location) { true }
    #expect(waveform != nil && waveform == ofFile)
    #expect(server.requests.count == 1)
  }

  @Test func `it ends when the caller cancels it`() throws {
    var asked = 0
    let waveform = try Waveform.read(try file([(8000, 100_000)])) {
      asked += 1
      return asked < 4
    }
    #expect(waveform == nil && asked == 4)
  }

  @Test func `files without audio have no waveform`() throws {
    try write("no sound".utf8, to: folder("x.mp3"))
    #expect(throws: TrackError.self) { try Waveform.read(.file(BytePath(folder("x.mp3")))) { true } }
  }
}
