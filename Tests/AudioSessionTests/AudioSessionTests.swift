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

  @Test func `a film has a role of its own, and modes of calls are refused`() throws {
    var session = AudioSession()
    try session.setCategory(.playback, mode: .moviePlayback)
    #expect(session.mediaRole == "video" && !session.isMixable)
    for mode in [AudioSessionMode.voiceChat, .videoChat, .gameChat, .videoRecording] {
      #expect(throws: AudioSessionError.badParameter) { try session.setCategory(.playback, mode: mode) }
    }
    #expect(session.mode == .moviePlayback)
    try session.setCategory(.playback, mode: .moviePlayback, options: .mixWithOthers)
    #expect(session.mediaRole == "game")
  }

  @Test func `activation without a server is refused, deactivation while sound runs`() throws {
    var session = AudioSession()
    #expect(throws: AudioSessionError.mediaServicesFailed) { try session.setActive(true, hasServer: false) }
    #expect(!session.isActive)
    try session.setActive(true)
    #expect(throws: AudioSessionError.isBusy) { try session.setActive(false, isRunning: true) }
    #expect(session.isActive)
    try session.setActive(false)
    #expect(!session.isActive)
  }

  @Test func `preferences have their ranges, and 0 for none`() throws {
    var session = AudioSession()
    try session.apply(.ioBufferDuration(0.1))
    try session.apply(.sampleRate(48000))
    for request in [
      AudioSessionRequest.ioBufferDuration(0.01), .ioBufferDuration(11), .ioBufferDuration(.nan), .ioBufferDuration(-1),
      .sampleRate(7999), .sampleRate(1e6), .sampleRate(.nan), .sampleRate(.infinity),
    ] { #expect(throws: AudioSessionError.badParameter) { try session.apply(request) } }
    #expect(session.preferredIOBufferDuration == 0.1 && session.preferredSampleRate == 48000)
    try session.apply(.ioBufferDuration(0))
    #expect(session.preferredIOBufferDuration == 0)
  }

  @Test func `an interrupted session is inactive`() throws {
    var session = AudioSession()
    try session.setActive(true)
    session.interrupt()
    #expect(!session.isActive)
  }

  @Test(arguments: [
    (AudioSessionError.isBusy, "!act"), (.unsupportedCategory, "!cat"), (.mediaServicesFailed, "msrv"),
  ])
  func `status codes print as their four characters`(error: AudioSessionError, code: String) {
    #expect(error.code.description == code)
    #expect(error.description.contains(code))
  }

  @Test func `numbers are the published ones`() {
    #expect(InterruptionReason.allCases.map(\.rawValue) == [0, 1, 4])
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
