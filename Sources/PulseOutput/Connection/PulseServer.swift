internal import AudioModel
public import AudioOutput
internal import CPulse
internal import Glibc

/// A sound server's description of itself, and of the sink that a stream would get.
public struct PulseServer: Sendable {
  /// The sink of a new stream.
  public struct Sink: Sendable {
    /// The server's name for it, as in PULSE_SINK.
    public var name: String
    /// The server's description for people: `Built-in Audio Analog Stereo`.
    public var description: String
    /// Frames per second.
    public var sampleRate: Int
    /// Samples per frame.
    public var channelCount: Int
    /// The current latency in seconds from the server to the ear; 0 if the sink is suspended.
    public var latency: Double
    /// True if it is muted.
    public var isMuted: Bool
    /// The sink's own volume; 1 is its 100 %.
    public var volume: Double
  }

  /// Its name and version: `pulseaudio 16.1`.
  public var name = ""
  /// The address at which it was reached.
  public var address = ""
  /// The sink of a new stream; `nil`: there is none, or the one in PULSE_SINK is missing.
  public var sink: Sink?

  /// Asks the server that a `PulseOutput` would play on. Waits for it, 11 s at most. Any thread.
  ///
  /// Throws the error with which a stream would fail.
  public static func ask(applicationName: String) throws(AudioOutputError) -> PulseServer {
    let connection = PulseConnection(server: nil, device: nil, applicationName: applicationName)
    connection.start()
    let question = ServerQuestion(connection)
    // An answer may come until then.
    defer { withExtendedLifetime(question) { connection.close() } }
    let (outcome, server) = connection.locked {
      connection.wait(for: .seconds(6)) { connection.outcome != nil }
      guard case .success(let context) = connection.outcome else { return (connection.outcome, nil as PulseServer?) }
      question.ask(context)
      connection.wait(for: .seconds(5)) { question.isAnswered }
      return (connection.outcome, question.isAnswered ? question.server : nil)
    }
    if case .failure(let error) = outcome { throw error }
    guard let server else { throw AudioOutputError(.serverLost, detail: "the sound server does not answer") }
    return server
  }
}

/// Two questions to a server, the second about the first answer. Under the connection's lock.
private final class ServerQuestion {
  private(set) var server = PulseServer()
  private(set) var isAnswered = false
  private let connection: PulseConnection
  private var context: OpaquePointer?

  init(_ connection: PulseConnection) { self.connection = connection }

  func ask(_ context: OpaquePointer) {
    self.context = context
    server.address = pa.context_get_server(context).map { String(cString: $0) } ?? ""
    let me = Unmanaged.passUnretained(self).toOpaque()
    release(pa.context_get_server_info(context, serverTold, me))
  }

  fileprivate func answered(_ information: pa_server_info?) {
    func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }
    guard let information, let context else { return end() }
    server.name = [text(information.server_name), text(information.server_version)].compactMap(\.self)
      .joined(separator: " ")
    // libpulse uses the same variable for a stream without a sink.
    guard let sink = text(getenv("PULSE_SINK")) ?? text(information.default_sink_name) else { return end() }
    let me = Unmanaged.passUnretained(self).toOpaque()
    release(pa.context_get_sink_info_by_name(context, sink, sinkTold, me))
  }

  fileprivate func answered(_ information: pa_sink_info?) {
    guard let information else { return end() }
    let sink = PulseSink(information)
    server.sink = PulseServer.Sink(
      name: sink.name, description: sink.description, sampleRate: Int(information.sample_spec.rate),
      channelCount: Int(information.sample_spec.channels),
      latency: Double(max(information.latency, information.configured_latency)) / 1e6, isMuted: sink.isMuted,
      volume: sink.volume)
  }

  private func end() {
    isAnswered = true
    connection.signal()
  }

  static func of(_ me: UnsafeMutableRawPointer?) -> ServerQuestion? {
    me.map { Unmanaged<ServerQuestion>.fromOpaque($0).takeUnretainedValue() }
  }
}

private let serverTold: pa_server_info_cb_t = { _, information, me in
  ServerQuestion.of(me)?.answered(information?.pointee)
}

private let sinkTold: pa_sink_info_cb_t = { _, information, end, me in
  ServerQuestion.of(me)?.answered(end == 0 ? information?.pointee : nil)
}
