import AudioModel
import ByteIO
import Commands
import Glibc
import Library
import Playback
import Player
import RemoteProtocols

/// Any bytes as the lines of a client, in the dialect that SEGUE_FUZZ_FORMAT names, and as a query of the library: nothing
/// may trap or hang, no answer may be many times longer than the player has facts, and none may break a line. libFuzzer
/// calls it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzClients(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let data else { return 0 }
  let lines = UnsafeBufferPointer(start: data, count: count).split(separator: 0x0a, omittingEmptySubsequences: false)
    .map { Array($0.last == 0x0d ? $0.dropLast() : $0) }
  switch dialect {
  case "control": converse(ControlConnection(program: "0", process: 1), lines, linesAreWhole: true)
  case "cmus": converse(CmusConnection(), lines, linesAreWhole: true)
  case "mpd":
    let places = MPDPlaces(music: BytePath("/music"), playlists: BytePath("/lists"))
    converse(MPDConnection(places: places, start: .zero), lines, linesAreWhole: true)
    converse(MPDConnection(places: places, start: .zero, access: .network(password: "open sesame")), lines)
  case "http": request(lines)
  default: _ = try? LibraryQuery(String(decoding: Array(lines.joined(separator: [0x20])), as: UTF8.self), now: 1)
  }
  return 0
}

private let dialect = getenv("SEGUE_FUZZ_FORMAT").map { String(cString: $0) } ?? "query"

/// A conversation in which every command is answered at once, and refused by turns.
private func converse(_ connection: some RemoteConnection, _ lines: [[UInt8]], linesAreWhole: Bool = false) {
  var (connection, byteCount) = (connection, 0)
  func take(_ effects: [RemoteEffect]) {
    for case .send(let bytes) in effects {
      byteCount += bytes.count
      precondition(!linesAreWhole || bytes.last == 0x0a || bytes.isEmpty, "an answer without the end of its line")
    }
  }
  take(connection.handle(.opened, player))
  for (number, line) in lines.enumerated() {
    take(connection.handle(.line(line), player))
    if connection.isBusy {
      take(connection.handle(.answered(number % 3 == 0 ? .refused("no") : .done(nil)), player))
    }
    if number % 8 == 7 { take(connection.handle(.changed(.position), player)) }
  }
  precondition(byteCount <= 1 << 24, "too long an answer")
}

private func request(_ lines: [[UInt8]]) {
  var request = WebRequest(
    for: WebRequest.Offer(mediaType: "audio/ogg", password: "open sesame", hostName: "den", bitRate: nil))
  for line in lines where request.take(line) != nil { return }
}

/// A player that plays the second of three tracks.
private let player: PlayerSnapshot = {
  var player = PlayerSnapshot()
  player.queue = PlayQueue(seed: 1)
  player.queue.append(["a", "b \"c\"", "\u{1}ü"].map { MediaLocation.file(BytePath("/music/\($0).flac")) })
  player.snapshot.entry = player.queue.select(index: 1)
  player.snapshot.state = .playing
  player.snapshot.information.duration = 215
  player.snapshot.information.tags.title = "Song"
  player.snapshot.information.tags.artist = "Band\nOK"
  return player
}()
