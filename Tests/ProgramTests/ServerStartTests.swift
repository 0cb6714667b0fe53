import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// Without a sound server libpulse starts one (`autospawn` in pulse-client.conf(5)), which may take some time.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn)
struct `Starting the sound server` {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    // Ends when the server answers, as a real one does: its socket refuses clients between bind(2) and listen(2).
    let daemon = """
      touch \(folder("asked"))
      until [ -e \(folder("go")) ]; do sleep 0.02; done
      pulseaudio -n --daemonize=no --exit-idle-time=60 --log-target=file:\(folder("log")) \
        --load='module-null-sink sink_name=null0 rate=44100 norewinds=1' --load=module-native-protocol-unix &
      until PULSE_SERVER=unix:\(folder("pulse/native")) pactl info > /dev/null 2>&1; do sleep 0.02; done
      """
    try write(script: daemon, to: folder("daemon"))
    try write("autospawn = yes\ndaemon-binary = \(folder("daemon"))\n".utf8, to: folder("client.conf"))
    try install(Program.path, as: folder("segue"))
    try write(contents(of: fixture("e2-44100-cbr160.mp3")), to: folder("track.mp3"))
  }

  @Test func `meanwhile the player obeys; then it plays`() throws {
    var command = [folder("segue"), "--no-ui", "--events", folder("events"), folder("track.mp3")]
    if geteuid() == 0 {
      // libpulse starts none for root.
      try #require(try ChildProcess(["chown", "-R", "65534:65534", folder.path]).wait() == 0)
      command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] + command
    }
    let environment: [String: String?] = [
      "XDG_RUNTIME_DIR": folder.path, "HOME": folder.path, "PULSE_CLIENTCONFIG": folder("client.conf"),
      "PULSE_SERVER": nil, "XDG_CONFIG_HOME": nil, "DBUS_SESSION_BUS_ADDRESS": nil, "DISPLAY": nil,
    ]
    let player = try ChildProcess(command, environment: environment, errors: folder("errors"))
    func waitFor(_ state: String, at place: SourceLocation = #_sourceLocation) {
      let events = { Event.all(in: folder("events")) }
      let isThere = eventually { events().last { $0.name == "state" }?.summary == state }
      let log = { (name: String) in String(decoding: contents(of: folder(name)), as: UTF8.self) }
      #expect(isThere, "\(state): \(events()) \(log("errors")) \(log("log"))", sourceLocation: place)
    }
    #expect(eventually { access(folder("asked"), F_OK) == 0 })
    waitFor("waiting starting")
    player.signal(SIGUSR1)
    waitFor("paused interruption")
    player.signal(SIGUSR2)
    waitFor("waiting starting")
    try write([], to: folder("go"))
    waitFor("playing")
    player.signal(SIGTERM)
    #expect(player.wait() == 4)
    #expect(contents(of: folder("errors")).isEmpty)
  }
}
