internal import AudioModel
internal import AudioOutput
internal import CALSA
internal import Glibc

/// An open device that takes frames of one format. Owns one `snd_pcm_t`. No call waits.
///
/// Safety: its owner uses it under one lock.
final class ALSADevice: @unchecked Sendable {
  /// The frames in the device, as libasound counts them.
  enum Fill {
    /// The numbers of frames that have room, and of those that were not heard.
    case frames(room: Int64, unheard: Int64)
    /// It has run empty.
    case empty
    /// It was suspended with the machine: what it held is lost.
    case lost
    /// It is unplugged, or fails for another reason.
    case gone(Int32)
  }

  let name: String
  let conversion: FrameConversion
  /// The changes that it makes to samples, in words; empty for none.
  let changes: String
  private let alsa: alsa_functions
  private let pcm: OpaquePointer
  /// False for plug-ins that play elsewhere: they have passed on what they say can be taken back, and take frames after
  /// they have run empty, until they know.
  let isHardware: Bool

  /// Opens a device at the format's own rate, with at least its depth, where the hardware has that; else through the
  /// plug-in that converts.
  init(_ name: String, for format: PCMFormat, bufferSeconds: Double) throws(AudioOutputError) {
    guard let alsa = libasound?.pointee else {
      throw AudioOutputError(
        .libraryMissing, detail: "libasound cannot be loaded", advice: ALSAOutput.library.complaint)
    }
    let isCard = name == "hw" || name.hasPrefix("hw:")
    let attempts = [(name, false)] + (isCard ? [("plug" + name, false), ("plug" + name, true)] : [(name, true)])
    for (number, (attempt, resamples)) in attempts.enumerated() {
      let pcm = try Self.open(attempt, alsa)
      let samples = DeviceSamples.choices(for: format.sampleFormat).first {
        Self.configure(pcm, alsa, format, $0, resamples: resamples, seconds: bufferSeconds)
      }
      guard let samples else {
        _ = alsa.close(pcm)
        continue
      }
      (self.name, self.alsa, self.pcm) = (name, alsa, pcm)
      conversion = FrameConversion(format, to: samples)
      isHardware = isCard || alsa.type(pcm) == Int32(segue_alsa_hardware)
      if number > 0 {
        changes = isCard || resamples ? "the device cannot play \(format) itself" : ""
      } else if alsa.type(pcm) != Int32(segue_alsa_hardware) {
        changes = "\(name) is no hw: device"
      } else if !samples.holds(format.sampleFormat) {
        changes = samples.depth > 0 ? "the device takes integers of \(samples.depth) bits" : "the device takes floats"
      } else {
        changes = ""
      }
      return
    }
    throw AudioOutputError(.unsupportedFormat, detail: "\(name) cannot play \(format)")
  }

  deinit { _ = alsa.close(pcm) }

  private static func open(_ name: String, _ alsa: alsa_functions) throws(AudioOutputError) -> OpaquePointer {
    var pcm: OpaquePointer?
    let error = alsa.open(&pcm, name, Int32(segue_alsa_playback), Int32(segue_alsa_nonblock))
    if error == 0, let pcm { return pcm }
    let reason = "\(name): \(words(of: error))"
    switch -error {
    case EBUSY, EAGAIN:
      throw AudioOutputError(
        .streamNotOpened, detail: "the sound card is in use by another program (\(reason)); retrying")
    case EACCES, EPERM:
      throw AudioOutputError(
        .refused, detail: "the sound card cannot be opened (\(reason))",
        advice: "users who are not logged in at the machine need the group audio")
    default:
      throw AudioOutputError(
        .noDevice, detail: "there is no such sound device (\(reason))", advice: "`aplay -L` lists the devices")
    }
  }

