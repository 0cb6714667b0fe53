/// The failure of an output.
public struct AudioOutputError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: Sendable, Hashable {
    /// The sound server's client library is not installed. Trying again does not help.
    case libraryMissing
    /// No server answers.
    case noServer
    /// Something is there and does not answer in time: a server that is still starting or hangs, or a distant host. A new
    /// stream may work.
    case serverSilent
    /// A server denies access.
    case refused
    /// A server answers and does not open a stream, or cannot open one now. A new stream may work.
    case streamNotOpened
    /// The server has no device to play on.
    case noDevice
    /// No device can play this rate, channel count or sample format.
    case unsupportedFormat
    /// The server ended, or was restarted. A new stream may work.
    case serverLost
    /// The server ended the stream, because its device vanished or by a command. A new stream may work.
    case streamEnded
    /// The output file cannot be written.
    case cannotWrite
  }

  /// The kind of failure.
  public var code: Code
  /// The server's address and its message.
  public var detail: String
  /// The remedy; empty if it is unknown.
  public var advice: String

  /// A failure; an empty `advice` means that no remedy is known.
  public init(_ code: Code, detail: String, advice: String = "") {
    (self.code, self.detail, self.advice) = (code, detail, advice)
  }

  /// The problem, its place and its remedy, in one line.
  public var description: String { advice.isEmpty ? detail : "\(detail): \(advice)" }
}
