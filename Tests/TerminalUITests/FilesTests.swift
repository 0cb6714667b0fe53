import AudioModel
import ByteIO
import Library
import Playback
import SignalProcessing
import Testing

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// The views Files, Info and Help on the whole screen; adding the selection to the queue.
struct FilesTests {
  private func item(_ path: String, _ kind: FolderItem.Kind) -> FolderItem {
    FolderItem(path: BytePath(path), kind: kind)
  }

  private func bench(columns: Int = 80, rows: Int = 24) -> Bench {
    var bench = Bench.playing(columns: columns, rows: rows)
    bench.press("3")
    bench.send(
      .folder(
        FolderContents(
          folder: BytePath("/music"),
          items: [
            item("/", .parent), item("/music/Bach", .folder), item("/music/a\u{1b}[31m.mp3", .playable),
            item("/music/list.m3u", .playlist), item("/music/notes.txt", .other),
          ])))
    return bench
  }

  @Test func `it marks playable files, and shows no name as a command`() {
    #expect(
      bench().lines[2...7] == [
        "   /music", "   ../", "   Bach/", " ♪ a\u{fffd}[31m.mp3", " ≡ list.m3u", "",
      ])
    var bench = bench(columns: 10, rows: 4)
    #expect(bench.lines[0] == "  ../" && bench.lines[1] == "  Bach/")
    bench.press("G")
    #expect(!bench.text.contains("\u{1b}"))
  }

  @Test func `only what can be played is shown, until a key shows all; the current track is marked`() {
    var bench = bench()
    bench.send(
      .folder(
        FolderContents(
          folder: BytePath("/music/Bach"),
          items: [item("/music", .parent), item("/music/Bach/1.lrc", .other), item("/music/Bach/1.mp3", .playable)])))
    #expect(bench.lines[2...5] == ["   /music/Bach", "   ../", " ♪ 1.mp3", ""] && bench.selectedLine == " ♪ 1.mp3")
    bench.press(Key(".", .alt))
    #expect(bench.lines[3...6] == ["   ../", "   1.lrc", " ♪ 1.mp3", ""] && bench.selectedLine == " ♪ 1.mp3")
    let entry = QueueEntry(id: 7, location: .file(BytePath("/music/Bach/1.mp3")))
    bench.show(snapshot(entry: entry, position: 1, duration: 60, at: bench.now))
    #expect(bench.selectedLine == " > 1.mp3")
    bench.send(
      .folder(
        FolderContents(folder: BytePath("/x"), items: [item("/", .parent), item("/x/1.txt", .other)])))
    #expect(bench.lines[3...4] == ["   ../", "   1.txt"])
    bench.press(Key(".", .alt))
    #expect(
      bench.lines[3...4] == [
        "   ../", "   No music in this folder, M-. shows all files, o opens another folder, or an…",
      ])
  }

  @Test func `files that the library knows have title and time beside their names`() {
    var bench = bench()
    let items = [item("/music", .parent), item("/music/Bach/1.mp3", .playable), item("/music/Bach/2.mp3", .playable)]
    let folder = BytePath("/music/Bach")
    let asked = bench.send(.folder(FolderContents(folder: folder, items: items)))
    #expect(asked == [.player(.ask(.library(.folder(folder))))])
    #expect(bench.press("j") == [], "once")
    func track(_ name: String, _ title: String) -> LibraryRow {
      LibraryRow(.track(.file(folder.appending(BytePath(name))), isHere: true), title, note: "2:03")
    }
    bench.send(.library(.folder([track("1.mp3", "Other")], of: BytePath("/music"))))
    #expect(bench.lines[4] == " ♪ 1.mp3", "those of another folder")
    bench.send(.library(.folder([track("1.mp3", "Aria"), track("3.mp3", "Gone")], of: folder)))
    #expect(bench.lines[4].hasPrefix(" ♪ 1.mp3  ") && bench.lines[4].hasSuffix("   2:03"))
    #expect(bench.lines[4].contains(" Aria ") && bench.lines[5] == " ♪ 2.mp3")
    bench.send(.library(.folder([track("2.mp3", "2")], of: folder)))
    #expect(bench.lines[5].contains("2.mp3") && !bench.lines[5].contains(" 2 "), "a title that is the name")
    #expect(bench.send(.library(.changed)).contains(asked[0]), "it may know more")
    var narrow = self.bench(columns: 40, rows: 12)
    narrow.send(.folder(FolderContents(folder: folder, items: items)))
    narrow.send(.library(.folder([track("1.mp3", "Aria")], of: folder)))
    #expect(narrow.text.contains("2:03") && !narrow.text.contains("Aria"))
  }

  @Test func `the folder of the last session is shown again, with what was selected, unless it is gone`() {
    let place = FacePlace.Files(folder: BytePath("/music/Bach"), item: BytePath("/music/Bach/2.mp3"))
    var bench = Bench.playing()
    bench.send(.restored(.queue, selected: 0, files: place))
    #expect(bench.state.files == place, "it is kept, even if it is not looked at")
    #expect(bench.press("3") == [.player(.ask(.folder(place.folder)))])
    let items = [item("/music", .parent), item("/music/Bach/1.mp3", .playable), item("/music/Bach/2.mp3", .playable)]
    bench.send(.folder(FolderContents(folder: place.folder, items: items)))
    #expect(bench.selectedLine.contains("2.mp3") && bench.state.files == place)
    bench.press("k", "1", "3")
    bench.send(.folder(FolderContents(folder: place.folder, items: items)))
    #expect(bench.selectedLine.contains("1.mp3"), "after that it stays where it was left")
    var other = Bench.playing()
    other.send(.restored(.files, selected: 0, files: place))
    let error = ByteIOError(operation: "open", errno: 2)
    let asked = other.send(.folder(FolderContents(folder: place.folder, items: [], failure: error)))
    #expect(asked == [.player(.ask(.folder(BytePath(other.state.configuration.player.music))))])
  }

  @Test func `without a folder for music, the first screen says so`() {
    var bench = Bench.playing()
    bench.press("3")
    var contents = FolderContents(folder: BytePath("/home/a"), items: [item("/home", .parent)])
    contents.standsInForMusic = true
    bench.send(.folder(contents))
    #expect(bench.lines[2] == "   /home/a (no ~/Music here; :cd FOLDER shows another folder)")
    #expect(bench.lines[4] == "   No music in this folder, o opens another folder, or an address.")
    bench.send(.folder(FolderContents(folder: BytePath("/m"), items: [])))
    #expect(bench.lines[2] == "   /m")
  }

  @Test func `a folder begins at its top, with the first thing in it selected`() {
    let bench = bench(columns: 40, rows: 10)
    #expect(bench.lines[1...3] == ["   /music", "   ../", "   Bach/"])
    #expect(bench.selectedLine == "   Bach/")
  }

  @Test func `Enter goes down, up and plays; Backspace goes up`() {
    var bench = bench()
    #expect(bench.press(Key(.enter)) == [.player(.ask(.folder(BytePath("/music/Bach"))))])
    #expect(bench.press("j", Key(.enter)) == [.player(.collect([BytePath("/music/a\u{1b}[31m.mp3")], .played))])
    #expect(bench.press("g", Key(.enter)) == [.player(.ask(.folder(BytePath("/"))))])
    #expect(bench.press(Key(.backspace)) == [.player(.ask(.folder(BytePath("/"))))])
    bench.send(
      .folder(FolderContents(folder: BytePath("/"), items: [item("/boot", .folder), item("/music", .folder)])))
    #expect(bench.selectedLine == "   music/", "where one came from")
    #expect(bench.press("1", Key(.backspace)) == [], "in the queue it is the seek that is undone")
  }

  @Test func `Enter on a track plays the tracks of the folder from it on, as far as the filter shows them`() {
    var bench = bench()
    let names = ["1.mp3", "2.flac", "list.m3u", "notes.txt", "12.mp3"]
    let kinds: [FolderItem.Kind] = [.playable, .playable, .playlist, .other, .playable]
    let items = zip(names, kinds).map { item("/music/Bach/\($0)", $1) }
    bench.send(.folder(FolderContents(folder: BytePath("/music/Bach"), items: [item("/music", .parent)] + items)))
    #expect(bench.selectedLine == " ♪ 1.mp3", "not the way back")
    func collects(_ names: String..., from start: Int = 0) -> [ScreenCommand] {
      [.player(.collect(names.map { BytePath("/music/Bach/\($0)") }, .list(from: start)))]
    }
    #expect(bench.press(Key(.enter)) == collects("1.mp3", "2.flac", "12.mp3"))
    #expect(bench.press("j", Key(.enter)) == collects("1.mp3", "2.flac", "12.mp3", from: 1))
    #expect(bench.press("j", Key(.enter)) == collects("list.m3u"))
    bench.press("f", "1", Key(.enter), "G")
    #expect(bench.press(Key(.enter)) == collects("1.mp3", "12.mp3", from: 1))
  }

  @Test func `a, e and E add the selection, even a folder, and move to the next row`() {
    var bench = bench()
    #expect(
      bench.press("a", "e", "E") == [
        .player(.collect([BytePath("/music/Bach")], .turn(.end))),
        .player(.collect([BytePath("/music/a\u{1b}[31m.mp3")], .turn(.enqueued))),
        .player(.collect([BytePath("/music/list.m3u")], .turn(.next))),
      ])
    #expect(bench.press("g", "a", "d") == [], "not the folder above, and nothing is removed from a disk")
    #expect(bench.message == " Tracks are moved and removed in the queue and in playlists")
    #expect(
      bench.press("1", "j", "a", "E", "e", "d", "J", "K") == [
        .player(.edit(.reschedule([3], .end))), .player(.edit(.reschedule([3], .next))),
        .player(.edit(.reschedule([3], .enqueued))),
        .player(.edit(.remove([3]))), .player(.edit(.move([3], by: 1))), .player(.edit(.move([3], by: -1))),
      ])
  }

  @Test func `an unreadable folder shows the reason`() {
    var bench = bench()
    let error = ByteIOError(operation: "open", errno: 13)
    bench.send(
      .folder(FolderContents(folder: BytePath("/root"), items: [item("/", .parent)], failure: error)))
    #expect(bench.lines[4].contains("cannot open: Permission denied"))
  }

  @Test(arguments: [("cd Bach", "/music/Bach"), ("cd /x", "/x"), ("cd ~/x", "~/x"), ("parent", "/")])
  func `commands go to folders`(line: String, path: String) {
    var bench = bench()
    bench.press(":")
    for character in line { bench.press(Key(character)) }
    #expect(bench.press(Key(.enter)).last == .player(.ask(.folder(BytePath(path)))))
  }

  @Test func `Info shows all known facts, and Enter on a chapter seeks to it`() {
    var bench = Bench.playing(rows: 30)
    var snapshot = bench.state.model.playback
    snapshot.information.tags.chapters = [.init(start: 0, title: "One"), .init(start: 60.5, title: "Tw\u{1b}o")]
    snapshot.information.packetTable = .init(validFrames: 5, primingFrames: 1105, remainderFrames: 7)
    snapshot.sound.effects = [Mono(), StereoWidth(1)]
    snapshot.effects = EffectsAtWork(latency: 0.0104, tail: 0, processorPercent: 3)
    var measured = TrackTags.Gain()
    (measured.track, measured.isMeasured) = (7.06, true)
    snapshot.sound.gainMode = .track
    snapshot.gain = TrackGain(measured, snapshot.sound)
    snapshot.route = AudioRoute(device: "hw:0", description: "Card", changes: "")
    bench.show(snapshot)
    let path = BytePath("/music/02.mp3")
    #expect(bench.press("6") == [.player(.ask(.library(.track(path))))])
    bench.send(.library(.track(HeardTrack(rating: 1), of: BytePath("/another"))))
    let heard = HeardTrack(rating: 7, isLoved: true, plays: 12, lastPlayed: 1_780_000_000, added: 1_700_000_000)
    bench.send(.library(.track(heard, of: path)))
    for row in [
      " rating           ★★★½☆  7 of 10, loved", " plays            12, last on 2026-05-28",
      " added            2023-11-14", " audio bytes      8,000, 8 kB",
      " gain             +7.1 dB, measured",
      " samples          not exact: ReplayGain +7.1 dB, effects, volume below 100 %",
      " effect           mono", " effects          3 % of a processor, latency 10 ms",
      " path             /music/02.mp3", " title            Variatio 1. a 1 Clav.", " duration         2:03.000",
      " frames           5 (gapless: trims 1105 at start, 7 at end)", " chapter 2        1:00  Tw\u{fffd}o",
    ] { #expect(bench.lines.contains(row), "\(row)") }
    #expect(bench.send(.library(.changed)).contains(.player(.ask(.library(.track(path))))), "it may be rated")
    // A neutral effect is none.
    #expect(!bench.text.contains("effect           width"))
    #expect(bench.press("G", Key(.enter)) == [.player(.playback(.seek(to: 60.5)))])
    bench.show(PlaybackSnapshot())
    #expect(bench.lines[2].hasPrefix("   No track is loaded: its details are shown here. Press 1 for the queue"))
  }

  @Test func `the chapter stands before the artist, and changes with the time`() {
    var bench = Bench.playing(columns: 160, position: 59)
    var snapshot = bench.state.model.playback
    snapshot.information.tags.chapters = [.init(start: 0, title: "One"), .init(start: 60.5, title: "Two")]
    bench.show(snapshot)
    #expect(bench.title.hasPrefix(" ▶ Variatio 1. a 1 Clav.  ") && bench.credits.hasPrefix("   One - J. S. Bach"))
    snapshot.clock.position = 61
    bench.show(snapshot)
    #expect(bench.credits.hasPrefix("   Two - J. S. Bach"))
  }

  @Test func `Help can be searched for keys, commands and settings`() {
    var bench = Bench.playing(columns: 120, rows: 24)
    bench.press("?", "/", "m", "o", "v", "e", "-", "t", "r", "a", "c", "k", Key(.enter))
    #expect(bench.text.contains("J                move the marked or selected tracks down  (move-track down)"))
    bench.press("f", "m", "o", "u", "s", "e", "=", Key(.enter))
    #expect(bench.lines[2].hasPrefix(" Settings         as in: set mouse=off"))
  }
}