  private static func configure(
    _ pcm: OpaquePointer, _ alsa: alsa_functions, _ format: PCMFormat, _ samples: DeviceSamples, resamples: Bool,
    seconds: Double
  ) -> Bool {
    var hardware: OpaquePointer?
    var software: OpaquePointer?
    guard alsa.hw_params_malloc(&hardware) == 0, let hardware else { return false }
    defer { alsa.hw_params_free(hardware) }
    guard alsa.sw_params_malloc(&software) == 0, let software else { return false }
    defer { alsa.sw_params_free(software) }
    guard let rate = UInt32(exactly: format.sampleRate), let channels = UInt32(exactly: format.channelCount),
      alsa.hw_params_any(pcm, hardware) >= 0,
      alsa.hw_params_set_rate_resample(pcm, hardware, resamples ? 1 : 0) == 0,
      alsa.hw_params_set_access(pcm, hardware, Int32(segue_alsa_interleaved)) == 0,
      alsa.hw_params_set_channels(pcm, hardware, channels) == 0,
      alsa.hw_params_set_rate(pcm, hardware, rate, 0) == 0,
      alsa.hw_params_set_format(pcm, hardware, samples.rawValue) == 0
    else { return false }
    // Four periods: the position is known, and frames can be taken back, to a fraction of the buffer at least.
    var buffer = UInt(seconds * Double(format.sampleRate))
    _ = alsa.hw_params_set_buffer_size_near(pcm, hardware, &buffer)
    var period = max(1, buffer / 4)
    _ = alsa.hw_params_set_period_size_near(pcm, hardware, &period, nil)
    var boundary: UInt = 0
    // It starts when it is told to, however full it is.
    return alsa.hw_params(pcm, hardware) == 0 && alsa.sw_params_current(pcm, software) == 0
      && alsa.sw_params_get_boundary(software, &boundary) == 0
      && alsa.sw_params_set_start_threshold(pcm, software, boundary) == 0 && alsa.sw_params(pcm, software) == 0
  }

  // MARK: Playing

  /// The frames that it has room for, and those that were not heard.
  var fill: Fill {
    var (room, unheard) = (0, 0)
    let error = alsa.avail_delay(pcm, &room, &unheard)
    return error < 0 ? failure(error) : .frames(room: Int64(max(0, room)), unheard: Int64(max(0, unheard)))
  }

  /// Takes frames in its own numbers. Returns how many.
  func write(_ frames: UnsafeRawBufferPointer) -> (Int64, Fill?) {
    guard let start = frames.baseAddress else { return (0, nil) }
    let count = alsa.writei(pcm, start, UInt(frames.count / conversion.bytesPerFrame))
    return count == -Int(EAGAIN) ? (0, nil) : count < 0 ? (0, failure(Int32(clamping: count))) : (Int64(count), nil)
  }

  private func failure(_ error: Int32) -> Fill {
    switch -error {
    case EPIPE: .empty
    case ESTRPIPE: .lost
    default: .gone(error)
    }
  }

  /// Makes it ready for frames, after `stop`, after the last frame, and where it ran empty or lost its frames. Returns an
  /// error, or 0.
  func prepare() -> Int32 { alsa.prepare(pcm) }
  /// Plays the frames that it has. Returns an error, or 0.
  func start() -> Int32 { alsa.state(pcm) == Int32(segue_alsa_running) ? 0 : alsa.start(pcm) }
  /// Drops what was not heard.
  func stop() { _ = alsa.drop(pcm) }
  /// Plays to the last frame. True if that was heard.
  func drain() -> Bool {
    if alsa.state(pcm) != Int32(segue_alsa_draining), alsa.drain(pcm) != -EAGAIN { return true }
    return alsa.state(pcm) != Int32(segue_alsa_draining)
  }

  /// Takes back at most `frameCount` frames that were not heard, but none of the next `safety`. Returns how many.
  func rewind(_ frameCount: Int64, safety: Int64) -> Int64 {
    let count = isHardware ? min(frameCount, Int64(alsa.rewindable(pcm)) - safety) : 0
    return count > 0 ? max(0, Int64(alsa.rewind(pcm, UInt(count)))) : 0
  }

  static func words(of error: Int32) -> String { strerror(-error).map { String(cString: $0) } ?? "error \(error)" }
}

/// libasound's functions; `nil` if it is not installed. The first use loads it.
///
/// Safety: points to a table that never changes after it was loaded.
nonisolated(unsafe) let libasound = alsa_load()
