import AudioModel
import AudioOutput
import AudioSession
import Playback
import SignalProcessing

// Effects of commands.
extension Exercise {
  private var place: Int? { engine.snapshot.entry.flatMap { current in list.firstIndex { $0.id == current.id } } }

  /// The stream that is audible, approximately.
  private var stream: VirtualStream? { output.openStreams.first(where: \.isResumed) ?? output.openStreams.last }

  func perform(_ command: ExerciseCommand) {
    let index = Int(command.value)
    switch command.verb {
    case .wait: break
    // The feeder stands still during the next command, and for so many milliseconds behind it.
    case .doze: break
    case .play: if !list.isEmpty { engine.send(.play(list[index % list.count], from: command.second)) }
    case .next:
      if let entry = engine.snapshot.entry.flatMap({ next(after: $0.id) }) { engine.send(.play(entry, from: 0)) }
    case .previous: if let place { engine.send(.play(list[max(0, place - 1)], from: 0)) }
    case .seek: engine.send(.seek(to: command.value))
    case .seekBy: engine.send(.seekBy(command.value))
    case .pause: engine.send(.pause)
    case .resume: engine.send(.resume)
    case .toggle: engine.send(.togglePause)
    case .stop: engine.send(.stop)
    case .crossfade: engine.send(.set(.crossfade(command.value)))
    case .looped: engine.send(.set(.looped(index % 3 == 0)))
    case .speed: engine.send(.set(.speed(command.value)))
    case .gain: engine.send(.set(.gain(index % 2 == 0 ? .off : .track, preamp: Double(index % 5) - 2)))
    case .equalizer: engine.send(.set(.equalizer(Equalizer.presets[index % Equalizer.presets.count].equalizer)))
    case .balance: engine.send(.set(.balance(command.value)))
    case .volume: engine.send(.set(.volume(command.value / 16)))
    case .duck: engine.send(.set(.ducked(index % 2 == 0)))
    case .shift: engine.send(.set(.timeShift(command.value)))
    case .interrupt, .uninterrupt, .route, .session: performInterruption(command, index)
    case .insert, .remove, .move, .clear: edit(command, index)
    case .withhold: withholds = true
    case .answer:
      withholds = false
      tellNext()
    default: performOnDevice(command, index)
    }
  }

  private func performInterruption(_ command: ExerciseCommand, _ index: Int) {
    let source = InterruptionSource.allCases[Int(command.second) % InterruptionSource.allCases.count]
    switch command.verb {
    case .interrupt: engine.send(.interruptionBegan(index % 2 == 0 ? .default : .appWasSuspended, from: source))
    case .session:
      let requests: [AudioSessionRequest] = [
        .ioBufferDuration(0.1), .ioBufferDuration(0), .sampleRate(48000), .sampleRate(0), .category(.ambient),
        .category(.playback), .active(true), .active(false),
      ]
      engine.send(.setSession(requests[index % requests.count]))
    case .uninterrupt: engine.send(.interruptionEnded(from: source, shouldResume: index % 2 == 0))
    default: engine.send(.routeChanged(index % 2 == 0 ? .oldDeviceUnavailable : .newDeviceAvailable))
    }
  }

  private func edit(_ command: ExerciseCommand, _ index: Int) {
    let place = (place ?? -1) + 1
    switch command.verb {
    case .insert: list.insert(newEntry(index), at: index % 3 == 0 ? place : index % (list.count + 1))
    case .remove:
      guard list.count > 1 else { return }
      list.remove(at: index % 2 == 0 && place < list.count ? place : index % list.count)
    case .move: if list.count > 1 { list.swapAt(index % list.count, Int(command.second) % list.count) }
    default: list.removeSubrange(min(place, list.count)...)
    }
    tellNext()
  }

  private func performOnDevice(_ command: ExerciseCommand, _ index: Int) {
    switch command.verb {
    case .loseServer: output.loseServer()
    case .regainServer: output.isDown = false
    case .loseDevice:
      let heard = stream
      for stream in output.openStreams where index % 3 > 0 || stream === heard { stream.fail(.streamEnded) }
    case .suspend: for stream in output.openStreams { stream.report(.suspended(true)) }
    case .unsuspend: for stream in output.openStreams { stream.report(.suspended(false)) }
    case .stall: stream?.report(.stalled)
    case .tellUnderrunLate: engine.tellUnderrunLate()
    case .askPause: stream?.requestPause(unheard: index % 2 == 0 ? 0 : Int64(index * 100))
    case .askResume: stream?.report(.resumeRequested)
    case .askNothing: stream?.report(.pauseReasonGone)
    default: break
    }
  }
}
