import AudioModel
import AudioSession
import Testing

struct AudioSessionTests {
  @Test func `a session starts inactive, solo ambient, without options`() {
    let session = AudioSession()
    #expect(session.category == .soloAmbient && session.mode == .default && session.options == [] && !session.isActive)
  }

  @Test(
    arguments: [
      (AudioSessionCategory.ambient, [], true, "game"),
      (.soloAmbient, [], false, "music"),
      (.playback, [], false, "music"),
      (.playback, .mixWithOthers, true, "game"),
      (.playback, .duckOthers, true, "game"),
      (.playback, .interruptSpokenAudioAndMixWithOthers, true, "game"),
      (.multiRoute, .mixWithOthers, true, "game"),
    ] as [(AudioSessionCategory, AudioSessionCategoryOptions, Bool, String)])
  func `a mixable session is not corked by the server`(
    category: AudioSessionCategory, options: AudioSessionCategoryOptions, isMixable: Bool, role: String
  ) throws {
    var session = AudioSession()
    try session.setCategory(category, options: options)
    #expect(session.isMixable == isMixable && session.mediaRole == role)
  }

  @Test func `categories that record are refused, and nothing changes`() throws {
    var session = AudioSession()
    try session.setCategory(.playback, mode: .spokenAudio)
    for category in [AudioSessionCategory.record, .playAndRecord] {
      #expect(throws: AudioSessionError.unsupportedCategory) { try session.setCategory(category) }
    }
    #expect(throws: AudioSessionError.badParameter) { try session.setCategory(.soloAmbient, options: .mixWithOthers) }
    #expect(session.category == .playback && session.mode == .spokenAudio)
  }

  @Test func `a refused activation leaves the session inactive`() throws {
    var session = AudioSession()
    #expect(throws: AudioSessionError.insufficientPriority) {
      try session.activate { () throws(AudioSessionError) in throw .insufficientPriority }
    }
    #expect(!session.isActive)
    try session.activate {}
    #expect(session.isActive)
  }

  @Test func `deactivation is refused while sound runs`() throws {
    var session = AudioSession()
    try session.activate {}
    #expect(throws: AudioSessionError.isBusy) { try session.deactivate(isRunning: true) }
    #expect(session.isActive)
    try session.deactivate(isRunning: false)
    #expect(!session.isActive)
  }

  @Test func `an interrupted session is inactive`() throws {
    var session = AudioSession()
    try session.activate {}
    session.interrupt()
    #expect(!session.isActive)
  }

  @Test(arguments: [
    (AudioSessionError.isBusy, "!act"), (.unsupportedCategory, "!cat"), (.cannotInterruptOthers, "!int"),
    (.cannotStartPlaying, "!pla"), (.insufficientPriority, "!pri"), (.cannotStartRecording, "!rec"),
    (.resourceNotAvailable, "!res"), (.expiredSession, "!ses"), (.sessionNotActive, "inac"),
    (.mediaServicesFailed, "msrv"), (.missingEntitlement, "ent?"), (.siriIsRecording, "siri"), (.unspecified, "what"),
  ])
  func `status codes print as their four characters`(error: AudioSessionError, code: String) {
    #expect(error.code.description == code)
    #expect(error.description.contains(code))
  }

  @Test func `numbers are the published ones`() {
    #expect(InterruptionReason.allCases.map(\.rawValue) == [0, 1, 2, 4])
    #expect(RouteChangeReason.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 6, 7, 8])
    let options: [AudioSessionCategoryOptions] = [
      .mixWithOthers, .duckOthers, .allowBluetooth, .defaultToSpeaker, .interruptSpokenAudioAndMixWithOthers,
      .allowBluetoothA2DP, .allowAirPlay,
    ]
    #expect(options.map(\.rawValue) == [1, 2, 4, 8, 0x11, 0x20, 0x40])
    #expect(AudioSessionMode.allCases.count == 9)
    #expect(
      AudioSessionCategory.allCases.map { $0.code?.description } == ["ambi", "solo", "medi", "reca", "plar", nil])
  }
}
