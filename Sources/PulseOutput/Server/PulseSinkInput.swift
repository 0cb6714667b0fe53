internal import AudioModel
internal import CPulse

/// One of the streams that the server plays, ours or another program's.
struct PulseSinkInput: Equatable {
  var index: UInt32
  /// `media.role`.
  var role: String?
  /// `application.name`.
  var application: String?
  var isCorked: Bool
  var isMuted: Bool
  /// On the server's scale, 1 is its 100 %.
  var volume: Double

  private var isHeard: Bool { !isCorked && !isMuted }

  /// True for a call, which silences music (the rule of module-role-cork). A corked or muted stream does not count.
  var isCall: Bool { role == "phone" && isHeard }

  /// True if it counts as other audio; notification sounds do not.
  var isAudio: Bool { isHeard && role != "event" }

  /// True if it asks other programs to be silent.
  var isPrimary: Bool { isAudio && !["game", "animation", "a11y", "test"].contains(role) }
}

extension PulseSinkInput {
  init(_ information: pa_sink_input_info) {
    index = information.index
    let property = { (name: String) in pa.proplist_gets(information.proplist, name).map { String(cString: $0) } }
    (role, application) = (property(PA_PROP_MEDIA_ROLE), property(PA_PROP_APPLICATION_NAME))
    isCorked = information.corked != 0
    isMuted = information.mute != 0
    var channels = information.volume
    volume = Double(pa.cvolume_avg(&channels)) / Double(PA_VOLUME_NORM)
  }
}

extension OtherAudio {
  init(_ others: [PulseSinkInput]) {
    self.init(
      isPlaying: others.contains(where: \.isAudio), isPrimary: others.contains(where: \.isPrimary),
      caller: others.lazy.filter(\.isCall).compactMap(\.application).first)
  }
}
