import AudioModel
import Testing
import Threads

struct WorkerTests {
  /// Numbers are answered with their doubles once the gate is open. 0 tells that the work has begun.
  private func answers(order: Worker<Int, Int>.Order, to requests: [Int]) -> [Int] {
    let (begun, gate) = (Mailbox<Void>(), Mailbox<Void>())
    let worker = Worker<Int, Int>(named: "doubles", order: order, ring: {}) {
      { number, post in
        if number == 0 {
          begun.post(())
          _ = gate.take(until: nil)
        }
        post(2 * number)
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
    let worker = Worker<Int, Int>(named: "rows", order: .newestFirst, ring: {}) {
      { number, post in
        begun.post(number)
        _ = gate.take(until: nil)
        post(number)
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
    let worker = Worker<Int, [Int]>(named: "sums", ring: { rings.post(()) }) {
      var sum = 0
      return { number, post in
        sum += number
        for _ in 0..<number { post([sum]) }
      }
    }
    for number in [1, 2, 0, 3] { worker.request(number) }
    worker.settle(within: .seconds(60))
    #expect(worker.take() == [[1], [3], [3], [6], [6], [6]])
    #expect(rings.take(until: .zero).count == 6)
  }

  @Test func `without a request there is no thread, and nothing to wait for`() {
    let made = Mailbox<Void>()
    let worker = Worker<Int, Int>(named: "never", ring: {}) {
      made.post(())
      return { _, _ in }
    }
    worker.settle(within: .seconds(60))
    #expect(made.isEmpty)
    worker.start()
    worker.settle(within: .seconds(60))
    #expect(!made.isEmpty)
  }
}
