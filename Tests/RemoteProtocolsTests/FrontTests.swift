import Testing

@testable import RemoteProtocols

/// The process in the terminal, without one.
struct FrontTests {
  static let messages: [FrontMessage] = [
    .offer(variables: ["TERM": "xterm", "LANG": "", "X": "a=b"]), .offer(variables: [:]), .signal(15),
    .continued(inForeground: true), .continued(inForeground: false),
  ]

  @Test(arguments: messages)
  func `messages are words and back`(message: FrontMessage) {
    #expect(FrontMessage(words: message.words) == message)
  }

  @Test(arguments: [.ready, .refused("no"), .stop, .leave(""), .leave("bye"), .end(3)] as [FrontOrder])
  func `orders are words and back`(order: FrontOrder) {
    #expect(FrontOrder(words: order.words) == order)
  }

  @Test(arguments: [[], ["signal"], ["signal", "x"], ["offer", "TERM"], ["end", ""], ["stop", "now"], ["jump"]])
  func `other words are neither`(words: [String]) {
    #expect(FrontMessage(words: words) == nil && FrontOrder(words: words) == nil)
  }

  /// A front whose player has its terminal.
  private var running: FrontMachine {
    var front = FrontMachine()
    #expect(front.handle(.order(.ready)).isEmpty)
    return front
  }

  @Test func `until the player is ready, signals have their usual effect on its process`() {
    var front = FrontMachine()
    #expect(front.isStarting && front.handle(.signal(15)) == [.signalPlayer(15)])
    #expect(front.handle(.order(.stop)).isEmpty)
    #expect(front.handle(.order(.ready)).isEmpty)
    #expect(!front.isStarting && front.handle(.order(.ready)).isEmpty)
    #expect(front.handle(.signal(15)) == [.send(.signal(15))])
  }

  @Test(arguments: [true, false]) func `a player learns of a stop before it was ready`(inForeground: Bool) {
    var front = FrontMachine()
    #expect(front.handle(.continued(inForeground: inForeground)).isEmpty && front.isStarting)
    #expect(front.handle(.order(.ready)) == [.send(.continued(inForeground: inForeground))])
    #expect(front.mustLook == !inForeground && front.handle(.order(.ready)).isEmpty)
  }

  @Test func `a stop is the player's, and it learns where the job goes on`() {
    var front = running
    #expect(front.handle(.signal(20)) == [.send(.signal(20))])
    #expect(front.handle(.order(.stop)) == [.stop])
    #expect(front.handle(.continued(inForeground: true)) == [.send(.continued(inForeground: true))])
    #expect(!front.mustLook && front.handle(.looked(inForeground: false)).isEmpty)
  }

  @Test func `a signal that ends a process ends the player's`() {
    var front = FrontMachine(fatalSignals: [6])
    #expect(front.handle(.order(.ready)).isEmpty)
    #expect(front.handle(.signal(6)) == [.signalPlayer(6)] && front.handle(.signal(15)) == [.send(.signal(15))])
  }

  @Test func `in the background it looks until the terminal is its own again`() {
    var front = running
    #expect(front.handle(.continued(inForeground: false)) == [.send(.continued(inForeground: false))])
    #expect(front.mustLook && front.handle(.looked(inForeground: false)).isEmpty)
    #expect(front.handle(.looked(inForeground: true)) == [.send(.continued(inForeground: true))])
    #expect(!front.mustLook)
  }

  @Test func `it ends when the player leaves or ends, and does nothing afterwards`() {
    var left = running
    #expect(left.handle(.order(.leave("bye"))) == [.say("bye"), .end(status: 0, playerRunsOn: true)])
    #expect(left.handle(.lost).isEmpty && left.handle(.signal(15)).isEmpty)
    var daemon = FrontMachine()
    #expect(daemon.handle(.order(.leave(""))) == [.end(status: 0, playerRunsOn: true)])
    var ended = running
    #expect(ended.handle(.order(.end(3))) == [.end(status: 3, playerRunsOn: false)])
    var refused = FrontMachine()
    #expect(refused.handle(.order(.refused("no"))) == [.complain("no"), .end(status: 1, playerRunsOn: true)])
  }

  @Test func `a player that ends without a word leaves its terminal to the front`() {
    var front = running
    #expect(front.handle(.lost) == [.restoreTerminal, .endLikePlayer])
    #expect(front.handle(.lost).isEmpty)
  }
}
