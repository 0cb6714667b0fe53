import ByteIO
import Testing

/// Issue 5: relative entries, and addresses as people write them.
struct WebAddressTests {
  // RFC 3986 5.4
  @Test(
    arguments: [
      ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
      ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
      ("#s", "http://a/b/c/d;p?q"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"),
      ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
      ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../g", "http://a/g"),
      ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
      ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"),
      ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"), ("g;x=1/../y", "http://a/b/c/y"),
      ("a b.mp3", "http://a/b/c/a%20b.mp3"), ("ü", "http://a/b/c/%C3%BC"),
    ])
  func `references are resolved as in RFC 3986`(reference: String, target: String) {
    #expect(WebAddress("http://a/b/c/d;p?q").resolving(WebAddress(reference)).text == target)
  }

  @Test func `a base without a path has one for its references`() {
    #expect(WebAddress("http://a").resolving(WebAddress("g")).text == "http://a/g")
  }

  @Test(arguments: [
    ("b", "http://me:pw@a/b"), ("http://a/b", "http://me:pw@a/b"), ("//a/b", "http://me:pw@a/b"),
    ("http://you@a/b", "http://you@a/b"), ("https://a/b", "https://a/b"), ("http://a:81/b", "http://a:81/b"),
    ("http://c/b", "http://c/b"), ("//c/b", "http://c/b"),
  ])
  func `name and password hold for all of a server, and for no other`(reference: String, target: String) {
    #expect(WebAddress("http://me:pw@a/list").resolving(WebAddress(reference)).text == target)
  }

  @Test func `name and password are sent, and never shown`() {
    let address = WebAddress("http://me:se%40cret@host:8000/a?b@c")
    #expect(address.userInfo == "me:se%40cret" && address.host == "host:8000")
    #expect(address.description == "http://host:8000/a?b@c")
    #expect(address.text == "http://me:se%40cret@host:8000/a?b@c")
    #expect("HTTP://me:secret@host/a@b#c".withoutUserInfo == "HTTP://host/a@b#c")
    #expect("open http://me:secret@a/b https://you:too@c?d@e".withoutUserInfo == "open http://a/b https://c?d@e")
    #expect("http://proxy/http://me:secret@a/".withoutUserInfo == "http://proxy/http://a/")
    #expect("http://host/a@b".withoutUserInfo == "http://host/a@b" && "a@b://".withoutUserInfo == "a@b://")
    #expect("se%40cret%".removingPercentEscapes == "se@cret%")
  }

  @Test func `fields behind a bar belong to an address and to all that it leads to, and end no line`() {
    let address = WebAddress("http://me:pw@a/b?c|d|user-agent=VLC/3 (x)&Referer=http://p/?q%26r%0d%0aX: y#1")
    #expect(address.fields == [.userAgent: "VLC/3 (x)", .referrer: "http://p/?q&rX: y"])
    #expect(address.query == "c%7Cd" && address.description == "http://a/b?c%7Cd")
    #expect(WebAddress(address.text) == address && address.text.hasPrefix("http://me:pw@a/b?c%7Cd|User-Agent=VLC%2F3"))
    #expect(address.resolving(WebAddress("https://c/e")).fields == address.fields)
    #expect(address.resolving(WebAddress("f|User-Agent=Other")).fields[.userAgent] == "Other")
    let station = WebAddress("http://a/b|charset=cp1251&User-Agent=x")
    #expect(
      station.fields == [.charset: "cp1251", .userAgent: "x"]
        && station.text == "http://a/b|User-Agent=x&charset=cp1251")
    for text in ["http://a/b|c", "http://a/|", "http://a/|Cookie=x", "http://a/|User-Agent=x&Cookie=y", "|"] {
      #expect(WebAddress(text).fields.isEmpty, "\(text)")
    }
  }

  @Test(arguments: [
    ("http://a:80/", "a"), ("http://a", "a"), ("http://[::1]/", "[::1]"), ("http://[::1]:80/", "[::1]"),
  ])
  func `a host has a name without its port`(address: String, name: String) {
    #expect(WebAddress(address).hostName == name)
  }

  @Test(arguments: ["http://a", "HTTPS://a/b", "  http://[::1]:80/x  "]) func `addresses that can be fetched`(
    text: String
  ) {
    #expect(WebAddress(text).isHTTP)
  }

  @Test(arguments: [
    "", "http:", "http://", "file:///etc/passwd", "a/b", "/a", "1http://a", "http:/a", "data:x", "://a",
  ])
  func `addresses that cannot be fetched`(text: String) { #expect(!WebAddress(text).isHTTP) }

  @Test func `nothing in an address can end a line or a request`() {
    #expect(!WebAddress("http://a/b\r\nHost: evil /\u{0}\t<x>\"").text.utf8.contains { $0 <= 0x20 })
  }
}
