import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// The machine goes to sleep, as logind announces on a private system bus.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn) struct `Sleep of the machine` {
  private func play(_ folder: TemporaryFolder, bus: String?, server: SoundServer? = nil) throws -> ChildProcess {
    try ChildProcess(
      [Program.path, "--no-ui", "--events", folder("events")] + (server == nil ? ["--output", "null"] : [])
        + [fixture("vbr-60s.mp3")],
      environment: (server?.environment ?? [:]).merging(["DBUS_SYSTEM_BUS_ADDRESS": bus]) { $1 })
  }

  /// A bus with a logind; when the machine sleeps, `command` writes the file `asleep`.
  private func startBus(
    _ folder: TemporaryFolder, command: [String] = ["true"], environment: [String: String?] = [:]
  ) throws -> (address: String, bus: ChildProcess, logind: ChildProcess) {
    let bus = try PrivateBus(in: folder)
    return (bus.address, bus.daemon, try bus.startLogind(command: command, environment: environment))
  }

  private func waitFor(_ summary: String, _ folder: TemporaryFolder) -> Bool {
    eventually { lastState(folder)?.summary == summary }
  }

  /// Lets logind announce sleep (SIGUSR1) or its end (SIGUSR2) until a condition holds: the player listens some time
  /// after its start, and signals that wait for a busy logind may overtake each other.
  private func announce(_ number: Int32, _ logind: ChildProcess, until condition: () -> Bool) -> Bool {
    eventually {
      logind.signal(number)
      usleep(50_000)
      return condition()
    }
  }

  private func lastState(_ folder: TemporaryFolder) -> Event? {
    Event.all(in: folder("events")).last { $0.name == "state" }
  }

  @Test func `playback pauses before it, and resumes afterwards at the same place`() throws {
    let folder = try TemporaryFolder()
    let (address, bus, logind) = try startBus(folder)
    let player = try play(folder, bus: address)
    #expect(waitFor("playing", folder))
    #expect(announce(SIGUSR1, logind) { lastState(folder)?.summary == "paused suspended" })
    let paused = try #require(lastState(folder))
    usleep(200_000)
    #expect(announce(SIGUSR2, logind) { lastState(folder)?.summary == "playing" })
    // It plays by the time of this event, on a busy machine for some time: but not since the pause.
    let resumed = try #require(lastState(folder))
    let played = try #require(resumed.position) - #require(paused.position)
    let span = try #require(resumed.time) - #require(paused.time)
    #expect(played >= 0 && played < span - 0.15, "\(played) of \(span)")
    // A fake logind is ignored.
    let signal = ["dbus-send", "--bus=\(address)", "--type=signal", "/org/freedesktop/login1"]
    let liar = try ChildProcess(signal + ["org.freedesktop.login1.Manager.PrepareForSleep", "boolean:true"])
    #expect(liar.wait() == 0)
    usleep(300_000)
    #expect(lastState(folder)?.summary == "playing")
    // A bus that ends is no reason to end.
    bus.end()
    usleep(200_000)
    #expect(!player.isOver)
    player.signal(SIGTERM)
    #expect(player.wait() == 4)
  }

  @Test func `the machine waits until the sound server has been silenced, and every time`() throws {
    let folder = try TemporaryFolder()
    let server = try SoundServer()
    // A pactl whose server ends meanwhile takes a processor for ever.
    let (address, bus, logind) = try startBus(
      folder, command: ["timeout", "60", "pactl", "list", "sink-inputs"], environment: server.environment)
    let player = try play(folder, bus: address, server: server)
    #expect(waitFor("playing", folder))
    var starvation = Starvation()
    func waited() -> Double {
      starvation.note(player.id, threads: ["feeder", "pulse"])
      starvation.note(server.process.id)
      return starvation.seconds
    }
    for round in 0..<2 {
      unlink(folder("asleep"))
      let before = waited()
      #expect(announce(SIGUSR1, logind) { access(folder("asleep"), F_OK) == 0 }, "\(round)")
      let inputs = String(decoding: contents(of: folder("asleep")), as: UTF8.self)
      // After a second the player lets the machine sleep, whether or not a busy server has obeyed.
      let isSilent = inputs.contains("Corked: yes") && !inputs.contains("Corked: no")
      #expect(isSilent || waited() - before > 0.5, "\(round): \(inputs)")
      #expect(announce(SIGUSR2, logind) { lastState(folder)?.summary == "playing" }, "\(round)")
    }
    player.signal(SIGTERM)
    #expect(player.wait() == 4)
    bus.end()
  }

  @Test(arguments: ["unix:path=/nowhere/at/all", "nonsense", nil])
  func `without a bus it plays`(bus: String?) throws {
    let folder = try TemporaryFolder()
    let player = try play(folder, bus: bus)
    #expect(waitFor("playing", folder))
    usleep(200_000)
    player.signal(SIGTERM)
    #expect(player.wait() == 4)
  }
}
