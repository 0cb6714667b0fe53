public import AudioModel

/// A way for PCM to be heard, or to be written where it would have been: a sound server, nothing at all, a file.
///
/// Opening is asynchronous: nothing here waits for a server. How it goes is told to the stream's source.
public protocol AudioOutput: AnyObject, Sendable {
  /// Begins to reach the device, so that the first stream finds it. Any thread; returns at once.
  func connect()

  /// Begins to open a stream that asks `source` for frames of `format`. It is held (`pause`) at first. Any thread.
  func openStream(
    _ format: PCMFormat, buffering: AudioOutputBuffering, source: any AudioOutputSource
  ) -> any AudioOutputStream

  /// Sets how loud the device plays its streams, present and future: heard at once, whatever is buffered. 1 is
  /// the server's 100 %; the scale is the server's own. Any thread.
  func setVolume(_ volume: Double, isMuted: Bool)

  /// Says what is being played, for mixers and the like that show it. Any thread.
  func setTrack(title: String?, artist: String?)

  /// Says what streams opened from now on are for, by the sound server's word (`media.role`). Any thread.
  func setRole(_ role: String)
}

extension AudioOutput {
  /// Does nothing where there is nothing to be reached.
  public func connect() {}
  /// Does nothing where there is no server.
  public func setRole(_ role: String) {}
}

/// One stream of an output. Any thread may call; calls of several threads must not race with each other.
public protocol AudioOutputStream: AnyObject, Sendable {
  /// The frame that is heard, of those handed over, as a line through time. Counts frames as the source rendered them.
  var clock: AudioClock { get }

  /// The source has frames again, after it gave fewer than it was asked for. They may be rendered during this call.
  func sourceHasFrames()

  /// Lets the device consume frames: as soon as there is one, however short. `started` tells when it does.
  func resume()

  /// Silences the device and keeps what it was given. Returns when it has obeyed or a time limit has passed; `clock`
  /// then stands on the first frame not heard.
  func pause()

  /// Drops what was rendered and not heard yet, without waiting, and forgets `drain`. `clock` jumps to the next frame
  /// to be rendered. A stream that runs continues with what is rendered next.
  func flush()

  /// Takes back what was rendered from `frame` on, and forgets `drain`: what is rendered next follows the frames before
  /// it without a gap. False, and nothing changes, where some of it may be heard before the device can be told.
  func rewind(toFrame frame: Int64) -> Bool

  /// Takes back all that was rendered from `frame` on and is not about to be heard, and forgets `drain`. Returns the
  /// frame that is rendered next, which follows those before it without a gap.
  func rewind(notBefore frame: Int64) -> Int64

  /// Plays everything that the source still gives, then reports `drained` and is paused. Needs `resume`.
  func drain()

  /// Ends it. The source is not called any more once this returns (except for a call on whose behalf this one runs).
  func close()
}

/// The source of a stream. Called on the output's own thread, or within a call to the stream; never by two threads at
/// once. Must not wait.
public protocol AudioOutputSource: AnyObject, Sendable {
  /// Fills `bytes`, whole frames from their start on; returns how many bytes that is. Fewer than asked for: there are
  /// no more until `sourceHasFrames` says so.
  func render(into bytes: UnsafeMutableRawBufferPointer) -> Int

  /// Something happened to the stream.
  func handle(_ event: AudioOutputEvent)
}

/// The depth of a device's buffer. Pause, flush and volume act at once however deep it is.
public struct AudioOutputBuffering: Sendable, Hashable {
  /// Seconds of sound that the device holds.
  public var seconds: Double
  /// Seconds of sound that it asks for at a time: at most a fourth of `seconds`, for a sound server's sake (less makes
  /// PulseAudio spin).
  public var requestSeconds: Double

  /// A depth; `requestSeconds` is lowered to a fourth of `seconds` where it is more.
  public init(seconds: Double, requestSeconds: Double) {
    self.seconds = seconds
    self.requestSeconds = min(requestSeconds, seconds / 4)
  }

  /// For music: 3 context switches a second for device and feeder together, with buffers of a second. Half the depth and
  /// request costs twice as many; twice the depth saves less than one, for 1.3 MB.
  public static let deep = AudioOutputBuffering(seconds: 4, requestSeconds: 1)
  /// Buffers of 0.1 s.
  public static let shallow = AudioOutputBuffering(seconds: 0.4, requestSeconds: 0.1)
}

/// Events of a stream.
public enum AudioOutputEvent: Sendable, Hashable {
  /// Frames begin to be consumed: after `resume`, `flush` or an underrun. `clock` is right from here on.
  case started
  /// The device has consumed all that it was given and is silent until there is more.
  case underrun
  /// The last frame was heard (`drain`).
  case drained
  /// `resume` was asked for, there are frames, and yet the device does not start. It may still: `started`.
  case stalled
  /// The server wants silence because something else is played: it asks, or has muted the stream without
  /// a word. The stream is paused already; `resume` overrules it.
  case pauseRequested
  /// Frames from this one on were muted already, before `pauseRequested`. `clock` stands there; to be heard, they
  /// must be rendered again.
  case playedUnheard(from: Int64)
  /// The server says that the reason for `pauseRequested` is gone, or has taken its mute back.
  case resumeRequested
  /// The reason for `pauseRequested` is gone, but the server forgot to say so.
  case pauseReasonGone
  /// The device was suspended, or is back; time stands still meanwhile.
  case suspended(Bool)
  /// The stream has got a device, or another one, or something about it changed. `isOldGone`: the one before was
  /// taken away, not just left; the stream is paused already.
  case routeChanged(AudioRoute, isOldGone: Bool)
  /// The device plays the stream as loud as that, because others have set it so, or nobody has: as in `setVolume`.
  case volumeChanged(Double)
  /// Others began or ceased to sound.
  case othersChanged(OtherAudio)
  /// The stream is dead, or never came to life. The last event.
  case failed(AudioOutputError)
}
