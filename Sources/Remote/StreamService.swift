internal import AudioModel
internal import ByteIO
package import Commands
internal import ControlSocket
internal import Encoding
internal import Glibc
package import Playback
package import Player
internal import RemoteProtocols

/// Serves what plays over HTTP while the setting `stream` is on. Main thread; a thread of its own encodes and sends.
///
/// Opens after the first sound, so that it does not delay that.
package final class StreamService: PlayerObserver {
  private unowned let session: PlayerSession
  private let remote: RemoteControl
  private let makeReader: @Sendable () -> SoundReader
  private let ring: @Sendable () -> Void
  private var settings = StreamSettings()
  /// Those of the server.
  private var served = StreamSettings()
  /// True while settings with which there can be no stream are taken back.
  private var isRestoring = false
  private var isOpening: Bool
  /// Has the frames kept from the first sound on, which the device gets before the stream is open.
  private var keeper: SoundReader?
  private var server: StreamServer?

  /// - Parameters:
  ///   - remote: Shows clients the state of the stream.
  ///   - isAboutToPlay: True if the first sound is to come.
  ///   - ring: Wakes the main loop; called on another thread.
  package init(
    session: PlayerSession, remote: RemoteControl, isAboutToPlay: Bool,
    makeReader: @escaping @Sendable () -> SoundReader, ring: @escaping @Sendable () -> Void
  ) {
    (self.session, self.remote, self.makeReader, self.ring) = (session, remote, makeReader, ring)
    isOpening = isAboutToPlay
  }

  package func show(_ settings: Settings) {
    guard settings.stream != self.settings else { return }
    self.settings = settings.stream
    if settings.stream.place == nil { keeper = nil } else { keeper = keeper ?? makeReader() }
    if !isOpening, !isRestoring { open() }
  }

  package func show(_ snapshot: PlaybackSnapshot, _ notices: [PlaybackNotice]) {
    if isOpening, notices.contains(where: Self.endsStart) {
      isOpening = false
      open()
    }
    guard let server else { return }
    server.setTitle(StreamTitle(of: snapshot))
    if let failure = server.failure {
      end()
      session.say("stream is off: \(failure)")
    } else {
      showStatus()
    }
  }

  /// Opens the stream of the settings, in place of an earlier one. If that cannot be, the earlier one and its settings
  /// stay.
  private func open() {
    guard let refusal = openServer() else { return }
    guard server != nil else { return session.refuse("stream is off: \(refusal)") }
    var former = session.settings
    former.stream = served
    isRestoring = true
    for setting in [Setting.stream, .streamFormat, .streamBitRate, .web] {
      session.perform(.set(setting, former.text(of: setting)))
    }
    isRestoring = false
    session.refuse("the stream stays as it was: \(refusal)")
  }

  /// Returns the reason if there is no stream with the settings. Then an earlier one is still there, if it can be.
  private func openServer() -> String? {
    guard let address = settings.place else {
      end()
      return nil
    }
    guard address.isLoopback || !settings.password.isEmpty else {
      return "\(address) is open to others and needs a password, set stream-password=… in config"
    }
    let library = settings.format.library
    guard library.address != nil else {
      return "\(settings.format.rawValue): \(library.complaint)"
    }
    // Two cannot listen at one port.
    if address.port == served.place?.port { end() }
    do throws(ByteIOError) {
      let listener = try NetworkListener(
        host: address.host, port: address.port, admissionTime: .seconds(10), sendByteCount: 1 << 17)
      end()
      let server = StreamServer(settings, makeReader, ring)
      remote.serve(
        listener, RemoteControl.Web(offer: settings.offer) { server.adopt($0, $1, hasTitles: $2) })
      (self.server, served) = (server, settings)
      let page = settings.hasPage ? ", and a page for browsers" : ""
      if settings.hasPage { session.page = "http://\(address.reached)/" }
      session.say("Serving what plays at http://\(address)/ (\(settings.format.rawValue))\(page)")
      showStatus()
      return nil
    } catch {
      // The sandbox knows the port of the start.
      let advice = error.errno == EACCES ? "; another port is used from the next start on" : ""
      return "cannot \(error.operation) \(address): \(error.reason)\(advice)"
    }
  }

  /// True when the first sound is heard, or none will be.
  private static func endsStart(_ notice: PlaybackNotice) -> Bool {
    if case .state(let state, _, _) = notice { state != .waiting } else { false }
  }

  private func showStatus() {
    let status = served.place.map {
      StreamStatus(address: $0, format: served.format.rawValue, listenerCount: server?.listenerCount ?? 0)
    }
    remote.show(server == nil ? nil : status)
  }

  private func end() {
    close()
    if session.page != nil { session.page = nil }
  }

  /// Ends the stream and its connections.
  package func close() {
    remote.endWeb()
    server?.close()
    server = nil
    remote.show(nil)
  }
}

extension ListenAddress {
  /// The address by which other computers reach it.
  fileprivate var reached: ListenAddress {
    guard host == "0.0.0.0" || host == "::" else { return self }
    var address = self
    address.host = NetworkListener.ownAddress ?? hostName
    return address
  }
}

extension StreamSettings {
  fileprivate var offer: WebRequest.Offer {
    WebRequest.Offer(
      mediaType: format.mediaType, password: password, hostName: hostName,
      bitRate: format == .flac ? nil : bitRate * 1000, hasPage: hasPage)
  }
}

extension StreamTitle {
  /// The title of the track that is heard.
  fileprivate init(of snapshot: PlaybackSnapshot) {
    var player = PlayerSnapshot()
    player.snapshot = snapshot
    let title = player.title ?? snapshot.entry?.location.name ?? ""
    self.init(title: String(title.prefix(300)), artist: String((player.artist ?? "").prefix(300)))
  }
}
