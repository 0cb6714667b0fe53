internal import CGlibcExtras
internal import Glibc

/// nginx with a configuration of its own, serving a folder on a port of its own: `/ranges/` as it does, `/whole/`
/// without ranges, `/secret/` to those only who are `me` and say `s3same`; `/home/` and `/away/` lead there, the one
/// as it is, the other by another name of the host.
public final class Nginx: Sendable {
  private let folder: TemporaryFolder
  private let process: ChildProcess
  private let ports: [KeptPort]
  /// `http://127.0.0.1:PORT`.
  public let address: String
  /// The same with TLS.
  public let secureAddress: String
  /// The path of its certificate, which is not trusted by default.
  public let certificate: String

  /// Its requests and responses, oldest first: `127.0.0.1 /ranges/a.mp3 "-" 200 me`, which are host, path, range,
  /// status, and who was let in.
  public var requests: [String] {
    String(decoding: contents(of: folder("access")), as: UTF8.self).split(separator: "\n").map { String($0) }
  }

  /// Starts it and waits until it answers.
  public init(serving root: String) throws {
    let folder = try TemporaryFolder()
    self.folder = folder
    ports = [KeptPort(), KeptPort()]
    let (port, securePort) = (ports[0].number, ports[1].number)
    address = "http://127.0.0.1:\(port)"
    secureAddress = "https://127.0.0.1:\(securePort)"
    certificate = folder("certificate.pem")
    let openssl = try ChildProcess([
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
      "-subj", "/CN=localhost",
      "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", folder("key.pem"), "-out", certificate,
    ])
    openssl.wait()
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { name in
      "\(name)_temp_path \(folder(name));"
    }
    try write("me:{PLAIN}s3same\n".utf8, to: folder("users"))
    let absolute = root.hasPrefix("/") ? root : String(cString: getcwd(nil, 0)) + "/" + root
    try write(
      """
      daemon off; master_process off; pid \(folder("pid")); error_log \(folder("errors"));
      events {}
      http {
        log_format facts '$host $uri "$http_range" $status $remote_user';
        access_log \(folder("access")) facts; \(temporary.joined(separator: " "))
        types { audio/mpeg mp3; audio/mp4 m4a; }
        server {
          listen 127.0.0.1:\(port);
          listen 127.0.0.1:\(securePort) ssl;
          ssl_certificate \(certificate); ssl_certificate_key \(folder("key.pem"));
          location /ranges/ { alias \(absolute)/; }
          location /whole/ { alias \(absolute)/; max_ranges 0; }
          location /secret/ { alias \(absolute)/; auth_basic music; auth_basic_user_file \(folder("users")); }
          location /home/ { rewrite ^/home/(.*) http://127.0.0.1:\(port)/secret/$1 redirect; }
          location /away/ { rewrite ^/away/(.*) http://localhost:\(port)/secret/$1 redirect; }
          location /packed/ { alias \(absolute)/; gzip on; gzip_types *; add_header Content-Encoding gzip always; }
        }
      }
      """.utf8, to: folder("nginx.conf"))
    process = try ChildProcess(
      ["nginx", "-p", folder.path, "-c", folder("nginx.conf"), "-e", folder("errors")],
      environment: ["PATH": "/usr/sbin:/usr/bin:/bin"], errors: folder("errors"))
    try waitForPort(port, of: process, errors: folder("errors"))
  }

  /// Ends it.
  public func end() { process.end() }

  deinit { end() }
}

/// icecast2 with a configuration of its own.
public final class Icecast: Sendable {
  private let folder: TemporaryFolder
  private let process: ChildProcess
  private let kept: KeptPort
  /// `127.0.0.1:PORT`; a source sends as `source:secret`.
  public let host: String

