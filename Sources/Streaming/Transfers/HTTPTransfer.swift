internal import AudioModel
internal import ByteIO
internal import CCurl
internal import Glibc
internal import Threads

/// One request and its answer. Used on the network's thread only.
final class HTTPTransfer {
  /// A longer head is an error.
  private static let headByteLimit = 64 << 10

  let id: Int
  private let address: WebAddress
  private var handle: EasyHandle
  private let configuration: NetworkConfiguration
  /// The only certificate that is trusted, if the listener accepted one.
  private let accepted: ServerCertificate?
  private let look: CertificateLook?
  /// False if a redirect is the answer, as to a POST request.
  private let followsRedirects: Bool
  private weak var receiver: (any TransferReceiver)?
  private var head: HTTPResponseHead?
  private var headByteCount = 0
  private var hasHead = false
  /// Bytes of the body that have arrived.
  private(set) var byteCount: Int64 = 0
  /// The reason, if the receiver or a limit ended the transfer.
  private var failure: NetworkError?
  private var isPaused = false
  /// The time at which it has taken too long.
  private(set) var deadline: MonotonicTime?

  /// Returns nil if memory is exhausted. `fetched`: the address to fetch, which is not shown. `accepted`: the certificate
  /// that the listener accepted for it.
  init?(
    _ id: Int, _ request: TransferRequest, at fetched: WebAddress, for receiver: any TransferReceiver,
    _ configuration: NetworkConfiguration, _ accepted: ServerCertificate?,
    _ curl: UnsafePointer<segue_curl_functions>
  ) {
    guard let handle = EasyHandle(curl) else { return nil }
    (self.id, address) = (id, request.address)
    self.handle = handle
    self.receiver = receiver
    self.configuration = configuration
    (self.accepted, look) = (accepted, request.look)
    followsRedirects = request.body == nil && request.wantsBody
    setUp(request, at: fetched)
    setDeadline(configuration.headLimit)
  }

  /// The `CURL`, for the multi handle.
  var pointer: UnsafeMutableRawPointer { handle.pointer }

  private func setUp(_ request: TransferRequest, at fetched: WebAddress) {
    var address = fetched
    let userInfo = address.userInfo
    (address.userInfo, address.fields) = (nil, [:])
    handle.set(CURLOPT_URL, address.text)
    // Not in the address, so that no message of the library contains it, and only for this host.
    if let userInfo { handle.set(CURLOPT_USERPWD, userInfo.removingPercentEscapes) }
    // Without it, and for the hosts of redirects, libcurl reads ~/.netrc.
    handle.set(CURLOPT_NETRC, SEGUE_CURL_NETRC_OPTIONAL)
    handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
    handle.set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
    // The answer of a proxy to CONNECT is not the server's answer.
    handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    handle.set(CURLOPT_FOLLOWLOCATION, 1)
    handle.set(CURLOPT_MAXREDIRS, configuration.redirectLimit)
    // One transfer per connection: a pause must not stop other transfers.
    handle.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    handle.set(CURLOPT_NOSIGNAL, 1)
    handle.set(CURLOPT_QUICK_EXIT, 1)
    handle.set(CURLOPT_TCP_KEEPALIVE, 1)
    handle.set(CURLOPT_CONNECTTIMEOUT_MS, Int(configuration.connectLimit.inMicroseconds / 1000))
    handle.set(CURLOPT_USERAGENT, request.address.fields[.userAgent] ?? configuration.userAgent)
    if let referrer = request.address.fields[.referrer] { handle.set(CURLOPT_REFERER, referrer) }
    if let cookies = receiver?.cookies {
      // No file: only the engine.
      handle.set(CURLOPT_COOKIEFILE, "")
      for line in cookies.lines { handle.set(CURLOPT_COOKIELIST, line) }
    }
    handle.set(CURLOPT_BUFFERSIZE, 64 << 10)
    if let file = getenv("SSL_CERT_FILE") { handle.set(CURLOPT_CAINFO, String(cString: file)) }
    // A look has to see any other certificate, too: the pinned key is compared even if nothing else is checked.
    if let accepted, request.look != .untrusted { trustOnly(accepted) }
    if let look = request.look { setUp(look) }
    if !request.wantsBody {
      handle.set(CURLOPT_NOBODY, 1)
      handle.set(CURLOPT_FOLLOWLOCATION, 0)
    }
    if let range = request.rangeText { handle.set(CURLOPT_RANGE, range) }
    // Some servers compress nevertheless: with this option the library decodes the body.
    handle.set(CURLOPT_ACCEPT_ENCODING, "identity")
    let fields = ["Accept: */*"] + (request.body == nil ? ["Icy-MetaData: 1"] : [])
    handle.set(CURLOPT_HTTPHEADER, fields + request.fields)
    if let body = request.body { setUp(body) }
    handle.set(CURLOPT_HTTP200ALIASES, ["ICY "])
    let context = Unmanaged.passUnretained(self).toOpaque()
    handle.set(CURLOPT_HEADERDATA, context)
    handle.set(CURLOPT_WRITEDATA, context)
    handle.set(CURLOPT_HEADERFUNCTION, headerCallback)
    handle.set(CURLOPT_WRITEFUNCTION, bodyCallback)
  }

