import ByteIO
import Playback
import Testing

@testable import Commands
@testable import Desk

/// The covers of lists beside the one of the current track.
struct SmallCoverTests {
  private func entry(_ id: Int) -> QueueEntry { QueueEntry(id: id, location: .file(BytePath("/none/\(id).mp3"))) }
  private func small(_ names: String...) -> CoverWork.Order {
    .small(.session(request: nil), names.map { BytePath("/none/\($0)") }, side: Inquiry.smallCoverSide)
  }

  private func name(_ order: CoverWork.Order) -> String {
    switch order {
    case .current(_, let entry, side: _): "current \(entry.id)"
    case .small(_, let paths, _): "small \(paths.map(\.lastComponent.description).joined(separator: " "))"
    }
  }

  @Test func `only the newest covers are read, that of the current track first`() {
    let orders: [CoverWork.Order] = [
      small("a"), .current(.session(request: nil), entry(1)), .current(.session(request: nil), entry(2)),
      small("b", "c"),
    ]
    #expect(CoverWork.chosen(orders).map(name) == ["current 2", "small b c"])
    #expect(CoverWork.chosen([]).isEmpty)
  }

  @Test func `covers of a list are read one by one, so that others can come between`() {
    var work = CoverWork()
    let (reply, rest) = work.perform(small("b", "c"))
    #expect(reply?.answer == .smallCover(nil, of: BytePath("/none/b")) && rest.map(name) == "small c")
    #expect(work.perform(small("c")).rest == nil && work.perform(small()).reply == nil)
  }
}
