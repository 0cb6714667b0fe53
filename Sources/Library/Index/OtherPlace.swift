public import ByteIO

/// A place of a track beside the one that its row names: the library has it in a folder and on a server, or on two
/// servers (docs/decisions/0062-one-row-for-a-track.md).
public struct OtherPlace: Sendable {
  let index: LibraryIndex
  let number: Int

  private func word(_ word: IndexLayout.Place) -> UInt32 { index.word(number, word) }

  public var path: BytePath { folder.appending(BytePath(index.bytes(word(.name)))) }
  fileprivate var folder: BytePath { BytePath(index.bytes(word(.folder))) }
  public var state: FileState { FileState(rawValue: Int(word(.state))) ?? .missing }
  public var recording: Int64 { Int64(word(.recording)) }
  /// The number of the file in the catalogue.
  var file: Int64 { Int64(word(.file)) }
}

extension LibraryTrack {
  /// The places of the same track that no row names.
  public var otherPlaces: [OtherPlace] {
    view.index.places(ofRecording: recording).map { OtherPlace(index: view.index, number: $0) }
  }
}

extension LibraryView {
  /// Another place of a track whose file is not there: a file, else a server. Looks at each folder, and at the disk.
  public func otherPlace(of location: MediaLocation) -> MediaLocation? {
    guard let path = location.libraryPath else { return nil }
    let row = number(at: path) { _ in true }
    guard let recording = row.map({ track($0).recording }) ?? otherPlaces(where: { $0 == path }).first?.recording
    else { return nil }
    let rows = index.tracks(ofRecording: recording).map(track)
    let places = rows.map { ($0.path, $0.state) } + (rows.first?.otherPlaces ?? []).map { ($0.path, $0.state) }
    let here = places.filter { $0.1 == .here && $0.0 != path }.map { MediaLocation(libraryPath: $0.0) }
    return here.first { $0.fileOnDisk?.exists == true } ?? here.first { $0.fileOnDisk == nil }
  }

  /// The places that no row names whose paths are wanted.
  public func otherPlaces(where isWanted: (BytePath) -> Bool) -> [OtherPlace] {
    (0..<index.placeCount).lazy.map { OtherPlace(index: index, number: $0) }.filter { isWanted($0.path) }
  }
}
