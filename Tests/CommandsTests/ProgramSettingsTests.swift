import ByteIO
import Testing

@testable import Commands

@Suite struct `Programs of the settings` {
  @Test func `are split as commands are`() {
    #expect(ProgramLine("~/bin/on-track --say 'new track'")?.words == ["~/bin/on-track", "--say", "new track"])
    #expect(ProgramLine("a 'b c'").flatMap { ProgramLine($0.description) }?.words == ["a", "b c"])
    for wrong in ["", "  ", "'a", "''"] { #expect(ProgramLine(wrong) == nil) }
  }

  @Test(arguments: [
    ("video.example", "https://video.example/watch?v=x", true),
    ("video.example", "https://www.Video.example:8080/", true),
    ("video.example", "https://notvideo.example/", false),
    ("video.example", "https://video.example.org/", false),
    ("other,video.example", "http://video.example", true),
    ("video.example/watch*", "https://video.example/watch?v=x", true),
    ("video.example/watch*", "https://video.example/about", false),
    ("*.example/*/live", "https://a.b.example/x/y/live", true),
    ("*.example/*/live", "https://a.b.example/live", false),
    ("*", "https://any.host/", true),
    ("*", "segue://home/1", false),
  ])
  func `fit addresses`(pattern: String, address: String, isFitting: Bool) throws {
    let resolvers = try #require(Resolvers("\(pattern) yt-dlp -J"))
    #expect((resolvers.program(for: WebAddress(address)) != nil) == isFitting)
  }

  @Test func `for addresses are several, the first of which counts`() throws {
    let text = "a.example,b.example one -x ; * two"
    let resolvers = try #require(Resolvers(text))
    #expect(resolvers.description == text && Resolvers(resolvers.description) == resolvers)
    #expect(resolvers.program(for: WebAddress("http://b.example/"))?.words == ["one", "-x"])
    #expect(resolvers.program(for: WebAddress("http://c.example/"))?.words == ["two"])
    for wrong in ["", ";", "host", "a one ; host", ", one", "a 'one"] { #expect(Resolvers(wrong) == nil, "\(wrong)") }
  }

  @Test func `are shown as they were set, or as off`() {
    var settings = Settings()
    #expect(settings.text(of: .onEvent) == "off" && settings.text(of: .resolver) == "off")
    #expect(settings.set(.onEvent, to: "notify 'a b'") == nil && settings.set(.resolver, to: "host yt-dlp -J") == nil)
    #expect(settings.text(of: .resolver) == "host yt-dlp -J")
    #expect(settings.set(.resolver, to: "host") == "resolver must be HOST PROGRAM, or off, not \"host\"")
    #expect(settings.set(.onEvent, to: "off") == nil && settings.programs.onEvent == nil)
  }
}