  private func setUp(_ body: [UInt8]) {
    // A redirect would turn it into a GET request.
    handle.set(CURLOPT_FOLLOWLOCATION, 0)
    handle.set(CURLOPT_POST, 1)
    // Before the bytes, which the library copies.
    handle.set(CURLOPT_POSTFIELDSIZE, body.count)
    handle.setCopied(CURLOPT_COPYPOSTFIELDS, body)
  }

  /// docs/decisions/0065-certificates-of-servers.md
  private func trustOnly(_ certificate: ServerCertificate) {
    handle.set(blob: CURLOPT_CAINFO_BLOB, Array(certificate.pem.utf8))
    // The folders of the system still count: only the key excludes their certificates.
    guard handle.set(CURLOPT_PINNEDPUBLICKEY, "sha256//" + certificate.keyDigest) else { return }
    // It was accepted for this address, whatever name it contains.
    handle.set(CURLOPT_SSL_VERIFYHOST, 0)
  }

  /// Connects, and sends no request.
  private func setUp(_ look: CertificateLook) {
    handle.set(CURLOPT_CONNECT_ONLY, 1)
    guard look == .untrusted else { return }
    handle.set(CURLOPT_CERTINFO, 1)
    handle.set(CURLOPT_SSL_VERIFYPEER, 0)
    handle.set(CURLOPT_SSL_VERIFYHOST, 0)
  }

  private func setDeadline(_ limit: TimeSpan) { deadline = .now + limit }

  // MARK: Callbacks

