public import AudioModel
public import AudioOutput
public import ByteIO
public import Containers
public import Decoding

/// The reason why an input cannot be read, or not any further.
public enum TrackError: Error, Hashable, Sendable, CustomStringConvertible {
  /// It cannot be opened.
  case source(ByteIOError)
  /// Its container cannot be parsed, or its bytes cannot be read.
  case container(ContainerError)
  /// Its packets cannot be decoded; the first of them lies at `byteOffset`.
  case decoder(DecoderError, byteOffset: Int64?)
  /// The output does not support its format.
  case output(AudioQueueError)

  /// The error of writing a stream to one file of samples when the stream continues in another format.
  public static func formatChanges(to format: PCMFormat, atSeconds seconds: Double?) -> TrackError {
    let way = seconds.map { ": read the rest from \(($0 * 1000).rounded() / 1000) s on" } ?? ""
    let channels = counted(format.channelCount, "channel")
    return .container(
      ContainerError(
        .unsupportedDataFormat, "the stream continues at \(format.sampleRate) Hz with \(channels)\(way)"))
  }

  /// The error of an input with headers but without packets.
  public static func nothingDecodable(_ damage: TrackDamage) -> TrackError {
    .container(ContainerError(.invalidFile, "nothing can be decoded: \(damage)"))
  }

  /// True if bytes have not arrived yet: the call can be repeated when they have.
  var isWait: Bool { if case .container(let error) = self { error.isWait } else { false } }

  /// True if no parser knows the bytes, or no decoder the coding: libavformat may know them.
  var isUnknownFormat: Bool {
    switch self {
    case .container(let error): error.isUnknownFormat
    case .decoder(let error, _): error.code == .formatNotSupported
    case .source, .output: false
    }
  }

  /// The problem in words, without code and byte offset.
  public var reason: String { parts.reason }
  /// The place of the problem, from the start of the input.
  public var byteOffset: Int64? { parts.byteOffset }

  private var parts: (reason: String, byteOffset: Int64?) {
    switch self {
    case .source(let error): ("cannot \(error.operation): \(error.reason)", error.byteOffset)
    case .container(let error): (error.expectation, error.byteOffset)
    case .decoder(let error, let byteOffset): (error.reason, byteOffset)
    case .output(let error): (error.reason, nil)
    }
  }

  /// The problem, with code and byte offset if there are any: one line, without the input's name.
  public var description: String {
    switch self {
    case .source(let error): error.description
    case .container(let error): error.description
    case .output(let error): error.description
    case .decoder(let error, let byteOffset):
      "\(error.reason) ('\(error.code)'" + (byteOffset.map { ", byte offset \($0)" } ?? "") + ")"
    }
  }
}

extension ContainerError {
  /// True if bytes have not arrived yet: the call can be repeated when they have.
  var isWait: Bool { cause?.isWait == true }
}
