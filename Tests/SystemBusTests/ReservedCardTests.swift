import Glibc
import SoundServerSupport
import SystemBus
import Testing
import Threads

/// Each test is a process of its own, because libdbus reads the address of a bus once.
@Suite struct `A card that is asked for on the session bus` {
  @Test func `it goes to the first, and to whom needs it more`() async {
    await #expect(processExitsWith: .success) {
      let daemon = try PrivateBus(in: try TemporaryFolder())
      setenv("DBUS_SESSION_BUS_ADDRESS", daemon.address, 1)
      var card: ReservedCard? = try granted(3)
      #expect(card?.isWanted == false)
      // Other cards are other names.
      _ = try granted(4)
      let name = try call(
        "org.freedesktop.DBus.Properties.Get", "string:org.freedesktop.ReserveDevice1", "string:ApplicationName")
      #expect(try answer(of: name, card).contains("string \"segue\""))
      let all = try call("org.freedesktop.DBus.Properties.GetAll", "string:org.freedesktop.ReserveDevice1")
      #expect(try answer(of: all, card).contains("int32 10"))
      let weak = try call("org.freedesktop.ReserveDevice1.RequestRelease", "int32:0")
      #expect(try answer(of: weak, card).contains("boolean false") && card?.isWanted == false)
      let strong = try call("org.freedesktop.ReserveDevice1.RequestRelease", "int32:20")
      #expect(waitUntil { card?.isWanted == true })
      #expect(!strong.isOver)
      card = nil
      #expect(try answer(of: strong, nil).contains("boolean true"))
      _ = try granted(3)
    }
  }

  @Test(arguments: [10, 11]) func `whoever has it decides by the priority`(priority: Int32) async {
    await #expect(processExitsWith: .success) { [priority] in
      let daemon = try PrivateBus(in: try TemporaryFolder())
      setenv("DBUS_SESSION_BUS_ADDRESS", daemon.address, 1)
      var owner: ReservedCard? = try granted(3)
      let outcome = Guarded<Bool?>(nil)
      let asker = WorkerThread(named: "asker") {
        let answer = ReservedCard.ask(card: 3, application: "another", priority: priority)
        outcome.withLock { if case .granted = answer { $0 = true } else { $0 = false } }
      }
      #expect(
        waitUntil {
          if owner?.isWanted == true { owner = nil }
          return outcome.withLock { $0 != nil }
        })
      asker.join()
      #expect(outcome.withLock { $0 } == (priority > 10))
    }
  }

  @Test func `without a bus there is nobody to ask`() async {
    await #expect(processExitsWith: .success) {
      setenv("DBUS_SESSION_BUS_ADDRESS", "autolaunch:", 1)
      var isAsked = true
      if case .withoutBus = ReservedCard.ask(card: 0, application: "segue") { isAsked = false }
      #expect(!isAsked)
    }
  }
}

private struct NotGranted: Error {}

private func granted(_ card: Int32) throws -> ReservedCard {
  guard case .granted(let reserved) = ReservedCard.ask(card: card, application: "segue") else { throw NotGranted() }
  return reserved
}

private func call(_ member: String, _ arguments: String...) throws -> ChildProcess {
  try ChildProcess(
    [
      "dbus-send", "--session", "--print-reply", "--reply-timeout=120000",
      "--dest=org.freedesktop.ReserveDevice1.Audio3",
      "/org/freedesktop/ReserveDevice1/Audio3", member,
    ] + arguments, output: .collected)
}

/// Looks at the bus until a caller has ended. Returns the caller's output.
private func answer(of caller: ChildProcess, _ card: ReservedCard?) throws -> String {
  #expect(
    waitUntil {
      _ = card?.isWanted
      return caller.isOver
    })
  var bytes: [UInt8] = []
  while case let more = caller.read(), !more.isEmpty { bytes += more }
  return String(decoding: bytes, as: UTF8.self)
}
