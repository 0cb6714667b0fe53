import AudioModel
import ByteIO
import CGlibcExtras
import Glibc
import Testing
import Threads

@testable import Streaming

/// A pipe as the transfer of a resource.
struct PipeTransferTests {
  /// Collects the end of a transfer.
  private final class Receiver: TransferReceiver {
    let ends = Mailbox<NetworkError?>()
    var isAwaited: Bool { true }
    func transfer(_ id: Int, didReceive head: HTTPResponseHead) -> Bool { true }
    func transfer(_ id: Int, didReceive bytes: UnsafeRawBufferPointer) -> TransferVerdict { .take }
    func transfer(_ id: Int, didEnd error: NetworkError?) { ends.post(error) }
  }

  @Test func `the first transfer gets the bytes, a second one an error`() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe2(&ends, O_CLOEXEC) == 0)
    let transfer = PipeTransfer(descriptor: ends[0])
    let (first, second) = (Receiver(), Receiver())
    let request = TransferRequest(address: WebAddress("-"))
    #expect(transfer.start(request, for: first, at: .zero) == 1)
    #expect(transfer.start(request, for: second, at: .zero) == 2)
    #expect(second.ends.take(until: nil).first??.message == "piped input can be read only once")
    close(ends[1])
    #expect(first.ends.take(until: nil) == [nil])
  }

  @Test(arguments: [0, 20_480])
  func `a pipe is read into memory if the disk is full, at once or later`(room: Int) throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe2(&ends, O_CLOEXEC) == 0)
    let full = try fullDisk(byteCount: room)
    let network = impatientNetwork()
    defer { network.shutDown() }
    let source = network.begin(
      NetworkResource(
        pipe: "-", of: network, transfers: PipeTransfer(descriptor: ends[0]), Spool(descriptor: full),
        byteLimit: 1 << 20))
    let bytes = noise(50_000)
    let rest = Array(bytes.dropFirst(room))
    #expect(write(ends[1], bytes, room) == room)
    expectSame(try source.bytes(count: room), Array(bytes.prefix(room)))
    #expect(write(ends[1], rest, rest.count) == rest.count)
    close(ends[1])
    expectSame(try source.bytes(), bytes)
  }
}
