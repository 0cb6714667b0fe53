public import AudioModel
public import AudioOutput
internal import CPulse

/// Sound through PulseAudio, or PipeWire's Pulse server.
///
/// No call waits for the server: a thread connects to it, from `connect` or the first stream on, and again for the next
/// stream after it was lost. Safety: all state lies in the connection, under its lock.
public final class PulseOutput: AudioOutput {
  let connection: PulseConnection

  /// An output on `server`, an address as in `PULSE_SERVER`; nil: libpulse's default. It uses `device`, the name of a
  /// sink, as after `setDevice`.
  ///
  /// - Parameters:
  ///   - didSettle: Called once, on the connection's thread, when the server was reached for the first time or none was
  ///     found. Until then libpulse may start a server (a child process).
  ///   - devicesChanged: Called on the connection's thread when `devices` has another value. Must not wait.
  public convenience init(
    server: String? = nil, device: String? = nil, applicationName: String, didSettle: (@Sendable () -> Void)? = nil,
    devicesChanged: @escaping @Sendable () -> Void = {}
  ) {
    self.init(
      server: server, device: device, applicationName: applicationName, transcript: .fromEnvironment,
      reports: PulseConnection.Reports(didSettle: didSettle, devicesChanged: devicesChanged))
  }

  /// The same, with a transcript of all streams.
  init(
    server: String? = nil, device: String? = nil, applicationName: String, transcript: PulseTranscript?,
    reports: PulseConnection.Reports = PulseConnection.Reports()
  ) {
    connection = PulseConnection(
      server: server, device: device, applicationName: applicationName, transcript: transcript, reports: reports)
  }

  deinit { connection.close() }

  /// Creates the connection's thread, which sleeps until `connect`. Any thread.
  public func prepare() { connection.prepare() }

  /// Begins to load libpulse and to reach the server, so that a first stream finds it. Any thread; returns at once.
  public func connect() { connection.start() }

  /// Opens a stream (`pa_stream`). Its source receives `failed` if there is no server.
  public func openStream(
    _ format: PCMFormat, buffering: AudioOutputBuffering, source: any AudioOutputSource
  ) -> any AudioOutputStream {
    let stream = connection.locked {
      PulseStream(format: format, buffering: buffering, source: source, output: self)
    }
    connection.add(stream)
    return LockedPulseStream(stream)
  }

  /// The volume of the server's sink inputs, on its own (cubic) scale. The server remembers it for the next time.
  public func setVolume(_ volume: Double, isMuted: Bool) {
    connection.locked { connection.loudness = PulseLoudness(volume: volume, isMuted: isMuted) }
  }

  /// The `media.role` of the streams. Where others are to get softer, it is a role at which PulseAudio's
  /// module-role-ducking acts, if that is loaded.
  public func setRole(_ role: String, ducksOthers: Bool) {
    connection.locked {
      connection.properties.role = role
      connection.ducksOthers = ducksOthers
    }
  }

  /// The `node.rate` of the streams, which PipeWire follows where its settings allow that.
  public func setPreferredSampleRate(_ rate: Double?) {
    connection.locked { connection.properties.sampleRate = rate }
  }

  /// The streams' `media.title` and `media.artist`.
  public func setTrack(title: String?, artist: String?) {
    connection.locked { (connection.properties.title, connection.properties.artist) = (title, artist) }
  }

  /// The sinks of the server.
  public var devices: AudioDevices? { connection.locked { connection.deviceChoice.devices } }

  /// The server moves the streams. It keeps the choice for later streams of the same role, too.
  public func setDevice(_ name: String?) {
    connection.locked { if connection.deviceChoice.choose(name) { connection.moveStreams() } }
  }
}

extension PulseOutput {
  /// The client library of the server. Loads it. Any thread.
  public static var library: SharedLibrary {
    SharedLibrary(SEGUE_PULSE, functions: table)
  }
}
