import AudioModel
import ByteIO
import Playback

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// A screen under a clock that the test moves, above a player that stays as the test says.
struct Bench {
  var state: ScreenState
  var now = MonotonicTime.zero + .seconds(5000)

  init(columns: Int = 80, rows: Int = 24, typography: Typography = .wide, entries: [QueueEntry] = []) {
    state = ScreenState(size: Size(columns: columns, rows: rows), typography: typography)
    send(.queue(entries))
  }

  /// Nine tracks, of which the second is playing, 41 s into 2:03.
  static func playing(
    columns: Int = 80, rows: Int = 24, typography: Typography = .wide, position: Double = 41, duration: Double? = 123,
    state: PlaybackState = .playing, reason: PlaybackReason = .user
  ) -> Bench {
    var bench = Bench(columns: columns, rows: rows, typography: typography, entries: album)
    for (id, facts) in albumFacts { bench.send(.facts(facts, entryID: id)) }
    bench.show(
      snapshot(entry: album[1], position: position, duration: duration, state: state, reason: reason, at: bench.now))
    return bench
  }

  /// Entries whose tags were requested.
  private(set) var requestedFacts: [QueueEntry.ID] = []

  /// Sends a message; requests for tags and waveforms are not among the commands.
  @discardableResult
  mutating func send(_ message: Message) -> [ScreenCommand] {
    var commands: [ScreenCommand] = []
    for command in update(&state, with: message, at: now) {
      switch command {
      case .player(.ask(.facts(let entries))): requestedFacts += entries.map(\.id)
      case .player(.ask(.waveform)): break
      default: commands.append(command)
      }
    }
    return commands
  }

  @discardableResult
  mutating func send(_ input: TerminalInput) -> [ScreenCommand] { send(.terminal(input)) }

  @discardableResult
  mutating func send(_ answer: Answer) -> [ScreenCommand] { send(.answer(answer)) }

  @discardableResult
  mutating func press(_ keys: Key...) -> [ScreenCommand] { keys.flatMap { send(.key($0)) } }

  /// Types a command on the command line.
  @discardableResult
  mutating func command(_ line: String) -> [ScreenCommand] {
    press(":")
    for letter in line { press(Key(letter)) }
    return press(Key(.enter))
  }

  @discardableResult
  mutating func mouse(
    _ kind: MouseEvent.Kind, _ column: Int, _ row: Int, _ modifiers: Key.Modifiers = []
  ) -> [ScreenCommand] {
    send(.mouse(MouseEvent(kind, column: column, row: row, modifiers: modifiers)))
  }

  /// The question for the lyrics of an entry.
  func lyrics(of entry: QueueEntry) -> ScreenCommand {
    .player(.ask(.lyrics(LyricsInquiry(entry, state.model.playback.information))))
  }

  mutating func show(_ snapshot: PlaybackSnapshot) { send(.playback(snapshot)) }

  @discardableResult
  mutating func wait(milliseconds: Int64) -> [ScreenCommand] {
    now += .milliseconds(milliseconds)
    return send(.tick)
  }

  /// The screen as text, without spaces at the ends of rows.
  var lines: [String] { view(state).lines.map { $0.trimmingTrailingSpaces } }
  var text: String { lines.joined(separator: "\n") }
  /// The selected row.
  var selectedLine: String {
    let list = state.shownPane.list
    return lines[state.layout.list.lowerBound + list.line(ofPlace: list.selectedPlace)]
  }
  /// The rows of Help, Info or Log while one of them is shown.
  var table: TextTable { (state.shownPane as? any TablePane)?.table ?? TextTable() }
  /// The row of notices and of the line that is typed.
  var message: String { lines[state.layout.messages] }
  /// The rows of the player: title, artist, album, slider.
  var title: String { lines[state.layout.texts.lowerBound] }
  var credits: String { lines[state.layout.texts.lowerBound + 1] }
  var albumLine: String { lines[state.layout.texts.lowerBound + 2] }
  var slider: String { lines[lines.count - 1] }
}

