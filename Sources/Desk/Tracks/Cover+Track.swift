public import ByteIO
public import Library
public import Playback

extension Cover {
  /// The cover of a track: in its tags, else in the folder of its file. Blocks; any thread.
  public static func find(for location: MediaLocation) throws(TrackError) -> Cover? {
    guard let (file, pictures) = try TrackReader.artwork(of: location) else { return nil }
    return embedded(in: file, pictures) ?? beside(file)
  }
}
