import AudioModel
import Testing
import Threads

@Suite struct `Mailboxes` {
  @Test func `messages come in the order of posting, each once`() {
    let mailbox = Mailbox<Int>()
    #expect(mailbox.isEmpty)
    for number in 0..<5 { mailbox.post(number) }
    #expect(!mailbox.isEmpty)
    #expect(mailbox.take(until: nil) == [0, 1, 2, 3, 4])
    #expect(mailbox.isEmpty)
    mailbox.post(5)
    #expect(mailbox.take(until: .zero) == [5])
    #expect(mailbox.take(until: .zero) == [])
  }

  @Test func `messages of several threads all arrive, those of each thread in order`() {
    let mailbox = Mailbox<(thread: Int, number: Int)>()
    let threads = (0..<3).map { thread in
      WorkerThread(named: "sender") { for number in 0..<1000 { mailbox.post((thread, number)) } }
    }
    var numbers: [[Int]] = [[], [], []]
    while numbers.joined().count < 3000 {
      for message in mailbox.take(until: nil) { numbers[message.thread].append(message.number) }
    }
    for thread in threads { thread.join() }
    #expect(numbers.allSatisfy { $0 == Array(0..<1000) })
  }

  @Test(arguments: [nil, MonotonicTime.now + .seconds(3600)])
  func `a message wakes the reader that waits for it, with and without a deadline`(deadline: MonotonicTime?) {
    let (questions, answers) = (Mailbox<Int>(), Mailbox<Int>())
    let reader = WorkerThread(named: "reader") {
      answers.post(0)
      for number in questions.take(until: deadline) { answers.post(number) }
    }
    #expect(answers.take(until: nil) == [0])
    questions.post(1)
    #expect(answers.take(until: nil) == [1])
    reader.join()
  }

  @Test func `a reader without messages waits until its deadline, and not longer`() {
    let mailbox = Mailbox<Int>()
    let deadline = MonotonicTime.now + .milliseconds(20)
    #expect(mailbox.take(until: deadline) == [])
    #expect(MonotonicTime.now >= deadline)
    // A deadline in the past is none to wait for.
    #expect(mailbox.take(until: deadline) == [])
  }
}
