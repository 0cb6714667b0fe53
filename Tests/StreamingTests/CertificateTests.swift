import AudioModel
import ByteIO
import SoundServerSupport
import Testing
import Threads

@testable import Streaming

/// Made by openssl for other.home.
private let text = """
  MIIBfzCCASWgAwIBAgIUVILDyAIDTsw4ve39UVGCBQq1gAowCgYIKoZIzj0EAwIwFTETMBEGA1UEAwwKb3RoZXIuaG9tZTAeFw0yNjExMzAxMjM5\
  NTZaFw0yNjEyMDIxMjM5NTZaMBUxEzARBgNVBAMMCm90aGVyLmhvbWUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATwhD0hIKZOVJ+cTyDkApAp\
  uv5tLKugzCH47FdJdzyz8es1KcWyz9UmJH6aaIKRmr985F1M+OaPhIAztAXHdSEyo1MwUTAdBgNVHQ4EFgQUDgm7nvdw+0PWpFhhW4gmOWz812cw\
  HwYDVR0jBBgwFoAUDgm7nvdw+0PWpFhhW4gmOWz812cwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEAwt3kXWndvISWqryRC3Sf\
  jJT9wuT8ZpN+3JExLgR8SggCIG3fVKN0EYV4t+csEjqXk7kZt15NHqF6MTxEvYZeMOny
  """

@Suite struct `The certificate of a server` {
  private func network(accepting certificate: ServerCertificate? = nil) -> Network {
    var configuration = NetworkConfiguration()
    configuration.certificate = { _ in certificate }
    return Network(configuration)
  }

  private func body(of address: String, _ network: Network) throws -> [UInt8] {
    let answers = Mailbox<Result<PostAnswer, NetworkError>>()
    let request = try network.send(nil, to: WebAddress(address), fields: []) { answers.post($0) }
    defer { withExtendedLifetime(request) {} }
    return try #require(answers.take(until: .now + .seconds(30)).first).get().body
  }

  @Test func `has the fingerprint that openssl prints, and stays the same as text`() throws {
    let certificate = try #require(ServerCertificate(base64: text))
    #expect(
      certificate.fingerprintWithColons
        == "94:1A:9D:F4:AA:AC:DC:FB:4F:30:2A:BB:8A:4F:AE:42:5A:25:24:61:EF:39:11:6A:5F:6D:54:C4:20:B8:E8:AF")
    #expect(ServerCertificate.fingerprint(written: certificate.fingerprintWithColons) == certificate.fingerprint)
    #expect(certificate.base64 == text && ServerCertificate(pem: certificate.pem) == certificate)
    #expect(ServerCertificate.fingerprint(written: "94:1A") == nil)
  }

  @Test func `is none if bytes are missing or make no sense`() throws {
    let bytes = try #require(ServerCertificate(base64: text)).bytes
    for count in bytes.indices { #expect(ServerCertificate(Array(bytes[..<count])) == nil) }
    #expect(ServerCertificate([0x30, 0x84, 0xff, 0xff, 0xff, 0xff, 0x30]) == nil)
    #expect(ServerCertificate(base64: "no certificate") == nil && ServerCertificate(pem: text) == nil)
  }

  @Test func `of its own is trusted only if it was accepted, whatever host it names`() throws {
    let server = try ScriptedServer { _, connection in
      connection.sendHead("200 OK", ["Content-Length: 5"])
      connection.send("music")
    }
    let front = try TLSFront(before: server.address)
    let address = WebAddress(front.address + "/rest/ping.view?u=me&t=secret")
    let strict = network()
    defer { strict.shutDown() }
    #expect { try strict.checkCertificate(of: address) } throws: { ($0 as? NetworkError)?.kind == .untrusted }
    let shown = try strict.certificate(of: address)
    #expect(try shown.fingerprintWithColons == front.fingerprint())
    #expect { try body(of: address.text, strict) } throws: { ($0 as? NetworkError)?.kind == .untrusted }
    #expect(server.requests.isEmpty, "nothing was sent")

    let accepting = network(accepting: shown)
    defer { accepting.shutDown() }
    try accepting.checkCertificate(of: address)
    #expect(try body(of: address.text, accepting) == Array("music".utf8) && server.requests.count == 1)

    try front.renew()
    #expect { try body(of: address.text, accepting) } throws: {
      let error = $0 as? NetworkError
      return error?.kind == .untrusted && error?.message.contains("not the one that you accepted") == true
    }
    #expect(server.requests.count == 1)
    #expect(try accepting.certificate(of: address).fingerprintWithColons == front.fingerprint(), "the new one is shown")
  }
}
