import AudioModel
import ByteIO
import Glibc
import SoundServerSupport
import Streaming
import TestTraits
import Testing
import Threads

@testable import Playback

/// Over HTTP the samples are those of the file: from a server with ranges, from one without, and over a
/// connection that is cut again and again.
@Suite(.serialized, .onThreadsOfTheirOwn)
struct NetworkReadingTests {
  /// One of each container and coding; `moov` behind the audio and before it; headers behind; tags; odd ones.
  static let names = [
    "e2-44100-v2.mp3", "gapless-1.mp3", "vbr-without-header.mp3", "garbage-between.mp3", "id3v24-ape-id3v1.mp3",
    "aac-44100-stereo.aac", "aac-he-v2.aac", "ac3-stereo.ac3", "amr-long.amr-nb", "mp4-aac.m4a",
    "mp4-aac-faststart.m4a", "mp4-alac.m4a", "mp4-fragments.m4a", "mp4-fragments-behind-moov.m4a", "mp4-pcm-s16le.mov",
    "mp4-video-first.mov", "mp4-mp3.mp4", "caf-alac.caf", "caf-libmp3lame.caf", "caf-pcm_s16be.caf",
    "aiff-pcm_s16be.aiff", "aiff-pipe.aiff", "wave-pcm_s24le.wav", "wave-pipe.wav", "wave-adpcm_ms.wav",
    "wave64-pcm_s16le.w64",
    "next-pcm_s16be.au", "flac-16-2-44100.flac", "flac-tagged.flac", "chained-vorbis.ogg", "chained-opus.opus",
    "mkv-opus-live.webm", "mkv-vorbis.webm", "mkv-aac.mka", "mkv-pcm-s16le.mka", "mkv-video.mkv",
    "libav-wmav2.wma", "libav-tta.tta", "libav-wavpack.wv", "libav-aac.ts", "libav-mp3.flv", "libav-mp3.avi",
    "libav-musepack.mpc",
  ]

  private func network() -> Network {
    var configuration = NetworkConfiguration()
    configuration.backOff.firstDelay = .milliseconds(1)
    return Network(configuration)
  }

  /// The rest of a reader after its frame `frame`.
  private func samples(_ reader: TrackReader, from frame: Int64 = 0) throws -> [UInt8] {
    if frame > 0 { _ = try reader.seek(toFrame: frame) }
    return try reader.rest()
  }

  private func compare(_ name: String, at address: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let network = network()
    defer { network.shutDown() }
    let local = try TrackReader(location: Fixture.location(name))
    let remote = try TrackReader(location: .url(address), network: network)
    let whole = try samples(local)
    try #require(!whole.isEmpty)
    expectSame(try samples(remote), whole, "\(name)", sourceLocation: sourceLocation)
    #expect(remote.damage == local.damage, sourceLocation: sourceLocation)
    // From the middle, with nothing read before.
    let frame = Int64(whole.count / local.pcmFormat.bytesPerFrame / 2)
    let half = try samples(try TrackReader(location: Fixture.location(name)), from: frame)
    let remoteHalf = try TrackReader(location: .url(address + "?again"), network: network)
    expectSame(try samples(remoteHalf, from: frame), half, "\(name) from \(frame)", sourceLocation: sourceLocation)
  }

  @Test(arguments: names) func `from nginx, with ranges and without`(name: String) throws {
    let nginx = try Nginx(serving: Fixture.folder)
    defer { nginx.end() }
    try compare(name, at: nginx.address + "/ranges/" + name)
    try compare(name, at: nginx.address + "/whole/" + name)
  }

  @Test(arguments: names) func `over a connection that is cut ten times`(name: String) throws {
    let file = contents(of: Fixture.folder + "/" + name)
    let piece = file.count / 11 + 1
    let server = try ScriptedServer { request, connection in connection.serve(file, request, limit: piece) }
    try compare(name, at: server.address + "/" + name)
    #expect(server.requests.count >= 11)
  }

  @Test(arguments: ["e2-44100-v2.mp3", "mp4-aac.m4a", "chained-vorbis.ogg", "mkv-opus.webm"])
  func `two readers of one transfer read the same bytes, which are sent once`(name: String) throws {
    let file = contents(of: Fixture.folder + "/" + name)
    let gate = Gate()
    let server = try ScriptedServer { _, connection in
      connection.sendHead("200 OK", ["Content-Length: \(file.count)"])
      connection.send(file.prefix(file.count / 2))
      gate.wait()
      connection.send(file.dropFirst(file.count / 2))
    }
    let network = network()
    defer { network.shutDown() }
    let whole = try samples(try TrackReader(location: Fixture.location(name)))
    let sources = [try network.open(server.address), try network.open(server.address)]
    // A reader that needs the end first waits until it arrives.
    let opener = WorkerThread(named: "gate") {
      usleep(50_000)
      gate.open()
    }
    for source in sources {
      let packets = try PacketReader(OpenedInput(stream: source, name: name, typeHint: nil))
      let reader = try TrackReader(packets, sampleFormat: nil)
      expectSame(try samples(reader), whole)
    }
    opener.join()
    #expect(server.requests.count == 1)
  }

  @Test func `moov after the audio is fetched by its range, before the audio`() throws {
    let file = contents(of: Fixture.folder + "/mp4-pcm-s16le.mov")
    let moov = try #require(file.indices.first { file[$0...].starts(with: "moov".utf8) }) - 4
    // As a film has it: a megabyte of something else between the two.
    let free: [UInt8] = [0, 0x10, 0, 0] + Array("free".utf8) + [UInt8](repeating: 0, count: (1 << 20) - 8)
    let body = file[..<moov] + free + file[moov...]
    let local = try samples(TrackReader(location: Fixture.location("mp4-pcm-s16le.mov")))
    let server = try ScriptedServer { request, connection in
      connection.serve(Array(body), request, limit: request.number == 0 ? 100_000 : .max)
      if request.number == 0 { connection.waitForClient() }
    }
    let network = network()
    defer { network.shutDown() }
    let remote = try TrackReader(location: .url(server.address), network: network)
    expectSame(try samples(remote), local)
    #expect(server.requests.count >= 2 && (server.requests[1].range?.first ?? 0) >= moov)
  }

