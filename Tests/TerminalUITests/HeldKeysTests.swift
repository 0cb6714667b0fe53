import AudioModel
import ByteIO
import Library
import Playback
import Testing

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// Keys that are typed faster than a list is read wait for its rows.
struct HeldKeysTests {
  private var bench = Bench.playing()

  private static func listing(_ list: LibraryList, _ names: String..., inner: [LibraryList] = []) -> Message {
    let rows = names.enumerated().map { place, name in
      let track = LibraryRow.Content.track(.file(BytePath("/music/\(name).flac")), isHere: true)
      return LibraryRow(inner.indices.contains(place) ? .list(inner[place]) : track, name)
    }
    return .answer(.library(.list(LibraryListing(list, rows: rows))))
  }

  private static let play = ScreenCommand.player(.collect([BytePath("/music/Vaquero.flac")], .played))

  private mutating func type(_ text: String) { for letter in text { bench.press(Key(letter)) } }

  @Test mutating func `Enter in Find plays what the library finds, not what was there before`() {
    bench.press("F")
    type("va")
    // The queue has Variatio.
    #expect(bench.selectedLine.contains("Variatio"))
    #expect(bench.press(Key(.enter)).isEmpty && bench.state.shownView == .finder)
    bench.send(.library(.list(LibraryListing(.found("v"), rows: []))))
    #expect(bench.state.shownView == .finder, "an answer about another text")
    #expect(bench.send(Self.listing(.found("va"), "Vaquero", "Vaquero")).contains { $0 == Self.play } == false)
    #expect(bench.state.shownView == .queue)
  }

  @Test mutating func `Enter without a row waits for the one that is found`() {
    bench.press("F")
    type("vaquero")
    #expect(bench.press(Key(.enter)).isEmpty)
    #expect(bench.send(Self.listing(.found("vaquero"), "Vaquero")).contains(Self.play))
    #expect(bench.state.shownView == .queue && bench.state.promptLine.prompt == nil)
  }

  @Test mutating func `Tab and the keys after it wait in their order`() {
    bench.press("F")
    type("vaquero")
    #expect(bench.press(Key(.tab), "E").isEmpty)
    let added = ScreenCommand.player(.collect([BytePath("/music/Vaquero.flac")], .turn(.next)))
    #expect(bench.send(Self.listing(.found("vaquero"), "Vaquero")).contains(added))
  }

  @Test mutating func `in Library the moves after Enter are moves in the new list`() {
    bench.press("2")
    bench.send(Self.listing(.overview, "Artists", "Albums", inner: [.artists, .albums]))
    #expect(bench.press("j", Key(.enter), "j", "j") == [.player(.library(.list(.albums)))])
    #expect(bench.selectedLine.contains("Albums"))
    bench.send(Self.listing(.albums, "A", "B", "C"))
    #expect(bench.selectedLine.contains("C"))
  }

  @Test mutating func `a list that never comes is not waited for`() {
    bench.press("2")
    bench.send(Self.listing(.overview, "Artists", "Albums", inner: [.artists, .albums]))
    bench.press(Key(.enter), "j")
    #expect(bench.selectedLine.contains("Artists"))
    #expect(nextDeadline(of: bench.state).map { $0 - bench.now < .seconds(1) } == true)
    bench.wait(milliseconds: 800)
    #expect(bench.selectedLine.contains("Albums"))
  }

  @Test mutating func `very many keys do not wait, and none of them is lost`() {
    bench.press("2")
    let rows = (0..<300).map { "\($0)" }
    let tracks = rows.map { LibraryRow(.track(.file(BytePath("/m/\($0)")), isHere: true), $0) }
    bench.send(.library(.list(LibraryListing(.overview, rows: [LibraryRow(.list(.artists), "Artists")] + tracks))))
    bench.press(Key(.enter))
    for _ in 0..<250 { bench.press("j") }
    bench.wait(milliseconds: 800)
    #expect(bench.selectedLine.hasSuffix(" 249"))
  }

  @Test mutating func `Escape forgets the keys, and keys for the player do not wait`() {
    bench.press("2")
    bench.send(Self.listing(.overview, "Artists", "Albums", inner: [.artists, .albums]))
    bench.press(Key(.enter))
    #expect(bench.press(" ") == [.player(.togglePause)])
    bench.press("j", Key(.escape))
    #expect(bench.state.shownView == .queue)
    bench.send(Self.listing(.artists, "A", "B"))
    bench.press("2")
    #expect(bench.selectedLine.contains("A"))
  }
}
