internal import AudioModel
internal import CCurl

/// libcurl's functions: `curl.easy_init` is `curl_easy_init`. `nil` if the library is not installed. The first use
/// loads it, which takes about 10 ms.
///
/// Safety: points to a table that never changes after it was loaded.
nonisolated(unsafe) let libcurl = segue_curl_load()

var curlLibrary: SharedLibrary { SharedLibrary(SEGUE_CURL, functions: libcurl) }

/// One `CURL` handle, and the memory that its options need. Not safe to share between threads.
struct EasyHandle: ~Copyable {
  let pointer: UnsafeMutableRawPointer
  private let curl: UnsafePointer<segue_curl_functions>
  /// Lists that must live as long as the handle.
  private var lists: [UnsafeMutablePointer<curl_slist>] = []
  private let errors = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

  /// Returns nil if memory is exhausted.
  init?(_ curl: UnsafePointer<segue_curl_functions>) {
    guard let pointer = curl.pointee.easy_init() else {
      errors.deallocate()
      return nil
    }
    (self.curl, self.pointer) = (curl, pointer)
    errors[0] = 0
    segue_curl_set_text(curl, pointer, CURLOPT_ERRORBUFFER, errors)
  }

  deinit {
    curl.pointee.easy_cleanup(pointer)
    for list in lists { curl.pointee.slist_free_all(list) }
    errors.deallocate()
  }

  func set(_ option: CURLoption, _ value: Int) { segue_curl_set_long(curl, pointer, option, value) }

  /// The library copies the text. Returns false if it does not know the option.
  @discardableResult
  func set(_ option: CURLoption, _ value: String) -> Bool {
    segue_curl_set_text(curl, pointer, option, value) == CURLE_OK
  }

  func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer) {
    segue_curl_set_pointer(curl, pointer, option, value)
  }

  /// For options that copy the bytes.
  func setCopied(_ option: CURLoption, _ bytes: [UInt8]) {
    var bytes = bytes
    bytes.withUnsafeMutableBytes { _ = segue_curl_set_pointer(curl, pointer, option, $0.baseAddress) }
  }

  /// The library copies the bytes.
  func set(blob option: CURLoption, _ bytes: [UInt8]) {
    _ = segue_curl_set_blob(curl, pointer, option, bytes, bytes.count)
  }

  func set(_ option: CURLoption, _ callback: @escaping curl_write_callback) {
    segue_curl_set_callback(curl, pointer, option, callback)
  }

  mutating func set(_ option: CURLoption, _ values: [String]) {
    var list: UnsafeMutablePointer<curl_slist>?
    for value in values { list = curl.pointee.slist_append(list, value) ?? list }
    guard let list else { return }
    lists.append(list)
    segue_curl_set_pointer(curl, pointer, option, list)
  }

  /// A fact from `curl_easy_getinfo`.
  func text(_ information: CURLINFO) -> String? {
    segue_curl_text(curl, pointer, information).map { String(cString: $0) }
  }

  /// A list from `curl_easy_getinfo`.
  func texts(_ information: CURLINFO) -> [String] {
    let list = segue_curl_list(curl, pointer, information)
    defer { curl.pointee.slist_free_all(list) }
    return sequence(first: list) { $0?.pointee.next }.prefix { $0 != nil }.compactMap {
      $0?.pointee.data.map { String(cString: $0) }
    }
  }

  /// The certificate that the server showed, after a transfer with `CURLOPT_CERTINFO`.
  var certificate: ServerCertificate? {
    var next = segue_curl_certificate(curl, pointer)
    while let line = next?.pointee {
      let text = line.data.map { String(cString: $0) } ?? ""
      if text.hasPrefix("Cert:") { return ServerCertificate(pem: String(text.dropFirst(5))) }
      next = line.next.map { UnsafePointer($0) }
    }
    return nil
  }

  /// The library's description of an error.
  func message(_ code: CURLcode) -> String {
    let words = String(cString: errors)
    if !words.isEmpty { return words }
    return curl.pointee.easy_strerror(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
  }
}
