public import AudioModel

extension AudioFileTypeID {
  /// Types that can be read here (kAudioFileGlobalInfo_ReadableTypes).
  public static var readableTypes: [AudioFileTypeID] {
    (ContainerFormat.synchronised(isSearching: false) + ContainerFormat.marked).filter { $0.makeParser != nil }
      .flatMap(\.types)
  }

  /// File name extensions of all that can be played: types that are read here, and those that libavformat reads.
  public static var playableExtensions: Set<String> {
    Set(readableTypes.flatMap(\.fileExtensions) + ContainerFormat.foreignExtensions)
  }
}
