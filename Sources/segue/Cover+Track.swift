internal import ByteIO
internal import Library
internal import Playback

extension Cover {
  /// The cover of a track: in its tags, else in the folder of its file. Blocks; any thread.
  static func find(for location: MediaLocation) throws(TrackError) -> Cover? {
    guard let (file, pictures) = try TrackReader.artwork(of: location) else { return nil }
    return embedded(in: file, pictures) ?? beside(file)
  }
}
