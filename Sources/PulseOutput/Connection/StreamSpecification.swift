internal import AudioModel
internal import AudioOutput
internal import CPulse

struct StreamSpecification {
  let format: PCMFormat
  let buffering: AudioOutputBuffering

  /// The longest time between two requests of a server whose device plays.
  var requestLimit: TimeSpan { .seconds(buffering.requestSeconds) + PulseTimeouts.lateRequest }

  /// A stream that is not connected yet; `nil` if libpulse does not know the format.
  func makeStream(_ context: OpaquePointer, _ properties: PulseProperties) -> OpaquePointer? {
    let sampleFormat =
      switch format.sampleFormat {
      case .s16: PA_SAMPLE_S16LE
      case .s24in32: PA_SAMPLE_S24_32LE
      case .s32: PA_SAMPLE_S32LE
      case .f32: PA_SAMPLE_FLOAT32LE
      }
    guard let channelCount = UInt8(exactly: format.channelCount), let rate = UInt32(exactly: format.sampleRate) else {
      return nil
    }
    var specification = pa_sample_spec(format: sampleFormat, rate: rate, channels: channelCount)
    guard pa.sample_spec_valid(&specification) != 0 else { return nil }
    var map = makeChannelMap(channelCount)
    let list = Self.makeList(properties)
    defer { pa.proplist_free(list) }
    return pa.stream_new_with_proplist(context, properties.title ?? "music", &specification, &map, list)
  }

  /// The speaker of each channel, or a number if it is unknown.
  private func makeChannelMap(_ channelCount: UInt8) -> pa_channel_map {
    var map = pa_channel_map()
    _ = pa.channel_map_init_extend(&map, UInt32(channelCount), PA_CHANNEL_MAP_WAVEEX)
    let speakers = format.speakers
    // A single channel goes to all speakers.
    guard channelCount > 1, speakers != 0, speakers >> UInt32(Self.positions.count) == 0 else { return map }
    let positions = Self.positions.indices.filter { speakers >> UInt32($0) & 1 == 1 }.map { Self.positions[$0] }
    withUnsafeMutableBytes(of: &map.map) { bytes in
      positions.withUnsafeBytes { bytes.copyBytes(from: $0) }
    }
    return map
  }

  /// The server's names for the speakers, in the order of a mask's bits.
  private static let positions = [
    PA_CHANNEL_POSITION_FRONT_LEFT, PA_CHANNEL_POSITION_FRONT_RIGHT, PA_CHANNEL_POSITION_FRONT_CENTER,
    PA_CHANNEL_POSITION_LFE, PA_CHANNEL_POSITION_REAR_LEFT, PA_CHANNEL_POSITION_REAR_RIGHT,
    PA_CHANNEL_POSITION_FRONT_LEFT_OF_CENTER, PA_CHANNEL_POSITION_FRONT_RIGHT_OF_CENTER,
    PA_CHANNEL_POSITION_REAR_CENTER, PA_CHANNEL_POSITION_SIDE_LEFT, PA_CHANNEL_POSITION_SIDE_RIGHT,
    PA_CHANNEL_POSITION_TOP_CENTER, PA_CHANNEL_POSITION_TOP_FRONT_LEFT, PA_CHANNEL_POSITION_TOP_FRONT_CENTER,
    PA_CHANNEL_POSITION_TOP_FRONT_RIGHT, PA_CHANNEL_POSITION_TOP_REAR_LEFT, PA_CHANNEL_POSITION_TOP_REAR_CENTER,
    PA_CHANNEL_POSITION_TOP_REAR_RIGHT,
  ]

  /// The requested size of the server's buffer in bytes. A server holds at most 4 MiB, and PipeWire's stops at a larger
  /// request, such as one for 192 kHz with six channels of 32 bits.
  var bufferByteCount: Int {
    let most = 3 << 20
    return min(byteCount(buffering.seconds), most - most % format.bytesPerFrame)
  }

  /// The buffer of the server. prebuf keeps the server's default, just below tlength: with a low value PulseAudio
  /// rewinds forever (a trigger starts the stream sooner).
  var bufferAttributes: pa_buffer_attr {
    pa_buffer_attr(
      maxlength: .max, tlength: UInt32(clamping: bufferByteCount), prebuf: .max,
      minreq: UInt32(clamping: min(byteCount(buffering.requestSeconds), bufferByteCount / 4)), fragsize: .max)
  }

  private func byteCount(_ seconds: Double) -> Int { Int(seconds * Double(format.sampleRate)) * format.bytesPerFrame }

  func channelVolume(_ volume: Double) -> pa_cvolume {
    var channels = pa_cvolume()
    let value = pa_volume_t(min(max(0, volume.isNaN ? 1 : volume), 2) * Double(PA_VOLUME_NORM))
    _ = pa.cvolume_set(&channels, UInt32(format.channelCount), value)
    return channels
  }

  /// The caller frees it.
  static func makeList(_ properties: PulseProperties) -> OpaquePointer? {
    let list = pa.proplist_new()
    let rate = properties.sampleRate.flatMap { UInt32(exactly: $0.rounded()) }.map { [("node.rate", "1/\($0)")] }
    for (key, value) in [
      (PA_PROP_MEDIA_ROLE, properties.duckingRole ?? properties.role),
      (PA_PROP_MEDIA_NAME, properties.title ?? "music"),
      (PA_PROP_MEDIA_TITLE, properties.title ?? ""), (PA_PROP_MEDIA_ARTIST, properties.artist ?? ""),
    ] + (rate ?? []) {
      _ = pa.proplist_sets(list, key, value)
    }
    return list
  }

  /// The error of a stream that the server has ended or refused, by libpulse's number.
  func reasonOfFailure(_ number: Int32, wasReady: Bool) -> AudioOutputError {
    let reason = describe(number)
    switch pa_error_code_t(UInt32(bitPattern: number)) {
    case _ where wasReady:
      return AudioOutputError(.streamEnded, detail: "the sound server has ended the stream (\(reason))")
    case PA_ERR_NOENTITY:
      return AudioOutputError(
        .noDevice, detail: "the sound server has no device to play on",
        advice: "`pactl list short sinks` shows what it has")
    case PA_ERR_INVALID, PA_ERR_NOTSUPPORTED, PA_ERR_TOOLARGE:
      return AudioOutputError(.unsupportedFormat, detail: "the sound server cannot play \(format) (\(reason))")
    // PipeWire reports this while its session manager knows no sink, as during the search for devices.
    case PA_ERR_IO, PA_ERR_BUSY, PA_ERR_TIMEOUT:
      return AudioOutputError(
        .streamNotOpened, detail: "the sound server did not open a stream (\(reason)); retrying")
    default:
      return AudioOutputError(.refused, detail: "the sound server gives us no stream (\(reason))")
    }
  }
}
