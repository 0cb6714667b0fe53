import AudioModel
import Glibc
import RemoteProtocols
import SoundServerSupport
import SystemBus
import Testing
import Threads

/// Each test is a process of its own, because libdbus reads the address of a bus once.
@Suite struct `The object on the session bus` {
  @Test func `it takes the first free name, answers calls, and survives the end of the bus`() async {
    await #expect(processExitsWith: .success) {
      let daemon = try PrivateBus(in: try TemporaryFolder())
      setenv("DBUS_SESSION_BUS_ADDRESS", daemon.address, 1)
      let first = try connected()
      let second = try connected()
      for (bus, name) in [(first, "segue.first"), (second, "segue.second")] {
        let caller = try call(name, "int32:-2", "string:grüß", "variant:double:0.5", "array:int32:1")
        let (call, request) = try nextCall(bus)
        #expect(call.path == "/caller/object" && call.interface == "segue.Test" && call.member == "Ask")
        #expect(call.arguments == [.int32(-2), .string("grüß"), .variant(.double(0.5)), nil])
        bus.reply(.values([.strings(["a", "b"]), .dictionary([("key", .int64(7))])]), to: request)
        let answer = try end(of: caller, while: bus)
        #expect(answer.status == 0)
        #expect(answer.text.contains("string \"a\"") && answer.text.contains("int64 7"), "\(answer.text)")
      }
      let refused = try call("segue.first")
      first.reply(.error("segue.Error.No", "not now"), to: try nextCall(first).request)
      #expect(try end(of: refused, while: first).status != 0)
      daemon.daemon.end()
      #expect(waitUntil { first.handle().isEmpty && !first.isConnected })
      #expect(first.polled.fd == -1)
      #expect(first.handle().isEmpty && !first.takeConnection())
    }
  }

  @Test func `without a bus nothing happens`() async {
    await #expect(processExitsWith: .success) {
      setenv("DBUS_SESSION_BUS_ADDRESS", "autolaunch:", 1)
      let bus = SessionBus(names: ["segue.first"], path: "/segue") { Issue.record("connected") }
      #expect(!bus.takeConnection() && !bus.isConnected)
      #expect(bus.polled.fd == -1 && bus.handle().isEmpty)
    }
  }
}

private struct NoCall: Error {}

private func connected() throws -> SessionBus {
  let bell = Mailbox<Void>()
  let bus = SessionBus(names: ["segue.first", "segue.second"], path: "/segue") { bell.post(()) }
  try #require(!bell.take(until: .now + .seconds(60)).isEmpty)
  #expect(bus.takeConnection() && bus.isConnected)
  return bus
}

private func call(_ name: String, _ arguments: String...) throws -> ChildProcess {
  try ChildProcess(
    [
      "dbus-send", "--session", "--print-reply", "--reply-timeout=120000", "--dest=\(name)", "/caller/object",
      "segue.Test.Ask",
    ] + arguments, output: .collected)
}

/// Polls until a call arrives.
private func nextCall(_ bus: SessionBus) throws -> (call: BusCall, request: SessionBus.Request) {
  var found: (call: BusCall, request: SessionBus.Request)?
  _ = waitUntil {
    var polled = bus.polled
    if poll(&polled, 1, 20) > 0 { found = bus.handle().first }
    return found != nil
  }
  guard let found else { throw NoCall() }
  return found
}

/// Serves the bus until a caller has ended.
private func end(of caller: ChildProcess, while bus: SessionBus) throws -> (status: Int32, text: String) {
  let isOver = waitUntil {
    _ = bus.handle()
    return caller.isOver
  }
  #expect(isOver)
  var bytes: [UInt8] = []
  while case let more = caller.read(), !more.isEmpty { bytes += more }
  return (caller.wait(), String(decoding: bytes, as: UTF8.self))
}
