public import AudioModel
public import ByteIO

extension CueSheet {
  /// Reads the sheet that is a file of its own (`.cue`), or lies within a file of sound; without tracks where there is
  /// none. Blocks; any thread.
  public init(at path: BytePath) throws(ContainerError) {
    if path.fileExtension == "cue" {
      do throws(ByteIOError) { self.init(try wholeFile(path, byteLimit: Self.byteLimit)) } catch {
        throw ContainerError(error)
      }
    } else {
      let hint = AudioFileTypeID.types(forExtension: path.fileExtension).first
      self = try AudioFile(path: path, typeHint: hint).information.tags.cueSheet ?? CueSheet(tracks: [])
    }
  }

  /// The file that a track of this sheet, which lies at `sheet`, is in: called as it says or, as sheets often are older
  /// than the files, with another extension; one file alone may have the sheet's own name. `nil` if there is none.
  /// Blocks; any thread.
  public func path(of track: Track, in sheet: BytePath) -> BytePath? {
    guard !track.file.isEmpty else { return sheet }
    let isAlone = tracks.allSatisfy { $0.file == track.file }
    var finder = FileFinder()
    let path =
      finder.file(called: BytePath(track.file), in: sheet.parent, orWith: Self.fileExtensions)
      ?? track.fileName.flatMap { finder.file(called: BytePath($0), in: sheet.parent, orWith: Self.fileExtensions) }
      ?? (isAlone ? sheet.sibling(with: Self.fileExtensions) : nil)
    return path == sheet ? nil : path
  }

  /// The same for a sheet that lies here, whose files may lie on the web.
  public func location(of track: Track, in sheet: BytePath) -> MediaLocation? {
    let address = WebAddress(track.fileName ?? String(decoding: track.file, as: UTF8.self))
    return address.isHTTP ? .url(address.text) : path(of: track, in: sheet).map { .file($0) }
  }

  /// The file that a track of this sheet, which lies at `sheet` on the web, is in; `nil` if it does not lie there, too.
  /// Pure.
  public func address(of track: Track, in sheet: WebAddress) -> WebAddress? {
    var reference = WebAddress(track.fileName ?? String(decoding: track.file, as: UTF8.self))
    if reference.scheme == nil {
      // The name of a file: signs that mean something in an address mean themselves.
      let bytes = (track.fileName.map { Array($0.utf8) } ?? track.file).flatMap {
        "#?".utf8.contains($0) ? Array("%\(String($0, radix: 16))".utf8) : [$0]
      }
      reference = WebAddress(String(decoding: bytes, as: UTF8.self))
    }
    let address = sheet.resolving(reference)
    return address.isHTTP && !track.file.isEmpty ? address : nil
  }

  /// The tracks of this sheet, which was requested at `address` on the web and lies at `origin`; `nil` for those whose
  /// file does not lie there, too. Pure.
  public func webTracks(at address: String, in origin: WebAddress) -> [MediaLocation?] {
    tracks.enumerated().map { index, track in
      self.address(of: track, in: origin).map { _ in .url("\(address)#\(index + 1)") }
    }
  }

  private static let fileExtensions = AudioFileTypeID.playableExtensions
}

extension CueSheet.Track {
  /// The information on this track.
  ///
  /// - Parameters:
  ///   - file: The information on the whole file.
  ///   - end: The end of the track in it; `nil` for its end.
  public func information(of file: MediaInformation, end: MediaTime?) -> MediaInformation {
    var track = file
    if let end {
      (track.duration, track.durationIsEstimated) = (
        min(end.seconds, file.durationIsEstimated ? .infinity : file.duration ?? .infinity), false
      )
    }
    track.duration = track.duration.map { max(0, $0 - start.seconds) + pregap.seconds + postgap.seconds }
    // Information on the whole file applies to its tracks, except for these fields.
    (track.tags.title, track.tags.trackNumber, track.tags.trackCount) = (nil, nil, nil)
    (track.tags.chapters, track.tags.cueSheet, track.tags.claimedMilliseconds) = ([], nil, nil)
    (track.tags.lyrics, track.tags.comment, track.tags.isrc) = (nil, nil, nil)
    track.tags.fields.removePiece()
    (track.tags.gain.album, track.tags.gain.albumPeak) = (
      file.tags.gain.album ?? file.tags.gain.track, file.tags.gain.albumPeak ?? file.tags.gain.trackPeak
    )
    (track.tags.gain.track, track.tags.gain.trackPeak) = (nil, nil)
    track.tags = tags.filled(from: track.tags)
    return track
  }
}
