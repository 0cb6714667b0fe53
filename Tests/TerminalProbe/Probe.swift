import AudioModel
import ByteIO
import Commands
import Glibc
import NCursesTerminal
import Pictures
import Playback
import TerminalUI

/// The real screen on a real terminal above a player of straw: what the tests of `NCursesTerminal` run.
///
/// `TerminalProbe [TRACKS [colors]]`: `colors` gives the theme the colours of the cover. Writes its process identifier to descriptor 3, then every command, a line each. SIGUSR1
/// crashes it. Every track has the same cover: 60 x 30 pixels, red from left to right, green from top to bottom.
@main
struct Probe {
  static func main() { run() }

  // Safety: written once before the handlers are installed.
  nonisolated(unsafe) private static var signalPipe: [CInt] = [-1, -1]

  nonisolated static func run() {
    _ = pipe(&signalPipe)
    for number in [SIGWINCH, SIGTERM, SIGCONT, SIGHUP, SIGUSR1] {
      signal(number) { @Sendable number in
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(Probe.signalPipe[1], &byte, 1)
      }
    }
    do {
      var probe = try Session()
      probe.loop(signals: signalPipe[0])
    } catch {
      print("no screen: \(error)")
      exit(3)
    }
  }
}

private func now() -> MonotonicTime {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return MonotonicTime(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
}

private func report(_ text: String) {
  var line = text + "\n"
  line.withUTF8 { _ = write(3, $0.baseAddress, $0.count) }
}

private struct Session {
  let terminal: NCursesTerminal
  var state: ScreenState
  let entries: [QueueEntry]
  var player = PlaybackSnapshot()
  var isRunning = true

  init() throws(TerminalError) {
    terminal = try NCursesTerminal()
    report("\(getpid())")
    state = ScreenState(size: terminal.size, typography: terminal.typography)
    let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 9
    entries = (1...count).map { QueueEntry(id: $0, location: .file(BytePath("/music/\($0) - track.mp3"))) }
    player.state = .playing
    player.entry = entries[min(1, count - 1)]
    player.information = facts(of: player.entry?.id ?? 0)
    player.clock = PlaybackClock(position: 41, referenceTime: now(), isRunning: true)
    player.volume = 0.8
    send(.queue(entries))
    send(.playback(player))
  }

  private func facts(of id: Int) -> MediaInformation {
    let titles = [
      "Aria", "Variatio 1. a 1 Clav.", "バッハ：ゴルトベルク変奏曲", "שיר השירים", "Café e\u{301}tude",
      "A\u{1b}[31mB\u{7}\u{202e}C",
    ]
    var information = MediaInformation()
    information.fileType = .mp3
    information.dataFormat = AudioStreamBasicDescription(
      sampleRate: 44100, formatID: .mpegLayer3, framesPerPacket: 1152, channelsPerFrame: 2)
    information.duration = 123 + Double(id % 7) * 31
    information.durationIsEstimated = id == 4
    information.bitRate = 245_000
    information.packetCount = 100
    information.audioDataByteCount = 60000
    information.maximumPacketSize = 1044
    information.tags.title = titles[id % titles.count]
    information.tags.artist = "Johann Sebastian Bach"
    information.tags.album = "Goldberg Variations, BWV 988"
    return information
  }

  mutating func loop(signals: CInt) {
    while isRunning {
      terminal.draw(view(state))
      terminal.setTitle(state.configuration.settings.title ? windowTitle(state) : "")
      terminal.showProgress(windowProgress(state))
      var requests = [
        pollfd(fd: terminal.inputDescriptor, events: CShort(POLLIN), revents: 0),
        pollfd(fd: signals, events: CShort(POLLIN), revents: 0),
        pollfd(fd: terminal.outputDescriptor ?? -1, events: CShort(POLLOUT), revents: 0),
      ]
      let time = now()
      let deadline = [nextDeadline(of: state), terminal.inputDeadline].compactMap(\.self).min()
      let timeout = deadline.map { $0 > time ? CInt(clamping: ($0 - time).inMicroseconds / 1000 + 1) : 0 } ?? -1
      poll(&requests, 3, timeout)
      if requests[1].revents != 0 { handleSignal(from: signals) }
      let inputs = terminal.readInput()
      state.adopt(terminal.typography)
      for input in inputs { send(.terminal(input)) }
      send(.tick)
    }
    terminal.close()
  }

  private mutating func handleSignal(from descriptor: CInt) {
    var number: UInt8 = 0
    guard read(descriptor, &number, 1) == 1 else { return }
    if number == SIGTERM || number == SIGHUP { isRunning = false }
    if number == SIGUSR1 { fatalError("a crash, as asked for") }
  }

  private mutating func send(_ message: Message) {
    for command in update(&state, with: message, at: now()) { perform(command) }
  }

  private mutating func perform(_ command: ScreenCommand) {
    switch command {
    case .player(.playback(let command)):
      report("\(command)")
      perform(.playback(command))
      return
    case .player(let command):
      report("\(command)")
      perform(command)
      return
    case .listen: send(.heard(nil))
    case .redraw:
      report("redraw")
      terminal.repaint()
    case .suspend:
      report("suspend")
      terminal.suspend()
      raise(SIGSTOP)
      terminal.resume()
    case .hangUp:
      report("hangUp")
      isRunning = false
    case .configure(let configuration):
      terminal.configure(look: TerminalLook(theme: configuration.theme), usesMouse: true)
      return
    }
    send(.playback(player))
  }

  private mutating func perform(_ command: Command) {
    let time = now()
    let position = player.position(at: time)
    switch command {
    case .quit: isRunning = false
    case .ask(.facts(let entries)):
      for id in entries.map(\.id) { send(.answer(.facts(TrackFacts(facts(of: id)), entryID: id))) }
    case .ask(.cover(let entry, side: _)):
      let bytes = (0..<1800).flatMap { (pixel: Int) -> [UInt8] in
        [UInt8(pixel % 60 * 4 + 3), UInt8(pixel / 60 * 8 + 7), 191]
      }
      let picture = Picture(width: 60, height: 30, bytes: bytes)
      let colors = CommandLine.arguments.contains("colors") ? picture.map { PictureColors(of: $0) } : nil
      send(.answer(.cover(picture, colors: colors, entryID: entry.id)))
    case .togglePause:
      let isPlaying = player.state == .playing
      player.state = isPlaying ? .paused : .playing
      player.clock = PlaybackClock(position: position, referenceTime: time, isRunning: !isPlaying)
    case .playback(.seek(let target)): player.clock.position = target; player.clock.referenceTime = time
    case .play(let id):
      player.entry = entries[id - 1]
      player.information = facts(of: id)
      player.state = .playing
      player.clock = PlaybackClock(position: 0, referenceTime: time, isRunning: true)
    case .changeVolume(let step): player.volume = min(1, max(0, player.volume + step))
    case .toggleMute: player.isMuted.toggle()
    default: return
    }
    switch command {
    case .ask(.facts), .ask(.cover), .quit: break
    default: send(.playback(player))
    }
  }
}