  /// Takes a line of the head. Returns true if the transfer continues.
  fileprivate func takeHeadLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
    headByteCount += bytes.count
    guard headByteCount <= Self.headByteLimit else {
      failure = NetworkError(.unusable, "the server sent a header of more than 64 KiB")
      return false
    }
    if hasHead { return true }  // A trailer, after the body.
    let content = Array(bytes.prefix { $0 != 13 && $0 != 10 })
    let line = TextReading(of: [content], chosen: address.fields[.charset].flatMap { Charset($0) } ?? .chosen).text(
      content)
    if line.hasPrefix("HTTP/") || line.hasPrefix("ICY ") {
      head = HTTPResponseHead(statusLine: line)
    } else if !line.isEmpty {
      head?.add(line)
    } else if let head, !head.isInformational, !(followsRedirects && head.isRedirect) {
      return finish(head)
    }
    return true
  }

  private func finish(_ head: HTTPResponseHead) -> Bool {
    var head = head
    if address.isOnServer {
      // The one that was fetched contains a secret.
      head.address = address
      if head.isMessage {
        failure = NetworkError(.unusable, "the server sent a message in place of sound: scan the library to see why")
        return false
      }
    } else {
      head.address = handle.text(CURLINFO_EFFECTIVE_URL).map { WebAddress($0) }
    }
    // Entries of a playlist on the same server are requested with the same name and password.
    if head.address?.host == address.host, head.address?.scheme == address.scheme {
      head.address?.userInfo = address.userInfo
    }
    head.address?.fields = address.fields
    receiver?.cookies?.keep(handle.texts(CURLINFO_COOKIELIST))
    hasHead = true
    setDeadline(configuration.stallLimit)
    guard receiver?.transfer(id, didReceive: head) == true else {
      failure = NetworkError(.cancelled, "not wanted")
      return false
    }
    return true
  }

  fileprivate func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
    switch receiver?.transfer(id, didReceive: bytes) ?? .stop {
    case .take:
      byteCount += Int64(bytes.count)
      setDeadline(configuration.stallLimit)
      return bytes.count
    case .pause:
      (isPaused, deadline) = (true, nil)
      return SEGUE_CURL_WRITEFUNC_PAUSE
    case .stop:
      failure = NetworkError(.cancelled, "not wanted")
      return 0
    }
  }

  /// True if the body has begun and nobody waits for its bytes.
  var mayBeLate: Bool { hasHead && receiver?.isAwaited == false }

  /// Resumes after a pause.
  func resume(_ curl: UnsafePointer<segue_curl_functions>) {
    guard isPaused else { return }
    isPaused = false
    setDeadline(configuration.stallLimit)
    _ = curl.pointee.easy_pause(pointer, Int32(CURLPAUSE_CONT))
  }

  /// Notifies the receiver that it has ended.
  func end(_ code: CURLcode) {
    guard failure?.kind != .cancelled else { return }
    if look == .untrusted, code == CURLE_OK, let certificate = handle.certificate {
      receiver?.transfer(id, didSee: certificate)
    }
    receiver?.transfer(id, didEnd: failure ?? error(code))
  }

  /// Notifies the receiver that it took too long.
  func expire() {
    let limit = hasHead ? configuration.stallLimit : configuration.headLimit
    let event = hasHead ? "no data arrived" : "the server did not answer"
    receiver?.transfer(id, didEnd: NetworkError(.interrupted, "\(event) for \(limit.inSeconds.short) s"))
  }

  private func error(_ code: CURLcode) -> NetworkError? {
    let kind: NetworkError.Kind =
      switch code {
      case CURLE_OK: .cancelled
      case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT,
        CURLE_SSL_CONNECT_ERROR:
        .unreachable
      case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_PINNEDPUBKEYNOTMATCH: .untrusted
      case CURLE_PARTIAL_FILE: .short
      case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING: .interrupted
      default: .unusable
      }
    return code == CURLE_OK ? nil : NetworkError(kind, words(for: code))
  }

  /// A sentence for the listener. The library's own are long, and name it and its functions.
  private func words(for code: CURLcode) -> String {
    let address = handle.text(CURLINFO_EFFECTIVE_URL).map { WebAddress($0) } ?? address
    let (host, name) = (address.host ?? "the server", address.hostName ?? "the server")
    return switch code {
    case CURLE_COULDNT_RESOLVE_HOST: "the name \(name) is not known, or there is no network"
    case CURLE_COULDNT_RESOLVE_PROXY: "the name of the proxy is not known, or there is no network"
    case CURLE_COULDNT_CONNECT: "nothing answers at \(host)"
    case CURLE_OPERATION_TIMEDOUT: "\(name) does not answer in time"
    case CURLE_SSL_CONNECT_ERROR: "\(name) offers no secure connection"
    case CURLE_PEER_FAILED_VERIFICATION where accepted != nil, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
      "the certificate of \(name) is not the one that you accepted, or has expired: 'segue doctor' says more"
    case CURLE_PEER_FAILED_VERIFICATION: "the certificate of \(name) is not trusted: \(handle.message(code))"
    case CURLE_TOO_MANY_REDIRECTS: "too many redirects"
    case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR: "\(name) ended the connection"
    case CURLE_GOT_NOTHING: "\(name) ended the connection without an answer"
    case CURLE_UNSUPPORTED_PROTOCOL where !address.isHTTP: "it leads to a protocol that is not followed: \(address)"
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY: "\(host) does not answer as a web server"
    default: handle.message(code)
    }
  }
}

private let headerCallback: curl_write_callback = { bytes, size, count, context in
  guard let bytes, let context else { return 0 }
  let transfer = Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue()
  let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return transfer.takeHeadLine(line) ? line.count : 0
}

private let bodyCallback: curl_write_callback = { bytes, size, count, context in
  guard let bytes, let context else { return 0 }
  let transfer = Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue()
  return transfer.takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
}

extension HTTPResponseHead {
  /// True if another answer follows.
  fileprivate var isInformational: Bool { 100..<200 ~= status }

  /// True if a text follows. Servers of music send errors with the status 200.
  fileprivate var isMessage: Bool {
    let type = self["content-type"]?.lowercased() ?? ""
    return status == 200 && ["application/json", "application/xml", "text/"].contains(where: type.hasPrefix)
  }

  /// True if the library requests another address. It ignores an empty one.
  fileprivate var isRedirect: Bool {
    [301, 302, 303, 307, 308].contains(status) && self["location"]?.isEmpty == false
  }
}

extension Double {
  /// The number without a fraction if it is whole.
  fileprivate var short: String { Int(exactly: self).map { String($0) } ?? String(self) }
}
