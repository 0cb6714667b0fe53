public import AudioModel

/// A destination for PCM: a sound server, a silent device, a file.
///
/// Opening is asynchronous: no call waits for a server. The stream's source receives the outcome.
public protocol AudioOutput: AnyObject, Sendable {
  /// Starts to connect to the device, before the first stream needs it. Any thread; returns at once.
  func connect()

  /// Starts to open a stream that requests frames of `format` from `source`. It is paused at first. Any thread.
  func openStream(
    _ format: PCMFormat, buffering: AudioOutputBuffering, source: any AudioOutputSource
  ) -> any AudioOutputStream

  /// Sets the volume of present and future streams: audible at once, however much is buffered. 1 is the server's 100 %,
  /// on the server's scale. Any thread.
  func setVolume(_ volume: Double, isMuted: Bool)

  /// Sets the title and the artist that mixers show. Any thread.
  func setTrack(title: String?, artist: String?)

  /// Sets the role (`media.role`) of present and future streams. Any thread.
  ///
  /// - Parameter ducksOthers: True to make other programs softer while these streams play. `OtherAudio.ducking` has the
  ///   server's answer.
  func setRole(_ role: String, ducksOthers: Bool)

  /// Asks for a device of so many frames per second, for streams opened from now on; `nil` for none in particular. Any
  /// thread.
  func setPreferredSampleRate(_ rate: Double?)

  /// The devices to choose from; `nil` while they are unknown, and for outputs without a choice. Any thread.
  var devices: AudioDevices? { get }

  /// True if several streams can be heard at once; else a stream plays when the one before it is closed. Any thread.
  var mixes: Bool { get }

  /// Moves present and future streams to the device of that name, without a lost frame if the server can do that;
  /// `nil` for the server's default, which is also used while there is no such device. Any thread.
  func setDevice(_ name: String?)
}

extension AudioOutput {
  /// Does nothing: for outputs without a connection.
  public func connect() {}
  /// Does nothing: for outputs without a server.
  public func setRole(_ role: String, ducksOthers: Bool) {}
  /// Does nothing: for outputs that take every rate.
  public func setPreferredSampleRate(_ rate: Double?) {}
  /// True: for sound servers, and for outputs without sound.
  public var mixes: Bool { true }
  /// None: for outputs without a choice.
  public var devices: AudioDevices? { nil }
  /// Does nothing: for outputs without a choice.
  public func setDevice(_ name: String?) {}
}

/// One stream of an output. Any thread may call it, but not several threads at once.
public protocol AudioOutputStream: AnyObject, Sendable {
  /// The audible frame, as a line through time. Counts frames as the source rendered them.
  var clock: AudioClock { get }

  /// The source has frames again, after it rendered fewer than were requested. This call may render them.
  func sourceHasFrames()

  /// Starts the device as soon as there is at least one frame. The event `started` reports the start.
  func resume()

  /// Silences the device and keeps its frames. Returns when it has confirmed or after a time limit; `clock` then stands
  /// at the first frame not played.
  func pause()

  /// Drops the frames that were rendered and not played, without waiting, and cancels `drain`. `clock` jumps to the
  /// next frame to be rendered. A running stream continues with the frames that are rendered next.
  func flush()

  /// Takes back the frames from `frame` on, and cancels `drain`: the next rendered frames follow without a gap. Returns
  /// false, and changes nothing, if some of them may play before the device can react.
  func rewind(toFrame frame: Int64) -> Bool

  /// Takes back the frames from `frame` on that are not about to play, and cancels `drain`. Returns the frame that is
  /// rendered next, which follows the earlier ones without a gap.
  func rewind(notBefore frame: Int64) -> Int64

  /// Plays the remaining frames of the source, then reports `drained` and is paused. Needs `resume`.
  func drain()

  /// Ends the stream. The source is not called after this returns, except if a call of the source contains this one.
  func close()
}

/// The source of a stream. Called on the output's own thread, or within a call to the stream; never by two threads at
/// once. Must not wait.
public protocol AudioOutputSource: AnyObject, Sendable {
  /// Writes whole frames to the start of `bytes`. Returns the number of bytes. If it is smaller than requested, there
  /// are no more frames until `sourceHasFrames`.
  func render(into bytes: UnsafeMutableRawBufferPointer) -> Int

  /// Handles an event of the stream.
  func handle(_ event: AudioOutputEvent)
}

/// The depth of a device's buffer. Pause, flush and volume act at once at any depth.
public struct AudioOutputBuffering: Sendable, Hashable {
  /// Seconds of sound that the device holds.
  public var seconds: Double
  /// Seconds of sound per request: at most a fourth of `seconds`. With more, PulseAudio uses a whole CPU.
  public var requestSeconds: Double

  /// A depth; `requestSeconds` is limited to a fourth of `seconds`.
  public init(seconds: Double, requestSeconds: Double) {
    (self.seconds, self.requestSeconds) = (seconds, min(requestSeconds, seconds / 4))
  }

  /// For music: 3 context switches a second for device and feeder together, with buffers of a second. Half the depth
  /// needs twice as many; twice the depth saves less than one, for 1.3 MB.
  public static let deep = AudioOutputBuffering(seconds: 4, requestSeconds: 1)
  /// Buffers of 0.1 s.
  public static let shallow = AudioOutputBuffering(seconds: 0.4, requestSeconds: 0.1)
}

/// Events of a stream, in frames of the device. An audio queue turns them into `AudioQueueEvent`, in its own time.
public enum AudioOutputEvent: Sendable, Hashable {
  /// The device starts to consume frames: after `resume`, `flush` or an underrun. `clock` is exact from now on.
  case started
  /// The device has consumed all frames and is silent until it gets more.
  case underrun
  /// The last frame has played (`drain`).
  case drained
  /// The stream is resumed and has frames, but the device does not start in time, or stands still. It may play later:
  /// `started`.
  case stalled
  /// The device has played less or more than `clock` said, which goes on from this frame, or stands there.
  case clockCorrected(to: Int64)
  /// The server requests silence because another program plays, or has muted the stream without a message. The stream
  /// is paused already; `resume` overrules the server.
  case pauseRequested
  /// Frames from this one on were not heard, though `clock` had passed them: they were muted before `pauseRequested`,
  /// or the device stood still and confirmed a pause late. `clock` stands there; to be audible, they must be rendered
  /// again.
  case playedUnheard(from: Int64)
  /// The server reports that the reason for `pauseRequested` has ended, or it has unmuted the stream.
  case resumeRequested
  /// The reason for `pauseRequested` is gone, without a message of the server.
  case pauseReasonGone
  /// The device was suspended, or is back; time stands still meanwhile.
  case suspended(Bool)
  /// The stream has a device, or another one, or the device changed. `isOldGone`: the earlier device was removed; the
  /// stream is paused already.
  case routeChanged(AudioRoute, isOldGone: Bool)
  /// The volume of the stream, which was not set by `setVolume`.
  case volumeChanged(Double)
  /// The stream was muted or unmuted, not by `setVolume`.
  case muteChanged(Bool)
  /// Other programs started or stopped playing.
  case othersChanged(OtherAudio)
  /// The stream failed, or could not be opened. The last event.
  case failed(AudioOutputError)
}
