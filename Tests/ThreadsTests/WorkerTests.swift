import AudioModel
import Testing
import Threads

struct WorkerTests {
  /// Numbers are answered with their doubles once the gate is open. 0 tells that the work has begun.
  private func answers(order: Worker<Int, Int>.Order, to requests: [Int]) -> [Int] {
    let (begun, gate) = (Mailbox<Void>(), Mailbox<Void>())
    let worker = Worker<Int, Int>(named: "doubles", order: order, ring: {}) { worker in
      .init { number in
        if number == 0 {
          begun.post(())
          _ = gate.take(until: nil)
        }
        worker.post(2 * number)
      }
    }
    worker.request(0)
    _ = begun.take(until: nil)
    for request in requests { worker.request(request) }
    gate.post(())
    worker.settle(within: .seconds(60))
    let answers = worker.take()
    #expect(worker.take().isEmpty)
    return answers
  }

  @Test func `all requests are performed as asked`() {
    #expect(answers(order: .asAsked, to: [1, 2, 3]) == [0, 2, 4, 6])
  }

  @Test func `of those that wait the newest counts`() {
    #expect(answers(order: .onlyNewest, to: [1, 2, 3]) == [0, 6])
  }

  @Test func `those that came last go first, in their order`() {
    let (begun, gate) = (Mailbox<Int>(), Mailbox<Void>())
    let worker = Worker<Int, Int>(named: "rows", order: .newestFirst, ring: {}) { worker in
      .init { number in
        begun.post(number)
        _ = gate.take(until: nil)
        worker.post(number)
      }
    }
    worker.request(0)
    for more in [[1, 2], [3, 4], [], [], []] {
      // While one is performed.
      _ = begun.take(until: nil)
      for number in more { worker.request(number) }
      gate.post(())
    }
    worker.settle(within: .seconds(60))
    #expect(worker.take() == [0, 1, 3, 4, 2])
  }

  @Test func `an answer rings, several answers to one request are all there, and state stays on the thread`() {
    let rings = Mailbox<Void>()
    let worker = Worker<Int, [Int]>(named: "sums", ring: { rings.post(()) }) { worker in
      var sum = 0
      return .init { number in
        sum += number
        for _ in 0..<number { worker.post([sum]) }
      }
    }
    for number in [1, 2, 0, 3] { worker.request(number) }
    worker.settle(within: .seconds(60))
    #expect(worker.take() == [[1], [3], [3], [6], [6], [6]])
    #expect(rings.take(until: .zero).count == 6)
  }

  @Test func `without a request there is no thread, and nothing to wait for`() {
    let made = Mailbox<Void>()
    let worker = Worker<Int, Int>(named: "never", ring: {}) { _ in
      made.post(())
      return .init { _ in }
    }
    worker.settle(within: .seconds(60))
    #expect(made.isEmpty)
    worker.start()
    worker.settle(within: .seconds(60))
    #expect(!made.isEmpty)
  }

  @Test func `of those that wait a function chooses`() {
    #expect(
      answers(order: .chosen { $0.filter { $0 == 0 || !$0.isMultiple(of: 2) } }, to: [1, 2, 3]).suffix(2) == [2, 6])
  }

  @Test func `work for the time without requests is done after a pause, as often as it says`() {
    let idle = Mailbox<Int>()
    let worker = Worker<Int, Int>(named: "idle", ring: {}) { worker in
      var count = 0
      return .init(
        pause: .milliseconds(1),
        idle: {
          count += 1
          idle.post(count)
          return count.isMultiple(of: 3) ? nil : .now
        }
      ) { worker.post($0) }
    }
    worker.request(1)
    var seen: [Int] = []
    while seen.count < 3 { seen += idle.take(until: nil) }
    worker.settle(within: .seconds(60))
    #expect(seen == [1, 2, 3] && idle.isEmpty && worker.take() == [1])
    worker.request(2)
    while seen.count < 6 { seen += idle.take(until: nil) }
    #expect(seen == [1, 2, 3, 4, 5, 6])
  }

  @Test func `it is not settled before the job says so, and a request that was put back comes first`() {
    let isOpen = Guarded(false)
    let worker = Worker<Int, Int>(named: "long", ring: {}) { worker in
      var hasPutBack = false
      return .init(isSettled: { isOpen.withLock { $0 } }) { number in
        if number == 1, !hasPutBack {
          hasPutBack = true
          worker.putBack(number)
          return
        }
        worker.post(number)
        if number == 99 { isOpen.withLock { $0 = true } }
      }
    }
    for number in [1, 2, 3] { worker.request(number) }
    #expect(!worker.settle(within: .milliseconds(50)))
    worker.request(99)
    worker.settle(within: .seconds(60))
    #expect(worker.take() == [1, 2, 3, 99])
  }
}
