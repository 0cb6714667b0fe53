public import AudioModel
public import AudioOutput
internal import CALSA
internal import Threads

/// Sound through the kernel's drivers (ALSA), for machines without a sound server. One stream plays at a time.
///
/// Safety: stored variables are used only under the monitor, which its streams share.
public final class ALSAOutput: AudioOutput, @unchecked Sendable {
  let monitor = Monitor()
  /// Each thread of a stream calls it before all else.
  let threadBegins: @Sendable () -> Void
  /// After a pause of this length the card is given back.
  let longPause: TimeSpan
  private let reserve: @Sendable (_ card: Int32) -> CardAnswer
  /// The device of the command line; `nil` for the first one of the first card.
  private let standard: String?
  private var chosen: String?
  private var volume = 1.0
  private var isMuted = false
  /// The stream that has the device, or opens it, and the one that waits for it.
  private var holder: ALSAStream?
  private var next: ALSAStream?
  private var reservation: (any CardReservation)?

  /// An output on a device of ALSA, such as `hw:CARD=PCH,DEV=0`.
  ///
  /// - Parameters:
  ///   - device: `nil`: the first device of the first card.
  ///   - longPause: The time after which a paused player gives the card back.
  ///   - threadBegins: Called at the start of each thread.
  ///   - reserve: Asks other programs for a card, by its number.
  public init(
    device: String? = nil, longPause: TimeSpan = .seconds(10), threadBegins: @escaping @Sendable () -> Void = {},
    reserve: @escaping @Sendable (_ card: Int32) -> CardAnswer = { _ in .unknown }
  ) {
    (standard, self.longPause, self.threadBegins, self.reserve) = (device, longPause, threadBegins, reserve)
  }

  /// Streams play one after another: a device has one rate and format.
  public var mixes: Bool { false }

  /// Opens a stream. The device is opened when the stream has frames and is resumed.
  public func openStream(
    _ format: PCMFormat, buffering: AudioOutputBuffering, source: any AudioOutputSource
  ) -> any AudioOutputStream {
    ALSAStream(format: format, seconds: buffering.seconds, source: source, output: self)
  }

  /// Multiplies the samples, by the scale of sound servers: 20 dB are a factor of 0.46. At 1 they stay as they are.
  public func setVolume(_ volume: Double, isMuted: Bool) {
    monitor.locked {
      let before = gain
      (self.volume, self.isMuted) = (volume.isNaN ? 1 : max(0, min(1, volume)), isMuted)
      if gain != before { holder?.changeGain() }
    }
  }

  /// Does nothing.
  public func setTrack(title: String?, artist: String?) {}

  /// The cards' devices, and the one of the command line.
  public var devices: AudioDevices? {
    let cards = SoundCards.present()
    var routes = cards.devices.map { AudioRoute(device: $0.name, description: $0.description) }
    if let standard, !routes.contains(where: { $0.device == standard }) {
      routes.insert(AudioRoute(device: standard, description: standard), at: 0)
    }
    return AudioDevices(routes, standard: standard ?? cards.devices.first?.name)
  }

  /// Playing continues on the device with the frame that is heard.
  public func setDevice(_ name: String?) {
    monitor.locked {
      guard name != chosen else { return }
      chosen = name
      holder?.changeDevice()
    }
  }

  /// The library, after an attempt to load it. Any thread.
  public static var library: SharedLibrary { SharedLibrary(SEGUE_ALSA, functions: libasound) }

  // MARK: Streams, under the monitor

  var gain: Double { isMuted ? 0 : volume * volume * volume }

  /// True if the stream may open the device; else it is woken when it may.
  func take(for stream: ALSAStream) -> Bool {
    if let holder, holder !== stream {
      next = stream
      return false
    }
    holder = stream
    return true
  }

  /// The stream has no device any more.
  func giveBack(_ stream: ALSAStream) {
    if next === stream { next = nil }
    guard holder === stream else { return }
    (holder, reservation) = (nil, nil)
    next?.wake()
    next = nil
  }

  func keep(_ reservation: (any CardReservation)?) { self.reservation = reservation }

  /// True if another program is to get the card of this stream.
  func isWanted(by stream: ALSAStream) -> Bool { holder === stream && reservation?.isWanted == true }

  // MARK: Devices

  typealias Opened = (device: ALSADevice, route: AudioRoute, reservation: (any CardReservation)?)

  /// Asks for the card and opens the device. Not under the monitor: both may take a moment.
  func open(_ format: PCMFormat, seconds: Double) -> Result<Opened, AudioOutputError> {
    let cards = SoundCards.present()
    let wanted = monitor.locked { chosen }
    let isThere = wanted.map { name in cards.devices.contains { $0.name == name } } ?? false
    guard let name = isThere ? wanted : standard ?? cards.devices.first?.name else {
      return .failure(AudioOutputError(.noDevice, detail: "this machine has no sound card to play on"))
    }
    var reservation: (any CardReservation)?
    if let card = cards.card(ofDevice: name) {
      switch reserve(card) {
      case .granted(let granted): reservation = granted
      case .refused:
        return .failure(
          AudioOutputError(.streamNotOpened, detail: "another program keeps the sound card \(name); retrying"))
      case .unknown: break
      }
    }
    do throws(AudioOutputError) {
      let device = try ALSADevice(name, for: format, bufferSeconds: seconds)
      let description = cards.devices.first { $0.name == name }?.description ?? name
      let route = AudioRoute(device: name, description: description, channelCount: nil, changes: device.changes)
      return .success((device, route, reservation))
    } catch { return .failure(error) }
  }
}
