import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// True if a locale of another encoding can be created.
private let hasLocaleSources = access("/usr/share/i18n/locales/de_DE", R_OK) == 0

/// The real program on a terminal, compared with reviewed screens: every size, locale and depth of colour.
/// `SEGUE_GOLDENS=write` writes the screens; review the difference.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn)
struct `Screens compared with goldens` {
  enum Depth: String, CaseIterable {
    case mono, colors8, colors256, truecolor

    var environment: String {
      switch self {
      case .mono: "TERM=screen NO_COLOR=1"
      case .colors8: "TERM=screen"
      case .colors256: "TERM=screen-256color"
      case .truecolor: "TERM=tmux-256color COLORTERM=truecolor"
      }
    }
  }

  private static let sizes = [(80, 24), (200, 60), (40, 10), (20, 4), (10, 1)]
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Titles of every kind, in the folder `music`.
  private func makeAlbum() throws {
    try #require(mkdir(folder("music"), 0o700) == 0)
    let sound = contents(of: fixture("e2-44100-cbr160.mp3"))
    let titles = [
      "Aria", "バッハ：ゴルトベルク変奏曲", "\u{5e9}\u{5d9}\u{5e8} (1) \u{5d4}\u{5e9}\u{5d9}\u{5e8}\u{5d9}\u{5dd} Op. 5",
      "\u{202e}Cafe\u{301} e\u{301}tude 👩‍👩‍👧", "A\u{1b}[31mB\u{7}\nC\u{9b}2J", String(repeating: "Long ", count: 2000),
    ]
    for (index, title) in titles.enumerated() {
      let text = { (text: String) in [UInt8(3)] + Array(text.utf8) }
      let tag = id3(["TIT2": text(title), "TPE1": text("Zoë"), "TALB": text("Album \(index)")])
      try write(tag + sound, to: folder("music/\(index).mp3"))
    }
  }

  private func golden(_ name: String) -> String {
    #filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/Goldens/\(name).txt"
  }

  @Test(arguments: ["C.UTF-8", "POSIX"], Depth.allCases)
  func `it is as it was found right`(locale: String, depth: Depth) throws {
    try compare(locale, depth)
  }

  @Test(.enabled(if: hasLocaleSources, "no Latin-1 to be had: apt install locales"), arguments: Depth.allCases)
  func `in Latin-1, too`(depth: Depth) throws {
    let locale = "de_DE.ISO-8859-1"
    let made = try ChildProcess(["localedef", "-i", "de_DE", "-f", "ISO-8859-1", folder(locale)], errors: "/dev/null")
    try #require(made.wait() == 0)
    try compare(locale, depth, environment: "LOCPATH=\(folder.path) ")
  }

  private func compare(_ locale: String, _ depth: Depth, environment places: String = "") throws {
    try makeAlbum()
    // The first track again and again, until a busy machine has paused it.
    let program = "'\(canonical(Program.path))' --output null --repeat one \(folder("music"))"
    let tmux = try Tmux(
      "exec env -u COLORTERM -u NO_COLOR \(places)LC_ALL=\(locale) \(depth.environment) SEGUE_HOME=\(folder("home")) "
        + program)
    let isPlaying = eventually(milliseconds: 50) { tmux.screen.contains("▶ Aria") || tmux.screen.contains("> Aria") }
    #expect(isPlaying, "\(tmux.screen)")
    // The position in the waveform, which a busy machine may measure later than in the ten seconds of the track.
    tmux.press("c", "r")
    let isThere = eventually(milliseconds: 50) {
      let screen = tmux.screen
      return screen.contains(" paused") && screen.split(separator: "\n").last?.contains { "▌▐|".contains($0) } == true
    }
    #expect(isThere, "\(tmux.screen)")
    tmux.press("v", "Down")
    let path = golden("\(locale == "C.UTF-8" ? "unicode" : "ascii")-\(depth.rawValue)")
    let known = String(decoding: contents(of: path), as: UTF8.self).split(
      separator: "\u{c}\n", omittingEmptySubsequences: false
    ).map(String.init)
    var seen: [String] = []
    for (index, (columns, rows)) in Self.sizes.enumerated() {
      tmux.resize(columns: columns, rows: rows)
      let isWriting = getenv("SEGUE_GOLDENS") != nil
      let wanted = known.indices.contains(index) && !isWriting ? known[index] : nil
      let isRight = eventually(seconds: isWriting ? 2 : patience, milliseconds: 50) {
        wanted.map(styled) == styled(legible(tmux.styledScreen))
      }
      seen.append(legible(tmux.styledScreen))
      #expect(isRight || isWriting, "\(columns) x \(rows):\n\(seen[index])")
    }
    if getenv("SEGUE_GOLDENS") != nil { try write(seen.joined(separator: "\u{c}\n").utf8, to: path) }
    tmux.resize(columns: 80, rows: 24)
    tmux.press("q")
  }

  /// The text with its whole style wherever that changes: tmux 3.3 also sends colours that are set already, tmux 3.5 those
  /// of blanks that it leaves out.
  private func styled(_ screen: String) -> String {
    var (style, shown, result) = ([Substring: Substring](), "", "")
    for (index, part) in screen.split(separator: "␛[", omittingEmptySubsequences: false).enumerated() {
      let codes = index == 0 ? "" : part.prefix { $0 != "m" }
      let code = codes.split(separator: ";").first ?? ""
      if ["38", "48"].contains(code) {
        style[code] = codes
      } else {
        for code in codes.split(separator: ";") {
          switch Int(code) ?? 0 {
          case 0: style = [:]
          case 39: style["38"] = nil
          case 49: style["48"] = nil
          case 30...37, 90...97: style["38"] = code
          case 40...47, 100...107: style["48"] = code
          default: style[code] = code
          }
        }
      }
      let text = index == 0 ? part : part.dropFirst(codes.count + 1)
      let now = "␛" + style.values.sorted().joined(separator: ",") + "m"
      for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
        if number > 0 { result += "\n" }
        if !line.isEmpty { (result, shown) = (result + (now == shown ? "" : now) + line, now) }
      }
    }
    return result
  }

  /// Sequences with a sign that editors show.
  private func legible(_ screen: String) -> String { screen.replacing("\u{1b}", with: "␛") }
}
