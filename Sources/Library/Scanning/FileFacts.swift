public import AudioModel
public import ByteIO
internal import Containers

/// The facts that a scan reads from a few blocks of a file.
struct FileFacts: Sendable {
  var tags = CatalogueTags()
  var key: [UInt8]?
  /// Seconds.
  var duration: Double?
  var durationIsEstimated = false
  var format: String?
  var bitRate: Int?
  /// The facts of its tracks, if it contains a cue sheet with several.
  private(set) var tracks: [FileFacts] = []
  /// The reason why it cannot be read as audio.
  var failure: String?
  /// True if the system could not read it now, which says nothing about the file.
  var isUnread = false

  /// The version of facts whose texts are in a character set that was guessed or chosen: it changes with the setting, and
  /// if libuchardet is installed or removed. Above 0, and no `CatalogueTags.readerVersion`.
  static var versionOfCharset: Int64 {
    let way = Charset.chosen?.name ?? (CharsetDetector.address == nil ? "none" : "guess")
    return Int64(truncatingIfNeeded: way.utf8.fnvSum() >> 16) << 8 | CatalogueTags.readerVersion
  }

  var version: Int64 { hasCharset ? Self.versionOfCharset : CatalogueTags.readerVersion }

  /// True if a file name no character set for some of its texts.
  private(set) var hasCharset = false

  init(failure: String, isUnread: Bool = false) { (self.failure, self.isUnread) = (failure, isUnread) }

  /// Reads a file, or a track of a cue sheet (`album.cue#3`). Blocks; any thread.
  ///
  /// - Parameters:
  ///   - head: Memory of this thread.
  ///   - foreign: Reads the formats that no parser of `Containers` knows.
  init(path: BytePath, head: ScannedFile.HeadBuffer, foreign: ForeignReader?) {
    var (path, part) = (path, SheetPart?.none)
    if case .track(let sheet, let number) = MediaLocation(libraryPath: path) {
      part = SheetPart(number, of: sheet)
      guard let part else {
        self = FileFacts(failure: "its cue sheet was changed meanwhile", isUnread: true)
        return
      }
      path = part.file
    }
    do throws(ByteIOError) {
      let source = try ScannedFile(path: path, head: head)
      read(source, path, part, foreign)
      // Parsers ignore some errors.
      if let error = source.failure { throw error }
      // The library that reads the format may have failed because of the disk.
      if failure != nil { _ = try ScannedFile(path: path, head: head) }
    } catch { self = FileFacts(failure: error.description, isUnread: true) }
  }

  private mutating func read(
    _ source: ScannedFile, _ path: BytePath, _ part: SheetPart?, _ foreign: ForeignReader?
  ) {
    do throws(ContainerError) {
      let hint = AudioFileTypeID.types(forExtension: path.fileExtension).first
      let file = try AudioFile(source: source, typeHint: hint)
      let information = file.information
      let key = AudioKey.key(of: file, information, trailingStart: file.trailingStart)
      take(information, key, part)
      guard part == nil, let sheet = information.tags.cueSheet, 2...FolderListing.trackLimit ~= sheet.tracks.count
      else { return }
      tracks = sheet.tracks.map { track in
        var facts = FileFacts()
        facts.take(information, key, SheetPart(track, of: sheet, in: path))
        return facts
      }
    } catch {
      guard error.isUnknownFormat, let foreign else {
        return refuse(source, path, error.description)
      }
      switch foreign.read(path) {
      case .success(let information): take(information, AudioKey.key(ofForeign: source), part)
      case .failure(let error): refuse(source, path, error.text)
      }
    }
  }

  /// Keeps the tags of a file that cannot be played.
  private mutating func refuse(_ source: ScannedFile, _ path: BytePath, _ reason: String) {
    failure = reason
    let hint = AudioFileTypeID.types(forExtension: path.fileExtension).first
    do throws(ContainerError) { tags = CatalogueTags(try TrackTags.readable(source, typeHint: hint)) } catch {
      // The failure to read is that of the source.
    }
  }

  private init() {}

  init(_ track: ServerTrack) {
    (tags, duration, format, bitRate) = (track.tags, track.duration, track.format?.description, track.bitRate)
  }

  /// Takes the information on a file, or on a track of it.
  private mutating func take(_ file: MediaInformation, _ keyOfFile: [UInt8]?, _ part: SheetPart?) {
    let information = part?.information(of: file) ?? file
    key = part.map { $0.key(ofFile: keyOfFile) } ?? keyOfFile
    tags = CatalogueTags(information)
    hasCharset = information.tags.fields.first(.charset) != nil
    duration = information.duration.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    durationIsEstimated = information.durationIsEstimated
    format = information.dataFormat?.formatID.description
    bitRate = information.bitRate
  }
}

/// Reads the formats that only a target above this one knows.
public struct ForeignReader: Sendable {
  let read: @Sendable (BytePath) -> Result<MediaInformation, ForeignFailure>
  let name: @Sendable (_ former: String?) -> String

  /// A reader.
  ///
  /// - Parameters:
  ///   - name: Its name, which changes with its version: one line. Is given an earlier name.
  ///   - read: Reads a file. Any thread.
  public init(
    name: @escaping @Sendable (_ former: String?) -> String,
    read: @escaping @Sendable (BytePath) -> Result<MediaInformation, ForeignFailure>
  ) {
    (self.name, self.read) = (name, read)
  }
}

/// The reason why such a file cannot be read.
public struct ForeignFailure: Error, CustomStringConvertible {
  public var text: String

  public init(_ text: String) { self.text = text }

  public var description: String { text }
}
