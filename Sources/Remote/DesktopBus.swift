internal import Commands
internal import Glibc
internal import Playback
internal import Player
internal import RemoteProtocols
internal import SystemBus
internal import Threads

/// The player on the session bus: an object for media keys and applets, and the notification of the current track.
///
/// Main thread.
final class DesktopBus {
  private unowned let session: PlayerSession
  private let bus: SessionBus
  private var mpris = MPRIS()
  private var notifier = TrackNotifier()
  /// The number of the notifier's call that waits for its reply.
  private var asked: UInt32?
  /// True if the signals about notifications are taken.
  private var isFollowing = false

  /// - Parameter ring: Called on another thread when the connection is there.
  init(_ session: PlayerSession, ring: @escaping @Sendable () -> Void) {
    self.session = session
    bus = SessionBus(
      names: [MPRIS.busName, MPRIS.busName + ".instance\(getpid())"], path: MPRIS.objectPath, ring: ring)
  }

  var isConnected: Bool { bus.isConnected }

  var polled: pollfd { bus.polled }

  /// Takes a connection that has been made; true if there is one since this call.
  func takeConnection() -> Bool { bus.takeConnection() }

  /// Serves what has arrived.
  func handle(_ player: () -> PlayerSnapshot) {
    for (call, request) in bus.handle() {
      switch mpris.handle(call, player()) {
      case .reply(let reply): bus.reply(reply, to: request)
      case .perform(let commands): perform(commands[...], for: call, request)
      }
    }
    for news in bus.takeNews() {
      switch news {
      case .reply(let reply, let number) where number == asked:
        asked = nil
        notifier.take(reply)
      case .reply: break
      case .signal(let signal): if let command = notifier.handle(signal) { session.perform(command) }
      }
    }
  }

  /// Performs one command after the other, and replies when the last one took effect.
  private func perform(_ commands: ArraySlice<Command>, for call: BusCall, _ request: SessionBus.Request) {
    guard let first = commands.first else { return bus.reply(.values([]), to: request) }
    session.perform(first) { [weak self] answer in
      if case .refused(let reason) = answer, call.member == "OpenUri" {
        self?.bus.reply(.error("org.freedesktop.DBus.Error.Failed", reason), to: request)
      } else {
        self?.perform(commands.dropFirst(), for: call, request)
      }
    }
  }

  /// Sends what was said last, and removes the notification, without waiting for the bus.
  func close() {
    if let call = notifier.removal { _ = bus.ask(call, of: TrackNotifier.service) }
    _ = bus.handle()
  }

  /// Tells all who follow what has changed.
  func report(_ player: PlayerSnapshot, hasSeeked: Bool) {
    guard bus.isConnected else { return }
    for signal in mpris.signals(player, hasSeeked: hasSeeked) { bus.emit(signal) }
  }

  /// Shows the track whose cover is known on the desktop, if the setting wants that.
  func notify(_ player: PlayerSnapshot) {
    guard bus.isConnected, let call = notifier.call(player, at: .now) else { return }
    if !isFollowing { bus.follow(TrackNotifier.signals) }
    isFollowing = true
    asked = bus.ask(call, of: TrackNotifier.service)
  }
}
