import Testing

@testable import Cells

/// Codes for telephones, against those of the Python package qrcode with mask 0. ZXing reads them.
struct QRCodeTests {
  /// The rows as numbers, a bit for each module.
  private func rows(_ code: QRCode) -> [UInt64] {
    (0..<code.size).map { row in (0..<code.size).reduce(0) { $0 << 1 | (code[row, $1] ? 1 : 0) } }
  }

  @Test func `a short text has a code of one block, which is filled up`() throws {
    #expect(
      rows(try #require(QRCode("segue"))) == [
        0x1fc07f, 0x105c41, 0x174b5d, 0x17465d, 0x17515d, 0x104941, 0x1fd57f, 0x700, 0x154612, 0x113c43, 0x19ed1f,
        0xc3c41, 0x35951, 0x1aa1, 0x1fc2eb, 0x104fb0, 0x1752eb, 0x174c62, 0x17591d, 0x104442, 0x1fd973,
      ])
  }

  @Test func `a longer one has blocks by turns`() throws {
    #expect(
      rows(try #require(QRCode(String(repeating: "x", count: 62)))) == [
        0x1fcfaaa7f, 0x105caaa41, 0x17425555d, 0x17475555d, 0x1755aaa5d, 0x1042aaa41, 0x1fd55557f, 0xdaaa00,
        0x154eaaa12, 0x9b25554d, 0x1e7655517, 0xa3faaab2, 0x6456aae8, 0x16971554d, 0x25695517, 0x1e08eaab2,
        0x1ed86aae8, 0xaab9554d, 0x361d5517, 0x10b3aaab2, 0xd4ceaae8, 0xa359554d, 0x14c955517, 0x8342aab3,
        0x167e2abfa, 0x1b1551d, 0x1fcad5757, 0x10496a912, 0x1756aa9f8, 0x174c9561d, 0x175b154b5, 0x104b2a9e2,
        0x1fd62ab4b,
      ])
  }

  @Test func `the smallest code is chosen, and a long text has none`() throws {
    let sizes = [14, 15, 17, 18, 32, 33, 53, 54, 78, 79, 106, 107, 134, 135].map { count in
      QRCode(String(repeating: "a", count: count))?.size
    }
    #expect(sizes == [21, 21, 21, 25, 25, 29, 29, 33, 33, 37, 37, 41, 41, nil])
    let code = try #require(QRCode("é"))
    #expect(!code[-1, 0] && !code[0, 21] && code[0, 0] && code != QRCode("e"))
  }
}
