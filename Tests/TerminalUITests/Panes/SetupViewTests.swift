import ByteIO
import Library
import Testing

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// The guide of the first start.
struct SetupViewTests {
  private static var facts: SetupFacts {
    var facts = SetupFacts()
    facts.music = BytePath("/home/me/Music")
    facts.otherPlayers = [.init("cmus", BytePath("/home/me/.config/cmus/cache"))]
    facts.fileCount = 1234
    facts.firstAlbum = BytePath("/home/me/Music/Bach/Goldberg")
    return facts
  }

  @Test func `it counts until all folders are read, as long as it is shown`() {
    var bench = Bench()
    #expect(bench.command("setup").contains(.player(.ask(.setup(nil)))))
    #expect(bench.text.contains("looking for your music"))
    var facts = Self.facts
    facts.openFolders = [BytePath("/home/me/Music/Cage")]
    #expect(bench.send(.setup(facts)).contains(.player(.ask(.setup(facts)))))
    #expect(bench.text.contains("1,234 files so far"))
    #expect(!bench.send(.setup(Self.facts)).contains { "\($0)".contains("setup") })
    #expect(bench.text.contains("/home/me/Music: 1,234 files."))
    bench.press(Key(.escape))
    #expect(bench.state.shownView == .files)
    #expect(!bench.send(.setup(facts)).contains { "\($0)".contains("setup") })
  }

  @Test func `paths in the home folder are short wherever the screen shows them`() {
    var configuration = Configuration()
    configuration.home = BytePath("/home/me")
    var bench = Bench(columns: 120)
    bench.send(.configured(configuration))
    bench.command("setup")
    bench.send(.setup(Self.facts))
    #expect(bench.text.contains("~/Music: 1,234 files.") && bench.text.contains("from ~/.config/cmus/cache"))
    bench.send(.notice("/home/me/My Music is in the library already"))
    #expect(bench.message == " ~/My Music is in the library already")
    bench.send(.log(LogEntry(time: "21:04:05", text: "1 track written to /home/me/a b.m3u8")))
    bench.press("5")
    #expect(bench.text.contains("1 track written to ~/a b.m3u8"))
    bench.press("3")
    bench.send(.folder(FolderContents(folder: BytePath("/home/me/Music"), items: [])))
    #expect(bench.lines.contains("   ~/Music") && !bench.text.contains("/home/me"))
    #expect(bench.state.model.folder == BytePath("/home/me/Music"))
  }

  @Test func `Enter does what the row says, in the way of commands`() {
    var bench = Bench()
    bench.command("view setup")
    bench.send(.setup(Self.facts))
    func choose(_ name: String) -> [ScreenCommand] {
      bench.press(Key(.home))
      for _ in 0..<20 where !bench.selectedLine.contains(" \(name) ") { bench.press(Key(.down)) }
      return bench.press(Key(.enter))
    }
    #expect(choose("from cmus") == [.player(.library(.importFacts(BytePath("/home/me/.config/cmus/cache"))))])
    #expect(choose("lyrics").contains(.player(.set(.lyrics, "online"))))
    #expect(choose("listens") == [] && bench.text.contains("token (Enter: the one that is kept):"))
    for letter in "a1" { bench.press(Key(letter)) }
    #expect(bench.text.contains(": **") && !bench.text.contains("a1"))
    #expect(bench.press(Key(.enter)) == [.player(.ask(.keepToken(TypedSecret("a1"))))])
    #expect(bench.send(.tokenKept).contains(.player(.set(.listenbrainz, "on"))))
    #expect(choose("listens") == [])
    #expect(bench.press(Key(.enter)).contains(.player(.set(.listenbrainz, "on"))), "the token is there already")
    #expect(choose("radio") == [.player(.collect([BytePath("https://icecast.radiofrance.fr/fip-midfi.mp3")], .played))])
    bench.command("setup")
    #expect(choose("terminal").isEmpty)
    _ = choose("keys")
    #expect(bench.state.configuration.settings.keymap == .cmus && bench.text.contains("as in cmus"))
    #expect(
      choose("play") == [
        .player(.library(.add(BytePath("/home/me/Music")))),
        .player(.collect([BytePath("/home/me/Music/Bach/Goldberg")], .played)),
      ])
    #expect(bench.state.shownView == .queue)
    bench.command("setup")
    _ = choose("other music")
    #expect(bench.text.contains(":library add"))
  }

  @Test func `music of the library is played and not added, and Quod Libet has playlists only`() {
    var bench = Bench(columns: 240)
    bench.command("setup")
    var facts = Self.facts
    facts.isInLibrary = true
    let list = BytePath("/q/playlists/Best.xspf")
    facts.otherPlayers = [.init("Quod Libet", BytePath("/q/playlists"), playlists: [list])]
    bench.send(.setup(facts))
    #expect(bench.text.contains("1,234 files. In the library; plays Goldberg"))
    #expect(bench.text.contains("take playlists from /q/playlists"))
    bench.press(Key(.home))
    for _ in 0..<20 where !bench.selectedLine.contains(" from Quod Libet ") { bench.press(Key(.down)) }
    #expect(
      bench.press(Key(.enter))
        == [.player(.library(.playlist(.read(WrittenNames(words: [list.description]), in: nil))))])
    bench.press(Key(.home))
    #expect(bench.press(Key(.enter)) == [.player(.collect([BytePath("/home/me/Music/Bach/Goldberg")], .played))])
  }

  @Test func `it says what the terminal lacks, and how to get it`() {
    var bench = Bench(columns: 240)
    var typography = bench.state.model.typography
    (typography.hasPictures, typography.hasPalette) = (true, true)
    bench.state.adopt(typography)
    bench.command("setup")
    bench.send(.setup(Self.facts))
    #expect(bench.text.contains("256 colours: export COLORTERM=truecolor"))
    #expect(bench.text.contains("covers as blocks: kitty, Ghostty"))
    (typography.hasTrueColor, typography.hasPixels) = (true, true)
    bench.state.adopt(typography)
    bench.send(.setup(Self.facts))
    #expect(bench.text.contains("true colour; covers in pixels"))
  }

  @Test func `without music it says so, and the next session does not begin with it`() {
    var bench = Bench()
    bench.command("setup")
    bench.send(.setup(SetupFacts()))
    #expect(bench.text.contains("there is no folder for music"))
    bench.press(Key(.home), Key(.enter))
    #expect(bench.text.contains(":library add"))
    bench.press(Key(.escape))
    var facts = Self.facts
    (facts.fileCount, facts.firstAlbum) = (0, nil)
    bench.send(.setup(facts))
    #expect(bench.text.contains("/home/me/Music: nothing that can be played"))
    #expect(bench.state.lastingView == .queue)
  }
}
