public import AudioModel
public import ByteIO
internal import Containers

/// Which part of a file is a track, and what is said of it elsewhere.
public struct TrackSegment: Sendable, Hashable {
  /// The file.
  public let path: BytePath
  /// Where the track begins in what is heard of the file.
  public let start: MediaTime
  /// Where it ends; `nil` for the file's end.
  public let end: MediaTime?
  /// What a cue sheet says of it.
  public let tags: TrackTags

  /// The track of that number, from 1, of the cue sheet at `sheet`. Reads the sheet; blocks.
  init(_ number: Int, of sheet: BytePath) throws(TrackError) {
    let contents: CueSheet
    do throws(ContainerError) { contents = try CueSheet(at: sheet) } catch { throw .container(error) }
    guard contents.tracks.indices.contains(number &- 1) else {
      throw .container(ContainerError(.invalidFile, "the cue sheet has \(contents.tracks.count) tracks"))
    }
    let track = contents.tracks[number - 1]
    guard let path = contents.path(of: track, in: sheet) else {
      throw .container(ContainerError(.fileNotFound, "the file \(BytePath(track.file)) of this cue sheet is not there"))
    }
    (self.path, start, end, tags) = (path, track.start, contents.end(of: track), track.tags)
  }

  /// What holds of the track alone, where `information` is of the whole file.
  public func applied(to information: MediaInformation) -> MediaInformation {
    var file = information
    if let end {
      (file.duration, file.durationIsEstimated) = (
        min(end.seconds, information.durationIsEstimated ? .infinity : information.duration ?? .infinity), false
      )
    }
    file.duration = file.duration.map { max(0, $0 - start.seconds) }
    // What is said of the whole file is true of its tracks, but for these.
    (file.tags.title, file.tags.trackNumber, file.tags.trackCount) = (nil, nil, nil)
    (file.tags.chapters, file.tags.cueSheet, file.tags.claimedMilliseconds) = ([], nil, nil)
    (file.tags.lyrics, file.tags.comment, file.tags.isrc) = (nil, nil, nil)
    (file.tags.gain.album, file.tags.gain.albumPeak) = (
      file.tags.gain.album ?? file.tags.gain.track, file.tags.gain.albumPeak ?? file.tags.gain.trackPeak
    )
    (file.tags.gain.track, file.tags.gain.trackPeak) = (nil, nil)
    file.tags = tags.filled(from: file.tags)
    return file
  }

  /// Its frames in what is heard of the file.
  func frames(atSampleRate rate: Int) -> Range<Int64> {
    let first = start.frame(atSampleRate: rate)
    return first..<max(first, end?.frame(atSampleRate: rate) ?? .max)
  }
}
