import ByteIO
import Database
import Glibc

@testable import Library

/// A collection of made MP3 files, and a library of it.
final class MadeCollection {
  let folder = TemporaryFolder()
  var music: BytePath { folder["music"] }
  var data: BytePath { folder["data"] }

  init() { folder.makeFolder(folder["music"]) }

  /// Writes a file of ten frames whose sound `sound` decides.
  @discardableResult
  func add(_ name: String, sound: Int, _ tags: [(String, String)] = []) -> BytePath {
    folder.write(BytePath("music/" + name), Self.mp3(sound: sound, tags))
  }

  func move(_ name: String, to other: String) {
    let (old, new) = (music.appending(BytePath(name)), music.appending(BytePath(other)))
    folder.makeFolder(new.parent)
    precondition(old.withCString { old in new.withCString { rename(old, $0) } } == 0)
  }

  func remove(_ name: String) {
    precondition(music.appending(BytePath(name)).withCString { unlink($0) } == 0)
  }

  /// Writes a file anew, as programs do that copy: with another inode.
  func replace(_ name: String, sound: Int, _ tags: [(String, String)] = []) {
    add(name + ".new", sound: sound, tags)
    move(name + ".new", to: name)
  }

  func library() throws -> MusicLibrary {
    let library = try MusicLibrary(folder: data)
    try library.addRoot(music)
    return library
  }

  @discardableResult
  func scan(_ library: MusicLibrary) throws -> ScanTotals { try LibraryScan(library, extensions: ["mp3"]).run() }

  /// ISO/IEC 11172-3: layer III, 128 kbit/s, 44.1 kHz: 417 bytes a frame. ID3v2.4 with texts in UTF-8 before them.
  static func mp3(sound: Int, _ tags: [(String, String)] = [], frames: Int = 10) -> [UInt8] {
    func synchsafe(_ number: Int) -> [UInt8] { (0..<4).reversed().map { UInt8(number >> ($0 * 7) & 0x7f) } }
    var body: [UInt8] = []
    for (name, text) in tags {
      let bytes = [3] + Array(text.utf8)
      body += Array(name.utf8) + synchsafe(bytes.count) + [0, 0] + bytes
    }
    var bytes = tags.isEmpty ? [] : Array("ID3".utf8) + [4, 0, 0] + synchsafe(body.count) + body
    var state = UInt64(truncatingIfNeeded: sound) &* 0x9e37_79b9_7f4a_7c15 | 1
    for _ in 0..<frames {
      bytes += [0xff, 0xfb, 0x90, 0x00] + [UInt8](repeating: 0, count: 32)
      for _ in 0..<381 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        bytes.append(UInt8(state >> 57))
      }
    }
    return bytes
  }
}

extension MusicLibrary {
  /// Names, ratings and states of all tracks, by name: `a.mp3 8 here`.
  func shown() throws -> [String] {
    let view = try view()
    return (0..<view.index.trackCount).map(view.track).map { track in
      "\(track.path.lastComponent) \(track.rating.map(String.init) ?? "-") \(track.state)"
    }.sorted()
  }

  func rate(_ name: String, _ rating: Int) throws {
    let view = try view()
    let tracks = (0..<view.index.trackCount).map(view.track).filter { $0.path.lastComponent == BytePath(name) }
    precondition(tracks.count == 1, "one file is called \(name)")
    try rate(tracks, rating)
  }
}
