internal import AudioModel
internal import ByteIO
internal import Containers
internal import Glibc

extension FolderListing {
  struct Sheet: Sendable {
    var name: [UInt8]
    var stamp: FileStamp
  }

  /// Sheets with more tracks divide nothing. A compact disc has 99.
  static let trackLimit = 999

  /// Puts the tracks of cue sheets in the place of the files that these divide. A file of which a sheet has one track
  /// stays: it has tags of its own.
  ///
  /// - Parameter elsewhere: The files of other folders that sheets have divided so far.
  mutating func divideFiles(of folder: BytePath, _ extensions: Set<String>, _ elsewhere: inout Set<FileIdentity>) {
    var own: Set<FileIdentity> = []
    for sheet in sheets.sorted(by: { precedesNaturally($0.name, $1.name) }) {
      let path = folder.appending(BytePath(sheet.name))
      // A sheet that cannot be read hides nothing.
      guard let contents = try? CueSheet(at: path), contents.tracks.count <= Self.trackLimit else { continue }
      let numbers = Dictionary(grouping: contents.tracks.indices) { contents.tracks[$0].file }
      for numbers in numbers.values.sorted(by: { $0[0] < $1[0] }) where numbers.count > 1 {
        guard let file = contents.path(of: contents.tracks[numbers[0]], in: path),
          extensions.contains(file.fileExtension), let stamp = FileStamp(ofFile: file)
        else { continue }
        guard !elsewhere.contains(stamp.identity), own.insert(stamp.identity).inserted else { continue }
        if file.parent != folder { elsewhere.insert(stamp.identity) }
        for number in numbers {
          files.append(
            File(
              name: SheetPart.name(number + 1, of: sheet.name),
              stamp: stamp.ofTrack(number + 1, sheet: sheet.stamp), isLink: false, hasOtherNames: false))
        }
      }
    }
    let divided = own.union(elsewhere)
    guard !divided.isEmpty else { return }
    divisions = files.filter { divided.contains($0.stamp.identity) }.map(\.name)
    files.removeAll { divided.contains($0.stamp.identity) }
  }
}

extension FileStamp {
  /// The stamp of a regular file; `nil` for others.
  init?(ofFile path: BytePath) {
    var status = stat()
    guard path.withCString({ stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    self.init(status)
  }

  /// The stamp of a track of a file with this stamp. It changes with the file, and with its cue sheet. Its number of an
  /// inode is made up, so that each track can be found again when both are moved.
  func ofTrack(_ number: Int, sheet: FileStamp) -> FileStamp {
    var stamp = self
    stamp.modified = max(modified, sheet.modified)
    stamp.changed = max(changed, sheet.changed)
    stamp.inode = (inode &* 0x5851_f42d_4c95_7f2d) ^ Int64(number)
    return stamp
  }
}

/// A track of a cue sheet: the file that it is in, and its part of that.
struct SheetPart {
  var file: BytePath
  var track: CueSheet.Track
  var end: MediaTime?

  /// Reads the sheet. `nil` if it has no such track by now, or if its file is gone.
  init?(_ number: Int, of sheet: BytePath) {
    guard let contents = try? CueSheet(at: sheet), contents.tracks.indices.contains(number - 1),
      case let track = contents.tracks[number - 1], let file = contents.path(of: track, in: sheet)
    else { return nil }
    (self.file, self.track, end) = (file, track, contents.end(of: track))
  }

  init(_ track: CueSheet.Track, of contents: CueSheet, in file: BytePath) {
    (self.file, self.track, end) = (file, track, contents.end(of: track))
  }

  /// The name of a track in the catalogue.
  static func name(_ number: Int, of sheet: [UInt8]) -> [UInt8] { sheet + Array("#\(number)".utf8) }

  /// The facts of this track, of those of its whole file.
  func information(of file: MediaInformation) -> MediaInformation { track.information(of: file, end: end) }

  func key(ofFile key: [UInt8]?) -> [UInt8]? {
    key.map { key in key.withUnsafeBytes { AudioKey.hash($0, AudioKey.milliseconds(track.start.seconds)) } }
  }
}
