internal import CPulse

/// Keeps lists of the server's streams and sinks, for as long as one context lives. The server notifies of changes, and
/// only then a list is requested, one request at a time however often it notifies.
///
/// Under the connection's lock; libpulse calls on the connection's thread.
final class PulseObserver {
  /// A list on its way.
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
  /// True for PipeWire's server; nil until the server has introduced itself.
  private(set) var isPipeWire: Bool?

  init(_ context: OpaquePointer, _ connection: PulseConnection) {
    self.context = context
    self.connection = connection
    let me = Unmanaged.passUnretained(self).toOpaque()
    pa.context_set_subscribe_callback(context, somethingChanged, me)
    release(pa.context_get_server_info(context, serverTold, me))
    // Connectors that are plugged in or out are events of the card, not of the sink.
    let mask = [PA_SUBSCRIPTION_MASK_SINK, PA_SUBSCRIPTION_MASK_SINK_INPUT, PA_SUBSCRIPTION_MASK_CARD]
      .reduce(0) { $0 | $1.rawValue }
    release(pa.context_subscribe(context, pa_subscription_mask(mask), nil, nil))
  }

  /// Before the context is let go: no answer comes afterwards.
  func close() { pa.context_set_subscribe_callback(context, nil, nil) }

  /// Requests both lists, as for a new stream.
  func refresh() {
    askForInputs()
    askForSinks()
  }

  /// The list of streams that was requested already may be out of date.
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
      return connection.update(inputs: [])
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
    // A stale list is out of date; the next one follows soon.
    if question.isStale { askForInputs() } else { connection.update(inputs: question.items) }
  }

  fileprivate func told(_ information: pa_sink_info?) {
    if let information { return sinkQuestion.items.append(PulseSink(information)) }
    let question = sinkQuestion
    sinkQuestion = Question()
    if question.isStale { askForSinks() } else { connection.update(sinks: question.items) }
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
