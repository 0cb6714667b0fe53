// player FILE|URL... [--silent]: plays a list with a line that shows where it is. SIGUSR1 stands for a call that
// interrupts, SIGUSR2 for its end; Ctrl-C quits.
import Dispatch
import Glibc
import SegueAudio

@main struct Player {
  static func main() async {
    let isSilent = CommandLine.arguments.contains("--silent")
    let items = CommandLine.arguments.dropFirst().filter { $0 != "--silent" }.map { MediaLocation($0) }
    guard !items.isEmpty else { return print("usage: player FILE|URL... [--silent]") }
    let player = AudioPlayer(applicationName: "player example", output: isSilent ? SilentOutput() : nil)
    let signals = [
      on(SIGUSR1) { player.engine.send(.interruptionBegan(.default, from: .simulation)) },
      on(SIGUSR2) { player.engine.send(.interruptionEnded(from: .simulation, shouldResume: true)) },
    ]
    defer { signals.forEach { $0.cancel() } }

    let notices = player.notices()
    player.play(Array(items))
    var hasMoved = false
    for await notice in notices {
      switch notice {
      case .trackBegan(let entry, let name):
        print("\ntrack \(entry.id): \(name.map { "\($0)" } ?? entry.location.name)")
        // The first track from its middle on.
        if !hasMoved, let duration = player.duration { player.seek(to: duration / 2) }
        hasMoved = true
      case .state(let state, let reason, let position):
        print("\n\(state) (\(reason)) at \(seconds(position))")
        if state == .stopped { return }
      case .seeked(let position, _): print("\nmoved to \(seconds(position))")
      case .trackFailed(_, let error): print("\ncannot play: \(error)")
      case .outputFailed(let error): print("\nno sound: \(error)")
      default: break
      }
      showPosition(of: player)
    }
  }

  static func showPosition(of player: AudioPlayer) {
    print("\r\(seconds(player.position)) / \(player.duration.map(seconds) ?? "?")", terminator: "")
    fflush(nil)
  }

  static func seconds(_ seconds: Double) -> String { "\((seconds * 10).rounded() / 10) s" }

  /// Calls `action` for each signal, on another thread.
  static func on(_ number: Int32, _ action: @escaping @Sendable () -> Void) -> any DispatchSourceSignal {
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler(handler: action)
    source.resume()
    return source
  }
}
