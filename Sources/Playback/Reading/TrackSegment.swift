public import AudioModel
public import ByteIO
internal import Containers
internal import Streaming

/// The part of a file that is to be played: a track of a cue sheet, and its description there, or a part that was chosen.
public struct TrackSegment: Sendable, Hashable {
  /// The audio file, not the cue sheet.
  public let location: MediaLocation
  /// The end; `nil` for the file's end.
  public let end: MediaTime?
  /// The track in the cue sheet; `nil` for a part of a file.
  private var track: CueSheet.Track?
  /// The part to play of what the other properties say.
  private var part: TrackPart?
  /// The sheet: the other tracks need not read it again.
  private let sheet: Sheet?

  /// The start of the track in the audible part of the file.
  public var start: MediaTime { track?.start ?? .zero }
  /// Silence before it, which is not in the file.
  public var pregap: MediaTime { track?.pregap ?? .zero }
  /// Silence after it, which is not in the file.
  public var postgap: MediaTime { track?.postgap ?? .zero }
  /// Its tags in the cue sheet.
  public var tags: TrackTags { track?.tags ?? TrackTags() }

  private struct Sheet: Hashable {
    var contents: CueSheet
    var source: Source

    /// The file of a track of a sheet on a network.
    func address(of track: CueSheet.Track) -> MediaLocation? {
      guard case .web(_, let origin) = source else { return nil }
      return contents.address(of: track, in: origin).map { .url($0.text) }
    }
  }

  private enum Source: Hashable {
    case disk(BytePath)
    /// The requested address, and the address after redirects.
    case web(WebAddress, origin: WebAddress)
  }

  /// The cue sheet track at `location`, or a part of it or of a file; `nil` for the whole file. Reads the sheet; blocks.
  static func named(
    _ location: MediaLocation, part: TrackPart?, network: Network?
  ) throws(TrackError) -> TrackSegment? {
    guard let part else { return try named(location, network: network) }
    var segment = try named(location, network: network) ?? TrackSegment(wholeOf: location)
    segment.part = part
    segment.track?.pregap = .zero
    segment.track?.postgap = .zero
    return segment
  }

  /// The cue sheet track at `location`; `nil` if it is no such track. Reads the sheet; blocks.
  static func named(_ location: MediaLocation, network: Network?) throws(TrackError) -> TrackSegment? {
    if case .track(let path, let number) = location {
      let contents: CueSheet
      do throws(ContainerError) { contents = try CueSheet(at: path) } catch { throw .container(error) }
      return try TrackSegment(number, of: Sheet(contents: contents, source: .disk(path))) {
        contents.location(of: $0, in: path)
      }
    }
    guard let (address, number) = location.webTrack, let network else { return nil }
    let (contents, origin) = try fetchSheet(at: address.text, of: network)
    let sheet = Sheet(contents: contents, source: .web(address, origin: origin))
    return try TrackSegment(number, of: sheet) { sheet.address(of: $0) }
  }

  /// Reads a cue sheet on the web; blocks. Returns it, and its address after redirects.
  static func fetchSheet(
    at address: String, of network: Network
  ) throws(TrackError) -> (contents: CueSheet, origin: WebAddress) {
    do throws(ByteIOError) {
      let document = try network.document(address, byteLimit: CueSheet.byteLimit)
      return (CueSheet(document.bytes), document.address)
    } catch { throw .source(error) }
  }

  /// The track at `location`, if it belongs to the same sheet; of a sheet on disk, also to the same file. Reads nothing.
  func other(_ location: MediaLocation) -> TrackSegment? {
    guard let sheet, part == nil else { return nil }
    switch (sheet.source, location) {
    case (.disk(let own), .track(let path, let number)) where path == own:
      return try? TrackSegment(number, of: sheet) { $0.file == track?.file ? self.location : nil }
    case (.web(let address, _), .url):
      guard let (other, number) = location.webTrack, other == address else { return nil }
      return try? TrackSegment(number, of: sheet) { sheet.address(of: $0) }
    default: return nil
    }
  }

  /// The audio file of a track of a cue sheet on disk. Reads the sheet; blocks.
  public static func path(of location: MediaLocation) -> BytePath? {
    (try? named(location, network: nil))?.flatMap(\.location.path)
  }

  private init(wholeOf location: MediaLocation) {
    (self.location, end, sheet) = (location, nil, nil)
  }

  private init(
    _ number: Int, of sheet: Sheet, locate: (CueSheet.Track) -> MediaLocation?
  ) throws(TrackError) {
    let contents = sheet.contents
    guard contents.tracks.indices.contains(number &- 1) else {
      throw .container(ContainerError(.invalidFile, "the cue sheet has \(contents.tracks.count) tracks"))
    }
    let track = contents.tracks[number - 1]
    guard let location = locate(track) else {
      throw .container(ContainerError(.fileNotFound, "the file \(BytePath(track.file)) of this cue sheet is not there"))
    }
    (self.location, end, self.track, self.sheet) = (location, contents.end(of: track), track, sheet)
  }

  /// The information on the track; `information` describes the whole file.
  public func applied(to information: MediaInformation) -> MediaInformation {
    var applied = track?.information(of: information, end: end) ?? information
    if let part {
      part.narrow(&applied.duration, &applied.durationIsEstimated)
      // Their times are those of the whole track.
      (applied.tags.chapters, applied.tags.lyrics, applied.tags.claimedMilliseconds) = ([], nil, nil)
    }
    return applied
  }

  /// The frames of the track in the audible part of the file.
  func frames(atSampleRate rate: Int) -> Range<Int64> {
    let first = start.frame(atSampleRate: rate)
    let frames = first..<max(first, end?.frame(atSampleRate: rate) ?? .max)
    return part?.frames(of: frames, atSampleRate: rate) ?? frames
  }
}
