internal import RemoteProtocols

extension RemoteControl {
  /// The HTTP server.
  package struct Web {
    var offer: WebRequest.Offer
    /// Takes a client that gets the stream.
    var adopt: (_ client: CInt, _ head: [UInt8], _ hasTitles: Bool) -> Void
  }
}
