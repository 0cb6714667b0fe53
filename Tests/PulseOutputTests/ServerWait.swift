import Glibc
import SoundServerSupport

/// The time for which a server, and the threads that read its messages, have waited for a processor since a moment.
final class ServerWait {
  private let server: SoundServer
  private var starvation = Starvation()
  private var before = 0.0

  /// From now on.
  init(_ server: SoundServer) {
    self.server = server
    before = seconds
  }

  /// So far.
  var seconds: Double {
    starvation.note(server.process.id)
    starvation.note(getpid(), threads: ["pulse"])
    return starvation.seconds - before
  }
}
