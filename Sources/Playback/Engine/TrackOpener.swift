internal import AudioModel
internal import ByteIO
internal import SignalProcessing
internal import Streaming
internal import Threads

/// Opens tracks, each on a thread of its own. Owned by the feeder.
final class TrackOpener {
  typealias Request = SequenceOpening<LoadedTrack>

  /// The state of a track that is about to be opened.
  enum Readiness {
    case ready
    case connecting
    /// The disk does not answer.
    case awaitsDisk
    case arriving(NetworkByteSource)
  }

  enum Outcome {
    case opened(LoadedTrack)
    /// `locations`: the entries of a playlist.
    case failed(TrackError, locations: [MediaLocation]?)
    /// The entry has no further part.
    case ended
    /// The first bytes of the rest have not arrived.
    case waits
  }

  private let network: Network?
  /// The time that the feeder waits for a disk; `nil`: files are opened and read by the feeder, however long that takes.
  private let patience: TimeSpan?
  private let measuredGain: ShapedReader.MeasuredGain?
  private let otherPlace: (@Sendable (MediaLocation) -> MediaLocation?)?
  private let news: @Sendable () -> Void
  private var opening: TrackOpening?

  /// `news` is called on another thread when a network stream has changed.
  init(
    network: Network?, patience: TimeSpan?, measuredGain: ShapedReader.MeasuredGain?,
    otherPlace: (@Sendable (MediaLocation) -> MediaLocation?)?, news: @escaping @Sendable () -> Void
  ) {
    (self.network, self.patience, self.measuredGain, self.news) = (network, patience, measuredGain, news)
    self.otherPlace = otherPlace
  }

  /// Starts to open an entry. `previous`: the track that is queued last.
  func prepare(_ request: Request, after previous: LoadedTrack?, _ sound: SoundSettings) -> Readiness {
    let (entry, rest) = (request.entry, request.part?.rest)
    // The next link of a chained stream is read from the same bytes.
    if rest?.byteOffset != nil { return .ready }
    if opening?.entry != entry || opening?.continuation != rest { opening = nil }
    guard let patience else { return .ready }
    // The next track of the same file or network stream.
    if opening == nil, rest == nil, previous?.reader.following(entry.location, entry.part) != nil { return .ready }
    if opening == nil {
      opening = TrackOpening(
        entry, from: rest, network: network, patience: patience, looksForGain: sound.gainMode != .off,
        otherPlace: otherPlace, news: news)
      // Most files are there at once.
      if !entry.location.isAddress { opening?.wait(for: patience) }
    }
    guard let opening, !opening.isDone else { return .ready }
    if let stream = opening.stream { return .arriving(stream) }
    return entry.location.isAddress ? .connecting : .awaitsDisk
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
            location: request.entry.location, part: request.entry.part, typeHint: request.entry.typeHint,
            continuing: previous?.reader)
        }
      let track = LoadedTrack(
        entry: request.entry, reader: reader, format: format(reader.pcmFormat), sound: sound,
        measuredGain: measuredGain, continuing: previous, behind: request.part)
      if let seconds = reader.stream?.declaredBeginning {
        _ = try track.enter(atFrame: track.frame(atSeconds: seconds), in: track.format, sound)
      }
      return .opened(track)
    } catch { return .failed(error, locations: opened?.playlistEntries) }
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
          measuredGain: measuredGain, continuing: previous, behind: part))
    } catch { return error.isWait ? .waits : .failed(error, locations: nil) }
  }

  /// Closes a connection that is not needed any more.
  func cancel() { opening = nil }
}
