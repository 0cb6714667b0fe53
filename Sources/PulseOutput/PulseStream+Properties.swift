internal import AudioModel
internal import AudioOutput
internal import CPulse

// What the server is told about a stream, and how it says no.
extension PulseStream {
  /// A stream, not connected yet; nil where libpulse knows no such format.
  func makeStream(_ context: OpaquePointer) -> OpaquePointer? {
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
    let properties = makeProperties()
    defer { pa.proplist_free(properties) }
    return pa.stream_new_with_proplist(context, connection.track.title ?? "music", &specification, &map, properties)
  }

  /// Which speaker each channel is for; numbers for those where nobody knows.
  private func makeChannelMap(_ channelCount: UInt8) -> pa_channel_map {
    var map = pa_channel_map()
    _ = pa.channel_map_init_extend(&map, UInt32(channelCount), PA_CHANNEL_MAP_WAVEEX)
    let speakers = format.speakers
    // One channel is for all of them.
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

  func connectPlayback(_ stream: OpaquePointer) -> Bool {
    // prebuf is the server's own, just below tlength: a low one makes it rewind for ever (trigger starts it sooner).
    var attributes = pa_buffer_attr(
      maxlength: .max, tlength: UInt32(clamping: bufferByteCount), prebuf: .max,
      minreq: UInt32(clamping: min(byteCount(buffering.requestSeconds), bufferByteCount / 4)), fragsize: .max)
    var flags = PA_STREAM_START_CORKED.rawValue | PA_STREAM_ADJUST_LATENCY.rawValue
    guard let loudness = connection.loudness else {
      return pa.stream_connect_playback(
        stream, connection.device, &attributes, pa_stream_flags_t(flags), nil, nil) >= 0
    }
    flags |= (loudness.isMuted ? PA_STREAM_START_MUTED : PA_STREAM_START_UNMUTED).rawValue
    serverLoudness = (loudness.volume, loudness.isMuted)
    var volume = channelVolume(loudness.volume)
    return pa.stream_connect_playback(
      stream, connection.device, &attributes, pa_stream_flags_t(flags), &volume, nil) >= 0
  }

  /// What the server is asked to hold. It holds 4 MiB at most, and PipeWire's stands still where a request is more than
  /// that: 192 kHz of six channels and 32 bits.
  var bufferByteCount: Int {
    let most = 3 << 20
    return min(byteCount(buffering.seconds), most - most % format.bytesPerFrame)
  }

  private func byteCount(_ seconds: Double) -> Int { Int(seconds * Double(format.sampleRate)) * format.bytesPerFrame }

  /// Only what is another, and not while the server has muted the stream for a call.
  func applyLoudness() {
    guard isReady, let stream, let loudness = connection.loudness else { return isOutdated = true }
    let index = pa.stream_get_index(stream)
    if loudness.volume != serverLoudness.volume {
      var volume = channelVolume(loudness.volume)
      release(pa.context_set_sink_input_volume(connection.context, index, &volume, nil, nil))
      isVolumeConfirmed = false
    }
    if loudness.isMuted != serverLoudness.isMuted, loudness.isMuted || !isMutedByPolicy {
      release(pa.context_set_sink_input_mute(connection.context, index, loudness.isMuted ? 1 : 0, nil, nil))
    }
    serverLoudness = (loudness.volume, loudness.isMuted)
    connection.observer?.outdateInputs()
  }

  /// The server says how loud it plays the stream: as others may have set it, in a mixer perhaps.
  func hear(volume: Double) {
    if let known = serverLoudness.volume {
      // Servers round; and PipeWire's does what it was told once it plays.
      if abs(volume - known) <= 0.0005 { return isVolumeConfirmed = true }
      guard isVolumeConfirmed else { return }
    } else {
      guard !isCorked else { return }
    }
    serverLoudness.volume = volume
    isVolumeConfirmed = true
    connection.loudness?.volume = volume
    source.handle(.volumeChanged(volume))
  }

  func applyTrack() {
    guard isReady, let stream else { return isOutdated = true }
    let properties = makeProperties()
    defer { pa.proplist_free(properties) }
    release(pa.stream_proplist_update(stream, PA_UPDATE_REPLACE, properties, nil, nil))
  }

  /// The server's number of the stream, once it has one.
  var index: UInt32? { isReady ? stream.map { pa.stream_get_index($0) } : nil }

  private func makeProperties() -> OpaquePointer? {
    let properties = pa.proplist_new()
    let track = connection.track
    for (key, value) in [
      (PA_PROP_MEDIA_ROLE, connection.role), (PA_PROP_MEDIA_NAME, track.title ?? "music"),
      (PA_PROP_MEDIA_TITLE, track.title ?? ""), (PA_PROP_MEDIA_ARTIST, track.artist ?? ""),
    ] {
      _ = pa.proplist_sets(properties, key, value)
    }
    return properties
  }

  private func channelVolume(_ volume: Double) -> pa_cvolume {
    var channels = pa_cvolume()
    let value = pa_volume_t(min(max(0, volume.isNaN ? 1 : volume), 2) * Double(PA_VOLUME_NORM))
    _ = pa.cvolume_set(&channels, UInt32(format.channelCount), value)
    return channels
  }

  func reasonOfFailure(wasReady: Bool) -> AudioOutputError {
    let number = pa.context_errno(connection.context)
    let reason = describe(number)
    switch pa_error_code_t(UInt32(bitPattern: number)) {
    case _ where wasReady:
      return AudioOutputError(.streamEnded, detail: "the sound server has ended the stream (\(reason))")
    case PA_ERR_NOENTITY:
      return AudioOutputError(
        .noDevice, detail: "the sound server has no device to play on\(connection.device.map { " named \($0)" } ?? "")",
        advice: "`pactl list short sinks` shows what it has")
    case PA_ERR_INVALID, PA_ERR_NOTSUPPORTED, PA_ERR_TOOLARGE:
      return AudioOutputError(.unsupportedFormat, detail: "the sound server cannot play \(format) (\(reason))")
    // So PipeWire says that its session manager knows no sink, as it does where devices are still being looked for.
    case PA_ERR_IO, PA_ERR_BUSY, PA_ERR_TIMEOUT:
      return AudioOutputError(
        .streamNotOpened, detail: "the sound server did not open a stream (\(reason)); retrying")
    default:
      return AudioOutputError(.refused, detail: "the sound server gives us no stream (\(reason))")
    }
  }
}
