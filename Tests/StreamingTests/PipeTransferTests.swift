import AudioModel
import ByteIO
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
    try #require(pipe(&ends) == 0)
    let transfer = PipeTransfer(descriptor: ends[0])
    let (first, second) = (Receiver(), Receiver())
    let request = TransferRequest(address: WebAddress("-"))
    #expect(transfer.start(request, for: first, at: .zero) == 1)
    #expect(transfer.start(request, for: second, at: .zero) == 2)
    #expect(second.ends.take(until: nil).first??.message == "piped input can be read only once")
    close(ends[1])
    #expect(first.ends.take(until: nil) == [nil])
  }
}
