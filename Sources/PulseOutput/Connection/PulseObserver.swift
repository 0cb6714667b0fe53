internal import CPulse

/// Keeps lists of the server's streams and sinks, and of its modules while other programs are to get softer, for as long as one context lives. A list is requested when the server
/// reports a change, one request at a time, however often it reports.
///
/// Under the connection's lock; libpulse calls on the connection's thread.
final class PulseObserver {
  private struct Request<Item> {
    var isOpen = false
    /// Something changed after the request.
    var isStale = false
    var items: [Item] = []
  }

  private let context: OpaquePointer
  private unowned let connection: PulseConnection
  private var inputRequest = Request<PulseSinkInput>()
  private var sinkRequest = Request<PulseSink>()
  private var moduleRequest = Request<PulseModule>()
  /// True for PipeWire's server; `nil` until the server has introduced itself.
  private(set) var isPipeWire: Bool?

  init(_ context: OpaquePointer, _ connection: PulseConnection) {
    self.context = context
    self.connection = connection
    let me = Unmanaged.passUnretained(self).toOpaque()
    pa.context_set_subscribe_callback(context, somethingChanged, me)
    requestServer()
    // Plugging a connector in or out is an event of the card, not of the sink.
    let mask = [
      PA_SUBSCRIPTION_MASK_SINK, PA_SUBSCRIPTION_MASK_SINK_INPUT, PA_SUBSCRIPTION_MASK_CARD,
      PA_SUBSCRIPTION_MASK_MODULE, PA_SUBSCRIPTION_MASK_SERVER,
    ].reduce(0) { $0 | $1.rawValue }
    release(pa.context_subscribe(context, pa_subscription_mask(mask), nil, nil))
    requestModules()
    requestSinks()
  }

  /// To be called before the context is released: no answer comes afterwards.
  func close() { pa.context_set_subscribe_callback(context, nil, nil) }

  /// Requests both lists, as for a new stream.
  func refresh() {
    requestInputs()
    requestSinks()
  }

  /// The list of streams that was requested may be out of date.
  func outdateInputs() { inputRequest.isStale = inputRequest.isOpen }

  private func requestServer() {
    release(pa.context_get_server_info(context, serverInfoArrived, Unmanaged.passUnretained(self).toOpaque()))
  }

  func requestSinks() {
    if sinkRequest.isOpen { return sinkRequest.isStale = true }
    let me = Unmanaged.passUnretained(self).toOpaque()
    guard let operation = pa.context_get_sink_info_list(context, sinkArrived, me) else { return }
    release(operation)
    sinkRequest = Request(isOpen: true)
  }

  private func requestInputs() {
    if inputRequest.isOpen { return inputRequest.isStale = true }
    let me = Unmanaged.passUnretained(self).toOpaque()
    guard let operation = pa.context_get_sink_input_info_list(context, inputArrived, me) else {
      return connection.update(inputs: [])
    }
    release(operation)
    inputRequest = Request(isOpen: true)
  }

  /// Requests the list of modules if it matters.
  func requestModules() {
    guard connection.ducksOthers else { return }
    if moduleRequest.isOpen { return moduleRequest.isStale = true }
    let me = Unmanaged.passUnretained(self).toOpaque()
    guard let operation = pa.context_get_module_info_list(context, moduleArrived, me) else {
      return connection.update(modules: [])
    }
    release(operation)
    moduleRequest = Request(isOpen: true)
  }

  fileprivate func handle(_ event: pa_subscription_event_type_t) {
    switch event.rawValue & PA_SUBSCRIPTION_EVENT_FACILITY_MASK.rawValue {
    case PA_SUBSCRIPTION_EVENT_SINK.rawValue, PA_SUBSCRIPTION_EVENT_CARD.rawValue: requestSinks()
    case PA_SUBSCRIPTION_EVENT_SINK_INPUT.rawValue: requestInputs()
    case PA_SUBSCRIPTION_EVENT_MODULE.rawValue: requestModules()
    case PA_SUBSCRIPTION_EVENT_SERVER.rawValue: requestServer()
    default: break
    }
  }

  fileprivate func received(_ information: pa_server_info) {
    isPipeWire = information.server_name.map { String(cString: $0).contains("PipeWire") } ?? false
    connection.update(standardSink: information.default_sink_name.map { String(cString: $0) })
  }

  fileprivate func received(_ information: pa_sink_input_info?) {
    if let information { return inputRequest.items.append(PulseSinkInput(information)) }
    let request = inputRequest
    inputRequest = Request()
    // A stale list is out of date; the next one follows soon.
    if request.isStale { requestInputs() } else { connection.update(inputs: request.items) }
  }

  fileprivate func received(_ information: pa_sink_info?) {
    if let information { return sinkRequest.items.append(PulseSink(information)) }
    let request = sinkRequest
    sinkRequest = Request()
    if request.isStale { requestSinks() } else { connection.update(sinks: request.items) }
  }

  fileprivate func received(_ information: pa_module_info?) {
    if let information { return moduleRequest.items.append(PulseModule(information)) }
    let request = moduleRequest
    moduleRequest = Request()
    if request.isStale { requestModules() } else { connection.update(modules: request.items) }
  }

  fileprivate static func of(_ me: UnsafeMutableRawPointer?) -> PulseObserver? {
    me.map { Unmanaged<PulseObserver>.fromOpaque($0).takeUnretainedValue() }
  }
}

private let somethingChanged: pa_context_subscribe_cb_t = { _, event, _, me in PulseObserver.of(me)?.handle(event) }

private let serverInfoArrived: pa_server_info_cb_t = { _, information, me in
  if let information { PulseObserver.of(me)?.received(information.pointee) }
}

private let inputArrived: pa_sink_input_info_cb_t = { _, information, end, me in
  PulseObserver.of(me)?.received(end == 0 ? information?.pointee : nil)
}

private let sinkArrived: pa_sink_info_cb_t = { _, information, end, me in
  PulseObserver.of(me)?.received(end == 0 ? information?.pointee : nil)
}

private let moduleArrived: pa_module_info_cb_t = { _, information, end, me in
  PulseObserver.of(me)?.received(end == 0 ? information?.pointee : nil)
}
