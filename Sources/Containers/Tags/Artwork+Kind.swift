internal import AudioModel

extension TrackTags.Artwork.Kind {
  /// By the numbers that ID3v2 and FLAC share (ID3v2.4 frames 4.14): 3 front cover, 1 and 2 icons.
  init(pictureType: UInt32) {
    switch pictureType {
    case 1, 2: self = .icon
    case 3: self = .frontCover
    default: self = .other
    }
  }
}
