internal import CPulse

/// Keeps lists of what the server plays, and on what, for as long as one context lives: the server says when they may
/// have changed, and only then they are asked for, one question at a time however often it says so.
///
/// Under the connection's lock; libpulse calls on the connection's thread.
final class PulseObserver {
  /// Items of a list that is being told.
  private struct Question<Item> {
    var isOpen = false
    /// Something changed while the answer was on its way.
    var isStale = false
    var items: [Item] = []
  }

  private let context: OpaquePointer
  private unowned let connection: PulseConnection
  private var inputQuestion = Question<PulseSinkInput>()
  private var sinkQuestion = Question<PulseSink>()
  /// Whether the server is PipeWire's; nil as long as it has not said so.
  private(set) var isPipeWire: Bool?

  init(_ context: OpaquePointer, _ connection: PulseConnection) {
    self.context = context
    self.connection = connection
    let me = Unmanaged.passUnretained(self).toOpaque()
    pa.context_set_subscribe_callback(context, somethingChanged, me)
    release(pa.context_get_server_info(context, serverTold, me))
    // What is plugged into a connector, the server tells of the card, not of the sink.
    let mask = [PA_SUBSCRIPTION_MASK_SINK, PA_SUBSCRIPTION_MASK_SINK_INPUT, PA_SUBSCRIPTION_MASK_CARD]
      .reduce(0) { $0 | $1.rawValue }
    release(pa.context_subscribe(context, pa_subscription_mask(mask), nil, nil))
  }

  /// Before the context is let go: no answer comes afterwards.
  func close() { pa.context_set_subscribe_callback(context, nil, nil) }

  /// Asks for the lists, as when a stream is there.
  func refresh() {
    askForInputs()
    askForSinks()
  }

  /// What is told of streams on a question that was asked already may lie behind.
  func outdateInputs() { inputQuestion.isStale = inputQuestion.isOpen }

  func askForSinks() {
    if sinkQuestion.isOpen { return sinkQuestion.isStale = true }
    let me = Unmanaged.passUnretained(self).toOpaque()
    guard let operation = pa.context_get_sink_info_list(context, sinkTold, me) else { return }
    release(operation)
    sinkQuestion = Question(isOpen: true)
  }

  private func askForInputs() {
    if inputQuestion.isOpen { return inputQuestion.isStale = true }
    let me = Unmanaged.passUnretained(self).toOpaque()
    guard let operation = pa.context_get_sink_input_info_list(context, inputTold, me) else {
      return connection.hear(inputs: [])
    }
    release(operation)
    inputQuestion = Question(isOpen: true)
  }

  fileprivate func heard(_ event: pa_subscription_event_type_t) {
    switch event.rawValue & PA_SUBSCRIPTION_EVENT_FACILITY_MASK.rawValue {
    case PA_SUBSCRIPTION_EVENT_SINK.rawValue, PA_SUBSCRIPTION_EVENT_CARD.rawValue: askForSinks()
    case PA_SUBSCRIPTION_EVENT_SINK_INPUT.rawValue: askForInputs()
    default: break
    }
  }

  fileprivate func told(_ information: pa_server_info) {
    isPipeWire = information.server_name.map { String(cString: $0).contains("PipeWire") } ?? false
  }

  fileprivate func told(_ information: pa_sink_input_info?) {
    if let information { return inputQuestion.items.append(PulseSinkInput(information)) }
    let question = inputQuestion
    inputQuestion = Question()
    // What is stale tells of the past; the answer that follows is near.
    if question.isStale { askForInputs() } else { connection.hear(inputs: question.items) }
  }

  fileprivate func told(_ information: pa_sink_info?) {
    if let information { return sinkQuestion.items.append(PulseSink(information)) }
    let question = sinkQuestion
    sinkQuestion = Question()
    if question.isStale { askForSinks() } else { connection.hear(sinks: question.items) }
  }

  fileprivate static func of(_ me: UnsafeMutableRawPointer?) -> PulseObserver? {
    me.map { Unmanaged<PulseObserver>.fromOpaque($0).takeUnretainedValue() }
  }
}

private let somethingChanged: pa_context_subscribe_cb_t = { _, event, _, me in PulseObserver.of(me)?.heard(event) }

private let serverTold: pa_server_info_cb_t = { _, information, me in
  if let information { PulseObserver.of(me)?.told(information.pointee) }
}

private let inputTold: pa_sink_input_info_cb_t = { _, information, end, me in
  PulseObserver.of(me)?.told(end == 0 ? information?.pointee : nil)
}

private let sinkTold: pa_sink_info_cb_t = { _, information, end, me in
  PulseObserver.of(me)?.told(end == 0 ? information?.pointee : nil)
}
