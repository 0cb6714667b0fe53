import AudioModel
import ByteIO
import Library
import Playback
import Testing

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// The view of saved and recent addresses.
struct StreamsTests {
  private static let list: StreamList = {
    // A password is in it if the user wrote one.
    var list = StreamList(kept: Array("#EXTINF:-1,Één\nhttp://a/1\nhttp://me:secret@b/2\n".utf8), recent: [])
    list.apply(.heard(.init("http://c/3", title: "Drei\u{1b}[31m")))
    return list
  }()

  private func bench() -> Bench {
    var bench = Bench.playing()
    #expect(bench.press("4") == [.player(.ask(.streams()))])
    bench.send(.streams(Self.list))
    return bench
  }

  @Test func `saved streams come first, with a sign; no password is shown, nothing controls the terminal`() {
    #expect(
      bench().lines[2...6] == [
        "   Station                       Address", " * Één                           http://a/1",
        " * http://b/2                    http://b/2", "   Drei\u{fffd}[31m                     http://c/3", "",
      ])
  }

  @Test func `an empty list shows how to fill it`() {
    var bench = Bench.playing()
    bench.press("4")
    #expect(bench.text.contains("No stations yet. Press o and paste an address."))
  }

  @Test func `keys play, add, remove and rename the selected one`() {
    var bench = bench()
    bench.press("j")
    let path = BytePath("http://me:secret@b/2")
    #expect(bench.press(Key(.enter)) == [.player(.collect([path], .played))])
    #expect(bench.press("a") == [.player(.collect([path], .turn(.end)))])
    #expect(bench.press("d") == [.player(.ask(.streams(.remove("http://me:secret@b/2"))))])
    #expect(bench.press("R") == [.player(.ask(.history))])
    for letter in "New name" { bench.press(Key(letter)) }
    #expect(
      bench.press(Key(.enter)) == [
        .player(.ask(.remember("rename New name"))),
        .player(.ask(.streams(.rename("http://me:secret@b/2", to: "New name")))),
      ])
    #expect(bench.press("j", "B") == [.player(.ask(.streams(.keep(.init("http://c/3", title: "Drei\u{1b}[31m")))))])
    #expect(bench.message == " Drei\u{fffd}[31m saved in Streams")
    bench.press("/", "e", "e")
    bench.press(Key(.enter))
    #expect(bench.state.shownPane.list.selected == 0)
  }

  @Test func `streams that were removed come back with undo`() {
    var bench = bench()
    bench.press(Key("a", .control))
    #expect(bench.press("d").count == 3)
    #expect(bench.message == " 3 streams removed: u undoes it")
    guard case .player(.ask(.streams(.restore(let removed))))? = bench.press("u").first else {
      Issue.record("nothing comes back")
      return
    }
    #expect(removed.map(\.index) == [0, 1, 0] && removed.map(\.isKept) == [true, true, false])
    #expect(bench.message == " undone: 3 streams removed")
    #expect(bench.press("u") == [], "the queue, where a station may play, stays as it is")
    #expect(bench.message.hasPrefix(" Nothing to undo in Streams"))
    bench.press("d", "a")
    #expect(bench.press("u") == [.player(.undo)], "the change that was made here last is one of the queue")
    #expect(bench.press("u").count == 1)
    #expect(bench.message.hasPrefix(" undone: "))
    bench.press("d")
    #expect(bench.message.hasSuffix(" removed: u undoes it"))
    bench.press("1")
    #expect(bench.press("u") == [.player(.undo)])
  }

  @Test func `a playing stream is recorded once, and again when its name is known`() {
    let entry = QueueEntry(id: 1, location: .url("http://a/1"))
    var bench = Bench(entries: [entry])
    var playing = snapshot(entry: entry, position: 0, duration: nil, at: bench.now)
    playing.information.tags.title = nil
    #expect(bench.send(.playback(playing)) == [.player(.ask(.streams(.heard(.init("http://a/1")))))])
    #expect(bench.send(.playback(playing)) == [])
    playing.stream = StreamFacts(isLive: true, stationName: "Radio Eins")
    #expect(
      bench.send(.playback(playing)) == [.player(.ask(.streams(.heard(.init("http://a/1", title: "Radio Eins")))))])
    #expect(bench.press("B") == [.player(.ask(.streams(.keep(.init("http://a/1", title: "Radio Eins")))))])
    playing.state = .waiting
    playing.stream?.stationName = "Radio Zwei"
    #expect(bench.send(.playback(playing)) == [])
  }

  @Test func `a station that plays has the name with which it was saved`() {
    let entry = QueueEntry(id: 1, location: .url("http://me:secret@a/1"))
    var bench = Bench(entries: [entry])
    var playing = snapshot(entry: entry, position: 0, duration: nil, at: bench.now)
    playing.information.tags.title = nil
    playing.stream = StreamFacts(isLive: true, title: "On air", stationName: "Radio Eins")
    bench.send(.playback(playing))
    #expect(bench.state.model.part == "Radio Eins" && bench.text.contains("Radio Eins"))
    bench.send(.streams(Self.list))
    #expect(bench.state.model.part == "Één" && bench.state.model.name(of: entry) == "Één")
    bench.send(.playback(playing))
    #expect(bench.state.model.part == "Één" && !bench.text.contains("Radio Eins"))
  }

  @Test func `commands have the same effect`() throws {
    for name in ["'A name'", "A name"] {
      #expect(try Action.parse("keep http://h/x " + name) == .keepStream("http://h/x", title: "A name"))
    }
    #expect(try Action.parse("keep") == .keepStream(nil, title: nil))
    #expect(throws: CommandError.self) { try Action.parse("keep music.mp3") }
    #expect(throws: CommandError.self) { try Action.parse("rename") }
    var bench = Bench.playing()
    #expect(bench.press("B") == [])
    #expect(bench.text.contains("Select or play a stream first"))
  }
}