  /// Starts it and waits until it answers. Version 2.4.4 crashes at a connection that is accepted before the thread of
  /// its statistics has set their first values, about once in twenty starts: then it is started again.
  public init() throws {
    folder = try TemporaryFolder()
    kept = KeptPort()
    let port = kept.number
    host = "127.0.0.1:\(port)"
    // It refuses to run as root.
    let owner = getuid() == 0 ? "<changeowner><user>nobody</user><group>nogroup</group></changeowner>" : ""
    chmod(folder.path, 0o777)
    try write(
      """
      <icecast>
        <limits><clients>20</clients><sources>5</sources><burst-size>65535</burst-size></limits>
        <authentication><source-password>secret</source-password><admin-user>admin</admin-user>
          <admin-password>secret</admin-password></authentication>
        <hostname>localhost</hostname>
        <listen-socket><port>\(port)</port><bind-address>127.0.0.1</bind-address></listen-socket>
        <paths><logdir>\(folder.path)</logdir><webroot>/usr/share/icecast2/web</webroot>
          <adminroot>/usr/share/icecast2/admin</adminroot></paths>
        <logging><errorlog>error.log</errorlog><accesslog>access.log</accesslog><loglevel>2</loglevel></logging>
        <security><chroot>0</chroot>\(owner)</security>
      </icecast>
      """.utf8, to: folder("icecast.xml"))
    let (command, errors) = (["icecast2", "-c", folder("icecast.xml")], folder("errors"))
    var process = try ChildProcess(command, errors: errors)
    let isDone = try waitUntil(milliseconds: 10) {
      guard process.isOver else {
        return response(of: port, to: "GET /status-json.xsl HTTP/1.0\r\n\r\n").contains("server_start")
      }
      guard process.wait() == -SIGSEGV else { return true }
      process = try ChildProcess(command, errors: errors)
      return false
    }
    self.process = process
    guard isDone, !process.isOver else { throw NotStarted(description: "a server did not start: \(report)") }
  }

  /// The state of the process, and its logs.
  public var report: String {
    let logs = ["errors", "error.log", "access.log"].map { String(decoding: contents(of: folder($0)), as: UTF8.self) }
    return "icecast \(process.isOver ? "has ended" : "runs"): \(logs.joined(separator: "\n"))"
  }

  /// Ends it.
  public func end() { process.end() }

  deinit { end() }
}

/// A port kept for one server: who asks for any port, as other tests' servers and connections do, does not get this
/// one, while a server that asks for it (with SO_REUSEADDR, as servers do) gets it.
public final class KeptPort: Sendable {
  /// Its number.
  public let number: UInt16
  private let descriptor: Int32

  /// Takes a port.
  public init() {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | SEGUE_SOCK_CLOEXEC, 0)
    self.descriptor = descriptor
    var isOn: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
    number =
      withLoopback(port: 0) { name, count in
        var count = count
        return bind(descriptor, name, count) == 0 && getsockname(descriptor, name, &count) == 0
      } ?? 0
  }

  deinit { close(descriptor) }
}

/// Calls `body` with an address on loopback; its port afterwards, `nil` if `body` failed.
private func withLoopback(
  port: UInt16, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Bool
) -> UInt16? {
  var name = sockaddr_in()
  name.sin_family = sa_family_t(AF_INET)
  name.sin_port = port.bigEndian
  name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
  let isDone = withUnsafeMutablePointer(to: &name) { name in
    name.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
  }
  return isDone ? UInt16(bigEndian: name.sin_port) : nil
}

/// All that the server sends after a request of HTTP/1.0, or within a second; empty if it is not there.
private func response(of port: UInt16, to request: String) -> String {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | SEGUE_SOCK_CLOEXEC, 0)
  defer { close(descriptor) }
  guard withLoopback(port: port, { connect(descriptor, $0, $1) == 0 }) != nil else { return "" }
  var limit = timeval(tv_sec: 1, tv_usec: 0)
  setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  let bytes = Array(request.utf8)
  var response: [UInt8] = []
  guard Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL)) == bytes.count else { return "" }
  var buffer = [UInt8](repeating: 0, count: 4096)
  while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 { response += buffer[..<count] }
  return String(decoding: response, as: UTF8.self)
}

func waitForPort(_ port: UInt16, of process: ChildProcess, errors: String) throws {
  var answers = false
  _ = waitUntil(milliseconds: 10) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | SEGUE_SOCK_CLOEXEC, 0)
    defer { close(descriptor) }
    answers = withLoopback(port: port) { connect(descriptor, $0, $1) == 0 } != nil
    return answers || process.isOver
  }
  guard answers else {
    throw NotStarted(description: "a server did not start: \(String(decoding: contents(of: errors), as: UTF8.self))")
  }
}

private struct NotStarted: Error, CustomStringConvertible { var description: String }
