import ByteIO
import Glibc
import SoundServerSupport
import Testing

@testable import Commands
@testable import Desk
@testable import Library

/// Music that words mean without a library: streams, and names of files.
@Suite struct MusicSearchTests {
  private let folder: TemporaryFolder
  private let folders: UserFolders
  private var search: MusicSearch { MusicSearch(folders, playableExtensions: ["mp3"]) }

  init() throws {
    folder = try TemporaryFolder()
    for name in [
      "home", "home/Music", "home/Music/Nirvana", "home/Music/Nirvana/In Utero", "home/Music/Beck", "all", "all/state",
    ] {
      try #require(mkdir(folder(name), 0o700) == 0)
    }
    for name in ["Nirvana/In Utero/01 Serve the Servants.mp3", "Nirvana/In Utero/cover.jpg", "Beck/Nirvana.mp3"] {
      try write([], to: folder("home/Music/" + name))
    }
    try write("#EXTINF:-1,FIP\nhttp://radio/fip\nhttp://other/\n".utf8, to: folder("all/state/streams.m3u8"))
    try write("#EXTINF:-1,Fip Jazz\nhttp://radio/jazz\n".utf8, to: folder("all/state/recent-streams.m3u8"))
    folders = UserFolders(all: BytePath(folder("all")), home: BytePath(folder("home")))
  }

  @Test(
    arguments: [
      ("nirvana", "folder Nirvana (1 other match)", "Nirvana"),
      ("in utero", "folder Nirvana/In Utero", "Nirvana/In Utero"),
      ("nirvana utero", "folder Nirvana/In Utero", "Nirvana/In Utero"),
      (
        "servants nirvana", "file Nirvana/In Utero/01 Serve the Servants.mp3",
        "Nirvana/In Utero/01 Serve the Servants.mp3"
      ),
      ("beck nirvana", "file Beck/Nirvana.mp3", "Beck/Nirvana.mp3"), ("all", "folder ~/Music", ""),
      ("nirvna", "folder Nirvana (1 other match), because nothing is called nirvna", "Nirvana"),
      ("utreo", "folder Nirvana/In Utero, because nothing is called utreo", "Nirvana/In Utero"),
      ("mirvana", "folder Nirvana (1 other match), because nothing is called mirvana", "Nirvana"),
      ("nrv", nil, nil), ("cover", nil, nil), ("artist:beck", nil, nil), ("random album", nil, nil),
    ] as [(String, String?, String?)])
  func `folders and files are found by their names`(text: String, sentence: String?, path: String?) throws {
    let result = try search.result(text)
    #expect(result.sentence == sentence)
    #expect(
      result.paths.map(\.description)
        == [path].compactMap(\.self).map { folder("home/Music") + ($0.isEmpty ? "" : "/" + $0) })
  }

  @Test func `stations are found by name and address, and radio asks for them only`() throws {
    #expect(try search.result("radio fip").sentence == "station FIP (1 other match)")
    #expect(try search.result("fip jazz").paths == [BytePath("http://radio/jazz")])
    #expect(try search.result("other").sentence == "station http://other/")
    #expect(try search.result("radio jzaz").paths == [BytePath("http://radio/jazz")])
    #expect(throws: QueryError.self) { try search.result("yaer:1") }
  }

  @Test func `the guide counts the music folder by folder, and finds files of other players`() throws {
    for name in ["home/.config", "home/.config/cmus"] { try #require(mkdir(folder(name), 0o700) == 0) }
    for name in ["home/.config/cmus/cache", "home/Music/loose.mp3"] { try write([], to: folder(name)) }
    let work = SetupWork(folders: folders, extensions: ["mp3"])
    var facts = work.facts(after: nil)
    #expect(facts.fileCount == 0 && facts.openFolders == [BytePath(folder("home/Music"))])
    while !facts.openFolders.isEmpty { facts = work.facts(after: facts) }
    #expect(facts.fileCount == 3 && facts.firstAlbum == BytePath(folder("home/Music/Beck")))
    // Books come first only where there is nothing else.
    try #require(mkdir(folder("home/Music/Audiobooks"), 0o700) == 0)
    try write([], to: folder("home/Music/Audiobooks/1.mp3"))
    var again = work.facts(after: nil)
    while !again.openFolders.isEmpty { again = work.facts(after: again) }
    #expect(again.fileCount == 4 && again.firstAlbum == facts.firstAlbum)
    #expect(
      getenv("XDG_CONFIG_HOME") != nil
        || facts.otherPlayers.filter { $0.name != "MPD" }
          == [.init("cmus", BytePath(folder("home/.config/cmus/cache")))]
    )
    #expect(!facts.isInLibrary)
  }

  @Test func `the guide finds MPD, Quod Libet and iTunes`() throws {
    for name in [
      ".config", ".config/mpd", ".config/quodlibet", ".config/quodlibet/playlists", "Music/iTunes",
      "Music/iTunes/iTunes Media",
    ] {
      try #require(mkdir(folder("home/" + name), 0o700) == 0)
    }
    let settings = "# sticker_file \"/no\"\n  sticker_file\t\"~/stickers.sql\"\nmusic_directory \"~/Music\" # all\n"
    try write(settings.utf8, to: folder("home/.config/mpd/mpd.conf"))
    for name in ["stickers.sql", ".config/quodlibet/playlists/Best.xspf", "Music/iTunes/iTunes Library.xml"] {
      try write([], to: folder("home/" + name))
    }
    guard getenv("XDG_CONFIG_HOME") == nil else { return }
    let (stickers, lists) = (folder("home/stickers.sql"), folder("home/.config/quodlibet/playlists"))
    let library = folder("home/Music/iTunes/iTunes Library.xml")
    #expect(
      folders.otherPlayers == [
        .init("MPD", BytePath(stickers)),
        .init("Quod Libet", BytePath(lists), playlists: [BytePath(lists + "/Best.xspf")]),
        .init("iTunes", BytePath(library)),
      ])
    #expect(folders.music(ofOtherPlayer: BytePath(stickers)) == BytePath(folder("home/Music")))
    #expect(
      folders.music(ofOtherPlayer: BytePath(library)) == BytePath(folder("home/Music/iTunes/iTunes Media")))
    #expect(folders.music(ofOtherPlayer: BytePath(folder("home/.config/cmus/cache"))) == nil)
  }

  @Test func `the desk plays what words mean, and says what it is`() throws {
    let work = FileWork(folders: folders, saver: nil, collector: MediaCollector(playableExtensions: ["mp3"]))
    guard case .collected(let collection, .list, _)? = work.perform(.find(["in", "utero"], .played, in: nil)).first
    else {
      Issue.record("nothing was found")
      return
    }
    #expect(collection.match == "folder Nirvana/In Utero")
    #expect(collection.entries.map(\.location.name) == ["01 Serve the Servants.mp3"])
    #expect(
      work.perform(.find(["no", "such"], .played, in: nil))
        == [.acted(.refused("no file, address or track matches no such"))])
  }
}
