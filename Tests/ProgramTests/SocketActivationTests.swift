import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// A supervisor listens at the player's sockets, and starts it for the first client.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn) struct `Sockets of a supervisor` {
  private let folder: TemporaryFolder

  private var environment: [String: String?] {
    [
      "XDG_RUNTIME_DIR": folder("run"), "SEGUE_HOME": folder("home"), "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
      "LC_ALL": "C.UTF-8",
    ]
  }

  private var words: [String] {
    [Program.path, "--no-ui", "--output", "null", "--repeat", "all", fixture("e2-44100-cbr160.mp3")]
  }

  init() throws {
    folder = try TemporaryFolder()
    for name in ["run", "run/segue"] { mkdir(folder(name), 0o700) }
  }

  /// Listens, connects a client, and becomes the player: the client has been waiting when it starts. One socket is not
  /// the player's, one is no stream, and the process that gets the sockets may be another one.
  private func launch(isAddressed: Bool = true) throws -> ChildProcess {
    let program = """
      import fcntl, os, socket, sys
      folder, process, words = sys.argv[1], sys.argv[2], sys.argv[3:]
      kinds = {'control': socket.SOCK_STREAM, 'mpd': socket.SOCK_STREAM, 'cmus': socket.SOCK_SEQPACKET,
          'other': socket.SOCK_STREAM}
      places = []
      for name, kind in kinds.items():
          s = socket.socket(socket.AF_UNIX, kind); s.bind(f'{folder}/{name}'); s.listen(8)
          places.append(fcntl.fcntl(s.detach(), fcntl.F_DUPFD, 100))
      if os.fork() == 0:
          client = socket.socket(socket.AF_UNIX); client.connect(f'{folder}/control')
          for number in [*range(3, client.fileno()), *places]:
              try: os.close(number)
              except OSError: pass
          f = client.makefile('rwb'); f.write(b'version\\n'); f.flush()
          f.readline(); open(f'{folder}/answer', 'wb').write(f.readline())
          os._exit(0)
      for number, place in enumerate(places):
          os.dup2(place, 3 + number); os.close(place)
      os.environ.update(LISTEN_PID=process or str(os.getpid()), LISTEN_FDS='4', LISTEN_FDNAMES='a:b:c:d')
      os.execv(words[0], words)
      """
    return try ChildProcess(
      ["python3", "-c", program, folder("run/segue"), isAddressed ? "" : "1"] + words, environment: environment,
      errors: folder("errors"))
  }

  private func ctl(_ arguments: String...) throws -> String {
    try output(ofClient: [Program.path, "ctl"] + arguments, environment, withErrors: true)
  }

  private func mpc(_ arguments: String...) throws -> String {
    try output(
      ofClient: ["mpc"] + arguments, environment.merging(["MPD_HOST": folder("run/segue/mpd")]) { $1 },
      withErrors: true)
  }

  @Test func `the player serves clients that have waited, and leaves the sockets to their owner`() throws {
    let player = try launch()
    #expect(
      eventually { String(decoding: contents(of: folder("run/segue/answer")), as: UTF8.self).contains("\"pid\":") })
    #expect(try ctl("version").contains("\"pid\":\(player.id)"))
    #expect(try mpc("volume", "30").contains("volume: 30%"))
    #expect(access(folder("run/segue/control.\(player.id)"), F_OK) != 0)
    _ = try ctl("quit")
    #expect(player.wait() == 0)
    for name in ["control", "mpd"] { #expect(access(folder("run/segue/\(name)"), F_OK) == 0, "\(name)") }
  }

  @Test func `sockets for another process are not taken`() throws {
    let player = try launch(isAddressed: false)
    // Nobody serves the first name: its owner has a connection, but no answer.
    #expect(eventually { access(folder("run/segue/control.\(player.id)"), F_OK) == 0 })
    #expect(access(folder("run/segue/answer"), F_OK) != 0)
    player.end()
  }

  @Test(.enabled(if: access("/usr/bin/systemd-socket-activate", X_OK) == 0, "no systemd-socket-activate"))
  func `systemd starts the player for its first client`() throws {
    let sockets = ["control", "mpd"].flatMap { ["-l", folder("run/segue/\($0)")] }
    // It gives the player no other variables.
    let variables = environment.flatMap { name, value in ["-E", "\(name)=\(value ?? "")"] }
    let supervisor = try ChildProcess(
      ["systemd-socket-activate"] + variables + sockets + words, environment: environment, errors: folder("errors"))
    #expect(eventually { isListening(folder("run/segue/mpd")) })
    #expect(try mpc("volume", "40").contains("volume: 40%"))
    #expect(try ctl("status", "--json").contains("\"volume\":40"))
    _ = try ctl("quit")
    supervisor.end()
  }
}

/// True if someone listens at a Unix socket, whose file is there a moment earlier. To connect would be a first client.
private func isListening(_ path: String) -> Bool {
  // Number, references, protocol, flags (__SO_ACCEPTCON), type, state, node, path.
  String(decoding: contents(of: "/proc/net/unix"), as: UTF8.self).split(separator: "\n").contains { line in
    let fields = line.split(separator: " ")
    return fields.count == 8 && fields[3] == "00010000" && fields[7] == path
  }
}
