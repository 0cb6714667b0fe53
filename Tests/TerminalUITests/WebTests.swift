import Testing

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// The view with the address of the page for browsers.
struct WebTests {
  private func bench(_ stream: String?, address: String?, columns: Int = 80, rows: Int = 24) throws -> Bench {
    var typography = Typography.wide
    typography.hasPictures = true
    var bench = Bench.playing(columns: columns, rows: rows, typography: typography)
    var settings = Settings()
    #expect(settings.set(.web, to: "on") == nil)
    if let stream { #expect(settings.set(.stream, to: stream) == nil) }
    bench.send(.settings(settings))
    bench.send(.news(.page(address)))
    bench.press(Key(.function(5)))
    return bench
  }

  @Test func `without a page it says how to get one`() {
    var bench = Bench.playing()
    bench.press(Key(.function(5)))
    #expect(bench.lines[2] == "   There is no page: set web=on serves one.")
    #expect(bench.lines[0].hasSuffix(" 9 ?       Page"), "few need it: it has no tab, but its name")
    bench.send(.resized(Size(columns: 129, rows: 24)))
    #expect(bench.lines[0].contains("  F12 Setup  F5 Page  ? Help"))
  }

  @Test func `a page of this computer only has no code`() throws {
    let bench = try bench(nil, address: "http://127.0.0.1:8000/")
    #expect(bench.lines[2] == "   http://127.0.0.1:8000/")
    #expect(bench.lines[3].contains("Only browsers of this computer"))
    #expect(!bench.text.contains("▀"))
  }

  @Test(arguments: [(80, 24, 2, true), (60, 30, 5, false)])
  func `others have a code for telephones`(columns: Int, rows: Int, row: Int, isBeside: Bool) throws {
    let bench = try bench("0.0.0.0:8000", address: "http://192.168.1.2:8000/", columns: columns, rows: rows)
    #expect(bench.lines[2].hasSuffix("http://192.168.1.2:8000/") && bench.lines[2].hasPrefix("   ▀") == isBeside)
    // 25 modules and a margin of two.
    let blocks = "   " + String(repeating: "▀", count: 29)
    #expect(bench.lines[row..<row + 15].allSatisfy { $0.hasPrefix(blocks) }, "\(bench.text)")
    #expect(!bench.lines[row + 15].contains("▀"))
    let small = try self.bench("0.0.0.0:8000", address: "http://192.168.1.2:8000/", columns: columns, rows: 16)
    #expect(!small.text.contains("▀") && small.text.contains("http://192.168.1.2:8000/"))
  }
}