func entry(_ id: Int, _ name: String) -> QueueEntry { QueueEntry(id: id, location: .file(BytePath("/music/" + name))) }

let album: [QueueEntry] = (1...9).map { entry($0, "0\($0).mp3") }

let albumFacts: [Int: TrackFacts] = [
  1: anotherEdition(facts("Aria", "J. S. Bach", "Goldberg", 118, isEstimated: true)),
  2: facts("Variatio 1. a 1 Clav.", "J. S. Bach", "Goldberg", 123),
  3: facts("バッハ：ゴルトベルク変奏曲とほかの曲", "グールド", "一九五五年", 3723),
  4: facts("שיר השירים", "\u{202e}gnihton\u{2066}", "a\u{200b}b\u{feff}c", 61),
  5: facts("Cafe\u{301} e\u{301}tude", "Zoe\u{308}", "🇩🇪 👩‍👩‍👧 ❤\u{fe0f}", 600),
  6: facts("A\u{1b}[31mB\u{7}\nC\u{9b}2J", "x\ty", "\u{7f}", 59.9),
  7: TrackFacts(failure: .nothingDecodable(TrackDamage())),
  8: facts(String(repeating: "Long ", count: 60), String(repeating: "長", count: 200), "z", nil),
]

/// The facts of a track that stands below no heading together with one of the same album.
private func anotherEdition(_ facts: TrackFacts) -> TrackFacts {
  var facts = facts
  facts.albumArtist = "Glenn Gould"
  return facts
}

func facts(
  _ title: String?, _ artist: String?, _ album: String?, _ duration: Double?, isEstimated: Bool = false
) -> TrackFacts {
  var information = MediaInformation()
  information.tags.title = title
  information.tags.artist = artist
  information.tags.album = album
  information.duration = duration
  information.durationIsEstimated = isEstimated
  return TrackFacts(information)
}

func snapshot(
  entry: QueueEntry?, position: Double, duration: Double?, state: PlaybackState = .playing,
  reason: PlaybackReason = .user, at now: MonotonicTime
) -> PlaybackSnapshot {
  var snapshot = PlaybackSnapshot()
  snapshot.state = state
  snapshot.reason = reason
  snapshot.entry = entry
  snapshot.volume = 0.8
  snapshot.clock = PlaybackClock(position: position, referenceTime: now, isRunning: state == .playing)
  snapshot.information.duration = duration
  snapshot.information.tags.title = "Variatio 1. a 1 Clav."
  snapshot.information.tags.artist = "J. S. Bach"
  snapshot.information.tags.album = "Goldberg"
  snapshot.information.dataFormat = AudioStreamBasicDescription(
    sampleRate: 44100, formatID: .mpegLayer3, framesPerPacket: 1152, channelsPerFrame: 2)
  snapshot.information.bitRate = 244_900
  snapshot.information.packetCount = 10
  snapshot.information.audioDataByteCount = 8000
  snapshot.information.maximumPacketSize = 1044
  return snapshot
}

extension Typography {
  /// Widths without any locale: near enough to those of the C library.
  static let wide = Typography.unicode { scalar in
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    case .control, .unassigned: return -1
    default: break
    }
    switch scalar.value {
    case 0x1100...0x115f, 0x2e80...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f, 0xff00...0xff60,
      0xffe0...0xffe6, 0x1f300...0x1faff, 0x20000...0x3fffd:
      return 2
    default: return 1
    }
  }
}

extension CellLook {
  /// `nil` for a part of a picture.
  var style: Style? { if case .style(let style) = self { style } else { nil } }
}

extension CellGrid {
  /// The only picture, or the first one.
  var picture: PlacedPicture? { pictures.first }
}

extension Cell {
  var style: Style? { look.style }
}

extension String {
  var trimmingTrailingSpaces: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
