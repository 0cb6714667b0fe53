import AudioModel
import ByteIO
import Glibc
import Library
import Pictures
import Playback
import SoundServerSupport
import Testing

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// Whole screens in every size, compared with reviewed ones. `SEGUE_GOLDENS=write` writes them; review the difference.
struct ScreenGoldenTests {
  enum Scene: String, CaseIterable {
    case welcome, home, queue, albums, marks, range, files, library, artists, album, streams, log, info, lyrics, cover
    case outputs, find, help
  }

  private static let sizes = [(160, 50), (100, 30), (80, 24), (40, 12), (20, 6), (10, 1)]

  @Test(arguments: Scene.allCases, [Typography.wide, .ascii])
  func `a screen is as it was found right`(scene: Scene, typography: Typography) throws {
    let name = scene.rawValue + (typography.isUnicode ? "" : "-ascii")
    let path = #filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/Goldens/\(name).txt"
    let screens = Self.sizes.map { columns, rows in
      let lines = bench(scene, typography, columns: columns, rows: rows).lines
      #expect(lines.count == rows)
      return "\(columns) x \(rows)\n" + lines.map { $0 + "\n" }.joined()
    }.joined(separator: "\n")
    if getenv("SEGUE_GOLDENS") != nil { try write(screens.utf8, to: path) }
    #expect(screens == String(decoding: contents(of: path), as: UTF8.self), "SEGUE_GOLDENS=write writes it anew")
  }

  private func bench(_ scene: Scene, _ typography: Typography, columns: Int, rows: Int) -> Bench {
    if scene == .welcome { return Bench(columns: columns, rows: rows, typography: typography) }
    var typography = typography
    typography.hasPictures = scene == .cover || scene == .home
    var bench = Bench.playing(columns: columns, rows: rows, typography: typography)
    switch scene {
    case .welcome, .queue: break
    case .home:
      bench.press("0")
      bench.send(.library(.list(HomeViewTests.listing)))
      bench.press("j")
    case .albums: QueueHeadingTests.fill(&bench)
    case .marks: bench.press("g", "M", "j", "M", "M")
    case .range: bench.press("g", "j", "V", "j", "j")
    case .files:
      bench.press("3")
      let items = [
        ("..", FolderItem.Kind.parent), ("Bach", .folder), ("01 Aria.flac", .playable), ("list.m3u8", .playlist),
      ]
      bench.send(
        .folder(
          FolderContents(
            folder: BytePath("/music"), items: items.map { FolderItem(path: BytePath("/music/\($0)"), kind: $1) })))
      bench.press(Key("a", .control))
    case .library:
      bench.press("2")
      let tracks = ["Aria", "Variatio 1", "Variatio 2"].enumerated().map { place, name in
        LibraryRow(
          .track(.file(BytePath("/music/\(name).flac")), isHere: true), name, artist: "Glenn Gould",
          album: "Goldberg Variations", number: place + 1, note: "2:03", rating: 8, isLoved: place == 1)
      }
      bench.send(.library(.list(LibraryListing(.overview, rows: tracks))))
      bench.press("M", "V", "j")
    case .artists, .album:
      bench.press("2")
      func list(_ list: LibraryList, _ names: [(name: String, inner: LibraryList?)]) {
        let rows = names.enumerated().map { place, row in
          let track = LibraryRow.Content.track(.file(BytePath("/music/\(row.name).flac")), isHere: true)
          return LibraryRow(
            row.inner.map { .list($0) } ?? track, row.name, artist: row.inner == nil ? "Glenn Gould" : nil,
            number: row.inner == nil ? place + 1 : nil, note: row.inner == nil ? "2:03" : "2 albums")
        }
        bench.send(.library(.list(LibraryListing(list, rows: rows))))
      }
      let album = LibraryList.album(
        LibraryAlbumName(artist: "Glenn Gould", title: "Goldberg Variations", firstTrack: BytePath("/music/Aria.flac")))
      list(.overview, [("Artists", .artists), ("Albums", .albums)])
      list(
        .artists,
        [("Ana Beltrán", .albumsOf(artist: "Ana Beltrán")), ("Glenn Gould", .albumsOf(artist: "Glenn Gould"))])
      bench.press(Key(.enter))
      list(
        .artists,
        [("Ana Beltrán", .albumsOf(artist: "Ana Beltrán")), ("Glenn Gould", .albumsOf(artist: "Glenn Gould"))])
      bench.press("j")
      list(.albumsOf(artist: "Ana Beltrán"), [("Road in Ghost", .albums)])
      list(.albumsOf(artist: "Glenn Gould"), [("Goldberg Variations", album), ("Toccatas", .albums)])
      guard scene == .album else { break }
      bench.press(Key(.enter))
      list(.albumsOf(artist: "Glenn Gould"), [("Goldberg Variations", album), ("Toccatas", .albums)])
      list(album, [("Aria", nil), ("Variatio 1", nil), ("Variatio 2", nil)])
      bench.press(Key(.enter))
      list(album, [("Aria", nil), ("Variatio 1", nil), ("Variatio 2", nil)])
      bench.press("j")
    case .streams:
      bench.press("4")
      var streams = StreamList()
      for name in ["one", "two"] { streams.apply(.keep(StreamList.Stream("http://\(name).example/live", title: name))) }
      bench.send(.streams(streams))
      bench.press("M")
    case .log:
      bench.press("5")
      for (second, text) in [(7, "now: Variatio 1. a 1 Clav. - J. S. Bach"), (9, "paused (by you)"), (12, "playing")] {
        bench.send(
          .log(LogEntry(time: "21:04:\(second < 10 ? "0" : "")\(second)", text: text, position: Double(second))))
      }
    case .info: bench.press("6")
    case .lyrics:
      var playing = snapshot(entry: album[1], position: 41, duration: 123, at: bench.now)
      let lines = (1...60).map { "[00:\($0 < 10 ? "0" : "")\($0).00]line \($0) of the words" }
      playing.information.tags.fields.append(lines.joined(separator: "\n"), to: .syncedLyrics)
      bench.show(playing)
      bench.press("7")
    case .cover:
      let pixels: [UInt8] = (0..<64).flatMap { (place: UInt8) -> [UInt8] in [place % 8 * 36, place / 8 * 36, 128] }
      bench.send(.cover(Picture(width: 8, height: 8, bytes: pixels), entryID: album[1].id))
      bench.press("8")
    case .outputs:
      bench.send(.news(.outputs(OutputsTests.list)))
      bench.press("9", "j")
    case .find:
      bench.press("F")
      bench.send(.library(.playlists(["Road trip", "Variations"])))
      for letter in "vari" { bench.press(Key(letter)) }
      let album = LibraryAlbumName(artist: "Glenn Gould", title: "Goldberg Variations", firstTrack: BytePath("/m/1"))
      bench.send(
        .library(
          .list(
            LibraryListing(
              .found("vari"),
              rows: [
                LibraryRow(
                  .list(.album(album)), "Goldberg Variations (1981)", artist: "Glenn Gould", note: "32 tracks"),
                LibraryRow(
                  .track(.file(BytePath("/m/2")), isHere: true), "Variatio 2", artist: "Glenn Gould",
                  album: "Goldberg Variations", note: "0:37"),
              ], total: 1240))))
      bench.press(Key(.down))
    case .help: bench.press("?")
    }
    return bench
  }
}