  @Test func `the padding at the end of a pipe that stays open does not block a reader that must not`() throws {
    let network = network()
    let (folder, gate) = (try TemporaryFolder(), Gate())
    defer {
      gate.open()
      network.shutDown()
    }
    let path = folder("fifo")
    #expect(mkfifo(path, 0o600) == 0)
    // A tag ends the last packet.
    let body = contents(of: Fixture.folder + "/gapless-1.mp3") + Array("TAG".utf8) + [UInt8](repeating: 0, count: 125)
    _ = WorkerThread(named: "writer") {
      let descriptor = open(path, O_WRONLY)
      _ = body.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      gate.wait()
      close(descriptor)
    }
    let stream = try #require(try network.stream(at: .file(BytePath(path))))
    let reader = try TrackReader(stream: stream, name: "a.mp3", segment: nil) {}
    let isThere = waitUntil { stream.availableByteCount(from: 0) == Int64(body.count) }
    #expect(isThere)
    var (heard, failure) = ([UInt8](), nil as TrackError?)
    do {
      while case let more = try reader.bytes(1 << 16), !more.isEmpty { heard += more }
    } catch { failure = error as? TrackError }
    #expect(failure?.isWait == true && !stream.isComplete)
    let whole = try samples(TrackReader(location: Fixture.location("gapless-1.mp3")))
    #expect(heard.count > whole.count * 9 / 10)
    expectSame(heard, Array(whole.prefix(heard.count)))
  }

  @Test func `errors of a server are reported`() throws {
    let network = network()
    defer { network.shutDown() }
    let nginx = try Nginx(serving: Fixture.folder)
    defer { nginx.end() }
    #expect { try TrackReader(location: .url(nginx.address + "/none.mp3"), network: network) } throws: {
      "\($0)".contains("404")
    }
    #expect { try TrackReader(location: .url("ftp://a/b"), network: network) } throws: { "\($0)".contains("http") }
  }

  @Test func `a station of icecast is heard, and says what it plays`() throws {
    let icecast = try Icecast()
    defer { icecast.end() }
    let sender = try ChildProcess([
      "ffmpeg", "-nostdin", "-loglevel", "error", "-re", "-stream_loop", "-1", "-i",
      Fixture.folder + "/e2-44100-cbr160.mp3",
      "-c", "copy", "-f", "mp3", "-content_type", "audio/mpeg", "-ice_name", "Test",
      "icecast://source:secret@\(icecast.host)/live",
    ])
    defer { sender.end(atOnce: true) }
    let network = network()
    defer { network.shutDown() }
    let reader = try firstReader(of: "http://\(icecast.host)/live", network) { icecast.report }
    #expect(reader.stream?.isLive == true && reader.information.duration == nil)
    #expect(reader.stream?.stationName == "Test")
    var frames = 0
    var block = [UInt8](repeating: 0, count: 1 << 14)
    var isDeclared = false
    // Up to a minute of music; the title comes with the bytes that follow.
    while frames < 44_100 * 20, reader.stream?.streamTitle != "It's a test" {
      frames += try block.withUnsafeMutableBytes { try reader.read(into: $0) } / reader.pcmFormat.bytesPerFrame
      guard !isDeclared, frames > 22_050 else { continue }
      isDeclared = true
      let update = "/admin/metadata?mount=/live&mode=updinfo&song=It%27s%20a%20test"
      let source = try network.open("http://admin:secret@\(icecast.host)" + update)
      try source.waitUntilOpen()
    }
    #expect(reader.stream?.streamTitle == "It's a test")
    // Its own list of it, which has no length.
    let list = try network.document("http://\(icecast.host)/live.m3u", byteLimit: 1000)
    #expect(String(decoding: list.bytes, as: UTF8.self).contains("/live"))
  }

  @Test func `the end in a header does not apply to a station`() throws {
    let first = contents(of: Fixture.folder + "/e2-44100-cbr160.mp3")
    let more = contents(of: Fixture.folder + "/vbr-60s-without-header.mp3")
    let server = try ScriptedServer { _, connection in
      connection.send("ICY 200 OK\r\nContent-Type: audio/mpeg\r\n\r\n")
      connection.send(first + more)
      connection.waitForClient()
    }
    let network = network()
    defer { network.shutDown() }
    let reader = try TrackReader(location: .url(server.address), network: network)
    let wanted = 20 * 44_100 * reader.pcmFormat.bytesPerFrame
    var count = 0
    while count < wanted, case let more = try reader.bytes(1 << 16).count, more > 0 { count += more }
    #expect(count >= wanted)
  }

  /// A reader of a station that may not have begun to send.
  private func firstReader(
    of address: String, _ network: Network, report: () -> String = { "" }
  ) throws -> TrackReader {
    var reader: TrackReader?
    _ = waitUntil(milliseconds: 50) {
      reader = try? TrackReader(location: .url(address), network: network)
      return reader != nil
    }
    if reader == nil { print(report()) }
    return try reader ?? TrackReader(location: .url(address), network: network)
  }
}

/// Expects two recordings to be the same, without printing them.
func expectSame(
  _ one: [UInt8], _ other: [UInt8], _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
) {
  let isSame = identical(one, other)
  #expect(isSame, comment ?? "\(one.count) bytes and \(other.count)", sourceLocation: sourceLocation)
}
