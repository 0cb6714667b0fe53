import Glibc

/// nginx with TLS on a port of its own, before a server on loopback. Its certificate is its own, and names another host.
public final class TLSFront {
  private let folder: TemporaryFolder
  private let port = KeptPort()
  private let server: String
  private var process: ChildProcess?
  /// `https://127.0.0.1:PORT`.
  public var address: String { "https://127.0.0.1:\(port.number)" }

  /// Starts it and waits until it answers.
  ///
  /// - Parameter server: `http://127.0.0.1:PORT`.
  public init(before server: String) throws {
    folder = try TemporaryFolder()
    self.server = server
    try renew()
  }

  /// Starts it again with another certificate, for another key.
  public func renew() throws {
    process?.end()
    let openssl = try ChildProcess([
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
      "-subj", "/CN=other.home", "-keyout", folder("key.pem"), "-out", folder("certificate.pem"),
    ])
    openssl.wait()
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { name in
      "\(name)_temp_path \(folder(name));"
    }
    try write(
      """
      daemon off; master_process off; pid \(folder("pid")); error_log \(folder("errors"));
      events {}
      http {
        access_log off; \(temporary.joined(separator: " "))
        server {
          listen 127.0.0.1:\(port.number) ssl;
          ssl_certificate \(folder("certificate.pem")); ssl_certificate_key \(folder("key.pem"));
          location / { proxy_pass \(server); }
        }
      }
      """.utf8, to: folder("nginx.conf"))
    let process = try ChildProcess(
      ["nginx", "-p", folder.path, "-c", folder("nginx.conf"), "-e", folder("errors")],
      environment: ["PATH": "/usr/sbin:/usr/bin:/bin"], errors: folder("errors"))
    self.process = process
    try waitForPort(port.number, of: process, errors: folder("errors"))
  }

  /// The fingerprint as openssl prints it: `3F:0A:...`.
  public func fingerprint() throws -> String {
    let text = try ChildProcess.output(of: [
      "openssl", "x509", "-noout", "-fingerprint", "-sha256", "-in", folder("certificate.pem"),
    ])
    return String(text.split(separator: "=").last?.prefix { !$0.isNewline } ?? "")
  }

  deinit { process?.end() }
}
