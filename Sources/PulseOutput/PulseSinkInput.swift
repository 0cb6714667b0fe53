internal import AudioModel
internal import CPulse

/// What the server tells of one of the streams that it plays, ours or another's.
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

  /// Whether music has to be silent for it: a call (module-role-cork's rule). Corked or muted, it does not count.
  var isCall: Bool { role == "phone" && isHeard }

  /// Whether it is other audio; notification sounds are none.
  var isAudio: Bool { isHeard && role != "event" }

  /// Whether it wants to be heard alone.
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
