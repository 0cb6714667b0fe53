internal import AudioModel

extension AudioSpecificConfig {
  var isEnhancedLowDelay: Bool { objectType == 39 }

  /// The library to try first. libfaad guesses the places of channels that a program config element lists, and takes a
  /// pair before a single front channel, as ffmpeg writes them, for centre and left.
  var preferredLibrary: AACLibrary { channelConfiguration == 0 && channelCount > 2 ? .avcodec : .faad }

  /// Opens a library for the stream. `channelCount`: how many channels a mono stream becomes; `nil` keeps them.
  func open(
    _ library: AACLibrary, replicatedRate: Int? = nil, channelCount: Int?, sampleFormat: PCMFormat.SampleFormat
  ) throws(DecoderError) -> any AACHandle {
    let bytes = bytes(replicatedRate: replicatedRate)
    // libfaad accepts some of it, and decodes it wrongly.
    guard library == .avcodec || !(objectType == 23 || isEnhancedLowDelay) else {
      throw DecoderError(.formatNotSupported, "libfaad cannot decode AAC with low delay")
    }
    return switch library {
    case .faad: try FAADHandle(bytes, sampleFormat: sampleFormat)
    case .avcodec:
      try LibavcodecAAC(bytes, coreFrameCount: frameCount, channelCount: channelCount, sampleFormat: sampleFormat)
    }
  }
}
