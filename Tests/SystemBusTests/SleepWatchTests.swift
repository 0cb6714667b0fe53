import AudioModel
import Glibc
import SoundServerSupport
import SystemBus
import Testing
import Threads

/// Each test is a process of its own, because libdbus reads the address of a bus once.
@Suite struct `Sleep of the machine, as logind announces it` {
  @Test func `the machine waits until the listener is done, each time, and the end of the bus ends the watch`() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let bus = try PrivateBus(in: folder)
      let inherited = pipes(of: "self")
      let logind = try bus.startLogind()
      // This process holds an end of a pipe of logind, the delay that it granted.
      let delays = { @Sendable in
        !pipes(of: "self").subtracting(inherited).isDisjoint(with: pipes(of: "\(logind.id)"))
      }
      setenv("DBUS_SYSTEM_BUS_ADDRESS", bus.address, 1)
      let heard = Mailbox<(isSleeping: Bool, isDelaying: Bool)>()
      let watch = SleepWatch { heard.post(($0, delays())) }
      for _ in 0..<2 {
        try #require(waitUntil { delays() })
        unlink(folder("asleep"))
        logind.signal(SIGUSR1)
        let sleep = heard.take(until: .now + .seconds(60))
        #expect(sleep.map(\.isSleeping) == [true])
        #expect(sleep.map(\.isDelaying) == [true], "the listener was called without a delay")
        #expect(waitUntil { access(folder("asleep"), F_OK) == 0 })
        #expect(!delays())
        logind.signal(SIGUSR2)
        #expect(heard.take(until: .now + .seconds(60)).map(\.isSleeping) == [false])
      }
      try #require(waitUntil { delays() })
      bus.daemon.end()
      #expect(waitUntil { !delays() })
      #expect(heard.isEmpty)
      withExtendedLifetime(watch) {}
    }
  }

  @Test func `a sleep that is announced before the delay is granted is heard at once`() async {
    await #expect(processExitsWith: .success) {
      let bus = try PrivateBus(in: try TemporaryFolder())
      let logind = try bus.startLogind(environment: ["SLEEPS_FIRST": ""])
      setenv("DBUS_SYSTEM_BUS_ADDRESS", bus.address, 1)
      let heard = Mailbox<Bool>()
      let watch = SleepWatch { heard.post($0) }
      #expect(heard.take(until: .now + .seconds(60)) == [true])
      withExtendedLifetime((watch, logind)) {}
    }
  }

  @Test func `a bus says whether it has logind`() async {
    await #expect(processExitsWith: .success) {
      let bus = try PrivateBus(in: try TemporaryFolder())
      setenv("DBUS_SYSTEM_BUS_ADDRESS", bus.address, 1)
      #expect(SystemBusState.ask() == .withoutLogind)
      let logind = try bus.startLogind()
      #expect(SystemBusState.ask() == .withLogind)
      logind.end()
      bus.daemon.end()
      #expect(SystemBusState.ask() == .unreachable)
    }
  }
}

private func pipes(of process: String) -> Set<String> {
  var pipes: Set<String> = []
  for descriptor in 0..<256 {
    var buffer = [CChar](repeating: 0, count: 64)
    let count = readlink("/proc/\(process)/fd/\(descriptor)", &buffer, buffer.count)
    let name = String(decoding: buffer[..<max(0, count)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    if name.hasPrefix("pipe:") { pipes.insert(name) }
  }
  return pipes
}
