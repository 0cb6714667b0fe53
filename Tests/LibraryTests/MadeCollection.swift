import ByteIO
import Database
import Glibc
import SoundServerSupport

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
    folder.write(BytePath("music/" + name), madeMP3(sound: sound, tags))
  }

  func move(_ name: String, to other: String) {
    let (old, new) = (music.appending(BytePath(name)), music.appending(BytePath(other)))
    folder.makeFolder(new.parent)
    precondition(old.withCString { old in new.withCString { rename(old, $0) } } == 0)
  }

  /// Gives a file another name (link(2)).
  func link(_ name: String, to other: String) {
    let (old, new) = (music.appending(BytePath(name)), music.appending(BytePath(other)))
    folder.makeFolder(new.parent)
    precondition(old.withCString { old in new.withCString { Glibc.link(old, $0) } } == 0)
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

  /// Removes the catalogue and the index, which no library may have open, or damages them.
  func loseCatalogue(isDamaged: Bool = false) {
    for name in ["catalogue.db", "catalogue.map", "catalogue.db-wal", "catalogue.db-shm"] {
      _ = data.appending(BytePath(name)).withCString { unlink($0) }
    }
    guard isDamaged else { return }
    for name in ["catalogue.db", "catalogue.map"] {
      folder.write("data/" + name, String(repeating: "damage", count: 999))
    }
  }

  @discardableResult
  func scan(_ library: MusicLibrary) throws -> ScanTotals { try LibraryScan(library, extensions: ["mp3"]).run() }
}

extension MusicLibrary {
  /// Names, ratings and states of all tracks, by name: `a.mp3 8 here`.
  func shown() throws -> [String] {
    let view = try view()
    return (0..<view.index.trackCount).map(view.track).map { track in
      "\(track.path.lastComponent) \(track.rating.map(String.init) ?? "-") \(track.state)"
    }.sorted()
  }

  func rate(_ name: String, _ rating: Int) throws { try rate([track(name)], rating) }

  func track(_ name: String) throws -> LibraryTrack {
    let view = try view()
    let tracks = (0..<view.index.trackCount).map(view.track).filter { $0.path.lastComponent == BytePath(name) }
    precondition(tracks.count == 1, "one file is called \(name)")
    return tracks[0]
  }
}
