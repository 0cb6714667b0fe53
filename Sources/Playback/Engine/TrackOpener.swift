internal import AudioModel
internal import ByteIO
internal import SignalProcessing
internal import Streaming
internal import Threads

/// Opens tracks: files at once, network streams on a thread of their own. Owned by the feeder.
final class TrackOpener {
  typealias Request = SequenceOpening<LoadedTrack>

  /// The state of a track that is about to be opened.
  enum Readiness {
    case ready
    case connecting
    case arriving(NetworkByteSource?)
  }

  enum Outcome {
    case opened(LoadedTrack)
    /// `locations`: the entries of a playlist.
    case failed(message: String, locations: [MediaLocation]?)
    /// The entry has no further part.
    case ended
    /// The first bytes of the rest have not arrived.
    case waits
  }

  private let network: Network?
  private let measuredGain: ShapedReader.MeasuredGain?
  private let news: @Sendable () -> Void
  private var opening: TrackOpening?

  /// `news` is called on another thread when a network stream has changed.
  init(network: Network?, measuredGain: ShapedReader.MeasuredGain?, news: @escaping @Sendable () -> Void) {
    (self.network, self.measuredGain, self.news) = (network, measuredGain, news)
  }

  /// Starts to open an entry. `previous`: the track that is queued last.
  func prepare(_ request: Request, after previous: LoadedTrack?) -> Readiness {
    let (entry, rest) = (request.entry, request.part?.rest)
    // The next link of a chained stream is read from the same bytes.
    if rest?.byteOffset != nil { return .ready }
    if opening?.entry != entry || opening?.continuation != rest { opening = nil }
    guard let network else { return .ready }
    // The next track of the same network stream.
    if opening == nil, rest == nil, let reader = previous?.reader, reader.stream != nil,
      (try? reader.following(entry.location)) ?? nil != nil
    {
      return .ready
    }
    opening = opening ?? TrackOpening(entry, from: rest, network: network, news: news)
    guard let opening, !opening.isDone else { return .ready }
    return opening.stream == nil ? .connecting : .arriving(opening.stream)
  }

  /// Opens an entry, once it is ready. `format` chooses the format of its stream, given its own.
  func open(
    _ request: Request, after previous: LoadedTrack?, _ sound: SoundSettings, format: (PCMFormat) -> PCMFormat
  ) -> Outcome {
    if let part = request.part, part.rest?.byteOffset != nil {
      return openLink(behind: part, after: previous, sound, format)
    }
    let opened = opening
    opening = nil
    do throws(TrackError) {
      let reader =
        if let opened { try opened.take() } else {
          try TrackReader(
            location: request.entry.location, typeHint: request.entry.typeHint, continuing: previous?.reader)
        }
      let track = LoadedTrack(
        entry: request.entry, reader: reader, format: format(reader.pcmFormat), sound: sound,
        measuredGain: measuredGain, continuing: previous, startSeconds: request.part?.endSeconds ?? 0)
      if let seconds = reader.stream?.declaredBeginning {
        _ = try track.enter(atFrame: track.frame(atSeconds: seconds), in: track.format, sound)
      }
      return .opened(track)
    } catch { return .failed(message: error.description, locations: opened?.playlistEntries) }
  }

  /// Opens the next link of a chained stream, which another reader of the same bytes reads.
  private func openLink(
    behind part: LoadedTrack, after previous: LoadedTrack?, _ sound: SoundSettings, _ format: (PCMFormat) -> PCMFormat
  ) -> Outcome {
    do throws(TrackError) {
      guard let reader = try TrackReader(behind: part.reader) else { return .ended }
      return .opened(
        LoadedTrack(
          entry: part.entry, reader: reader, format: format(reader.pcmFormat), sound: sound,
          measuredGain: measuredGain, continuing: previous, startSeconds: part.endSeconds))
    } catch { return error.isWait ? .waits : .failed(message: error.description, locations: nil) }
  }

  /// Closes a connection that is not needed any more.
  func cancel() { opening = nil }
}
