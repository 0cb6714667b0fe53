import ByteIO
import Glibc
import SoundServerSupport
import Testing

@testable import Player

/// Playlists that replace others.
@Suite struct PlaylistFileTests {
  private let folder: TemporaryFolder
  private var path: String { folder("Mix.m3u8") }

  init() throws { folder = try TemporaryFolder() }

  @Test func `a playlist keeps the permissions of the one that it replaces, which becomes the backup`() throws {
    try write("old".utf8, to: path)
    try #require(chmod(path, 0o600) == 0)
    try PlaylistFile(named: BytePath(path)).write(Array("new".utf8), over: .anyPlaylist)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
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
}
