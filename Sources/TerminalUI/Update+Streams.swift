internal import AudioModel
internal import ByteIO
internal import Library
internal import Playback
internal import Player

extension ScreenState {
  /// Changes the addresses that are kept, or says why not.
  mutating func handleOnStreams(_ action: Action) -> [ScreenCommand] {
    let selected = shownView == .streams ? streams.selectedStream : nil
    switch action {
    case .keepStream(let address?, let title): return [.player(.editStreams(.keep(StreamList.Stream(address, title: title))))]
    case .keepStream:
      if let stream = selected ?? playedStream { return [.player(.editStreams(.keep(stream)))] }
      say("Select or play a stream first")
    case .rename(let title):
      if let selected { return [.player(.editStreams(.rename(selected.address, to: title)))] }
      say("Select a stream first")
    default: break
    }
    return []
  }

  mutating func removeStream() -> [ScreenCommand] {
    streams.selectedStream.map { [.player(.editStreams(.remove($0.address)))] } ?? []
  }

  /// The stream that is played, and its name.
  private var playedStream: StreamList.Stream? {
    guard case .url(let address) = playback.entry?.location else { return nil }
    return StreamList.Stream(address, title: playback.stream?.stationName ?? playback.information.tags.title)
  }

  /// What can be heard is remembered, once, and again when its name is known.
  mutating func noteHeardStream() -> [ScreenCommand] {
    guard playback.state == .playing, let stream = playedStream, stream != streams.heard else { return [] }
    streams.heard = stream
    return [.player(.editStreams(.heard(stream)))]
  }
}
