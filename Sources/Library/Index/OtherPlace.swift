public import ByteIO

/// A place of a track beside the one that its row names: the library has it in a folder and on a server, or on two
/// servers (docs/decisions/0062-one-row-for-a-track.md).
public struct OtherPlace: Sendable {
  let index: LibraryIndex
  let number: Int

  private func word(_ word: IndexLayout.Place) -> UInt32 { index.word(number, word) }

  public var path: BytePath { folder.appending(BytePath(index.bytes(word(.name)))) }
  private var folder: BytePath { BytePath(index.bytes(word(.folder))) }
  func isAt(_ folder: [UInt8], _ name: [UInt8]) -> Bool {
    index.bytes(word(.name)).elementsEqual(name) && index.bytes(word(.folder)).elementsEqual(folder)
  }
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
