public import AudioModel
internal import CEncoders

public enum StreamFormat: String, Sendable, Hashable, CaseIterable {
  /// A format, by its name in the setting `stream-format`.
  case opus, flac, mp3

  public var mediaType: String { self == .mp3 ? "audio/mpeg" : "audio/ogg" }

  /// The library that encodes it. Opens the library. Any thread.
  public var library: SharedLibrary {
    switch self {
    case .opus: SharedLibrary(SEGUE_OPUS, functions: UnsafeRawPointer(opusEncoding))
    case .flac: SharedLibrary(SEGUE_FLAC, functions: UnsafeRawPointer(flacEncoding))
    case .mp3: SharedLibrary(SEGUE_LAME, functions: UnsafeRawPointer(lameEncoding))
    }
  }

  /// Opens the library, if that is needed. Throws `libraryMissing`, and `refused` for what the library does not encode.
  ///
  /// - Parameters:
  ///   - source: The format of the sound to come.
  ///   - bitRate: Bits per second, for the formats that lose something.
  public func makeEncoder(for source: PCMFormat, bitRate: Int) throws(EncodingError) -> any SoundEncoder {
    switch self {
    case .opus: try OpusEncoder(bitRate: bitRate)
    case .flac: try FLACEncoder(for: source)
    case .mp3: try MP3Encoder(bitRate: bitRate)
    }
  }
}

// Safety: each points to a table that never changes after it was loaded.
nonisolated(unsafe) let opusEncoding = opus_encoder_load()
nonisolated(unsafe) let flacEncoding = flac_encoder_load()
nonisolated(unsafe) let lameEncoding = lame_load()

/// Why sound cannot be encoded.
public enum EncodingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A library is not installed: the sentence that says so.
  case libraryMissing(String)
  /// A library refuses, with the number of its error.
  case refused(String, Int)
  /// The sound cannot be converted to the format.
  case notConvertible(String)

  static func missing(_ format: StreamFormat) -> EncodingError {
    .libraryMissing(format.library.complaint)
  }

  public var description: String {
    switch self {
    case .libraryMissing(let complaint): complaint
    case .refused(let name, let number): "\(name) reports error \(number)"
    case .notConvertible(let reason): reason
    }
  }
}
