import ByteIO
import Commands
import Glibc
import Library
import Playback
import SoundServerSupport
import Testing

@testable import Desk

/// Playlists that replace others.
@Suite struct PlaylistFileTests {
  private let folder: TemporaryFolder
  private var path: String { folder("Mix.m3u8") }

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: [0o600, 0o666] as [mode_t])
  func `a playlist keeps the permissions of the one that it replaces, which becomes the backup`(mode: mode_t) throws {
    try write("old".utf8, to: path)
    try #require(chmod(path, mode) == 0)
    try PlaylistFile(named: BytePath(path)).write(Array("new".utf8), over: .anyPlaylist)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == mode)
    #expect(contents(of: path) == Array("new".utf8) && contents(of: path + "~") == Array("old".utf8))
  }

  @Test func `a playlist that cannot be written leaves the old one`() throws {
    // The temporary name of the new file is too long.
    let path = folder(String(repeating: "x", count: 248) + ".m3u8")
    try write("old".utf8, to: path)
    #expect(throws: PlaylistFile.Refusal.self) {
      try PlaylistFile(named: BytePath(path)).write(Array("new".utf8), over: .anyPlaylist)
    }
    #expect(contents(of: path) == Array("old".utf8))
  }

  /// Saves a queue as the disk's thread does.
  private func save(_ locations: [MediaLocation], as name: String, from source: String? = nil) {
    let folders = UserFolders(all: BytePath(folder("home")), home: BytePath(folder("home")))
    let work = FileWork(folders: folders, saver: nil, collector: MediaCollector(playableExtensions: []))
    let entries = locations.enumerated().map { QueueEntry(id: $0.offset, location: $0.element) }
    let source = source.map { BytePath(folder($0)) }
    let outcome = work.perform(.save(entries, BytePath(folder(name)), replacesOther: true, in: nil, loaded: source))
    guard case .saved(_, let count)? = outcome.first else {
      Issue.record("not saved: \(outcome)")
      return
    }
    #expect(count == locations.count)
  }

  private func text(_ name: String) -> String { String(decoding: contents(of: folder(name)), as: UTF8.self) }

  @Test func `entries that stay keep their names and directives, in any order`() throws {
    let jazz = "#EXTINF:-1 logo=\"x,y\",Jazz\n#EXTGRP:Music\n"
    try write(
      ("\u{feff}#EXTM3U x-tvg-url=\"u\"\r\n#PLAYLIST:Mine\n# good ones\n\(jazz)http://me:secret@a/1\n \n"
        + "#EXTINF:-1,News\nhttp://b/2\n#EXTINF:9,A - B\nc.mp3\nhttp://d/4\n# the end\n#EXT-X-ENDLIST").utf8, to: path)
    let file = BytePath(folder("c.mp3"))
    save([.url("http://d/4"), .file(file), .url("http://new/5"), .url("http://a/1")], as: "Mix.m3u8")
    #expect(
      text("Mix.m3u8") == "#EXTM3U x-tvg-url=\"u\"\n#PLAYLIST:Mine\nhttp://d/4\n#EXTINF:9,A - B\n\(file)\n"
        + "http://new/5\n# good ones\n\(jazz)http://a/1\n# the end\n")
  }

  @Test func `a new file has the names of the list that was loaded, and of saved and recent streams`() throws {
    let state = folder("home") + "/state"
    BytePath(state).makeFolder()
    try write("[playlist]\nFile1=http://a/\nTitle1=A\nLength1=7\nFile2=/c.mp3\nTitle2=C\n".utf8, to: folder("x.pls"))
    try write(
      "#EXTM3U\n# Jazz\n#EXTINF:-1,Other\nhttp://a/\n#EXTINF:-1,B\nhttp://b/\n".utf8, to: state + "/streams.m3u8")
    try write("#EXTINF:-1,D\nhttp://d/\n".utf8, to: state + "/recent-streams.m3u8")
    let others: [MediaLocation] = [.url("http://b/"), .file(BytePath("/c.mp3")), .url("http://d/"), .url("http://e/")]
    save([.url("http://a/")] + others, as: "New", from: "x.pls")
    #expect(
      text("New.m3u8") == "#EXTM3U\n#EXTINF:7,A\nhttp://a/\n#EXTINF:-1,B\nhttp://b/\n/c.mp3\n#EXTINF:-1,D\nhttp://d/\n"
        + "http://e/\n")
  }
}
