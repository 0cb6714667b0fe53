import ByteIO
import Glibc
import Playback
import SoundServerSupport
import Testing

@testable import Desk

/// Waveforms from one time to the next.
struct WaveformCacheTests {
  private let folder: TemporaryFolder
  private var cache: WaveformCache { WaveformCache(folder: BytePath(folder.path + "/" + "cache"), fileLimit: 10) }

  init() throws { folder = try TemporaryFolder() }

  private func key(_ name: String, _ content: String) throws -> BytePath {
    try write(content.utf8, to: folder.path + "/" + name)
    return try #require(cache.key(of: .file(BytePath(folder.path + "/" + name))))
  }

  @Test func `a kept waveform is found again for the same file`() throws {
    let first = try key("a.mp3", "1")
    #expect(cache.waveform(first) == nil)
    cache.keep(Waveform(levels: [1, 2, 255]), first)
    #expect(cache.waveform(first) == Waveform(levels: [1, 2, 255]))
    #expect(try key("a.mp3", "12") != first)
    #expect(try key("b.mp3", "1") != first)
    let sheet = folder.path + "/l.cue"
    try write("FILE a.mp3 WAVE\nTRACK 1 AUDIO\nINDEX 01 0:0:0\nTRACK 2 AUDIO\nINDEX 01 0:3:0\n".utf8, to: sheet)
    let tracks = (1...3).map { cache.key(of: .track(BytePath(sheet), number: $0)) }
    #expect(tracks[0] != nil && tracks[1] != nil && tracks[0] != tracks[1] && tracks[2] == nil)
    _ = try key("a.mp3", "123")
    #expect(cache.key(of: .track(BytePath(sheet), number: 1)) != tracks[0])
    #expect(cache.key(of: .url("http://h/a.mp3")) == nil)
    #expect(cache.key(of: .file(BytePath(folder.path))) == nil)
    #expect(cache.key(of: .file(BytePath(folder.path + "/" + "missing"))) == nil)
  }

  @Test(arguments: ["", "segue waveform 1\n", "segue waveform 2\n123", "segue wave"])
  func `a damaged waveform is ignored`(content: String) throws {
    let key = try key("a.mp3", "1")
    cache.keep(Waveform(levels: [1]), key)
    try write(content.utf8, to: String(describing: key))
    #expect(cache.waveform(key) == nil)
  }

  @Test func `there is an end to it, and the oldest go first`() throws {
    var keys: [BytePath] = []
    for number in 0..<11 {
      keys.append(try key("\(number).mp3", "x"))
      cache.keep(Waveform(levels: [UInt8(number)]), keys[number])
      let time = timespec(tv_sec: 1_000_000_000 + number, tv_nsec: 0)
      _ = keys[number].withCString { utimensat(AT_FDCWD, $0, [time, time], 0) }
    }
    // The eleventh made room for itself, before it was made older.
    #expect(cache.waveform(keys[10]) == Waveform(levels: [10]))
    #expect(keys.filter { cache.waveform($0) != nil }.count == 9)
    #expect(cache.waveform(keys[0]) == nil && cache.waveform(keys[1]) == nil)
  }
}
