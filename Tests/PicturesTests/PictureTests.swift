import AudioModel
import Glibc
import Sandbox
import SoundServerSupport
import Testing
import Threads

@testable import Pictures

/// Decoding, by the real libraries.
@Suite struct PictureTests {
  /// Four areas: red, green, blue, white.
  private let areas = picture(64, 48) { x, y in
    y < 24 ? (x < 32 ? [255, 0, 0] : [0, 255, 0]) : (x < 32 ? [0, 0, 255] : [255, 255, 255])
  }

  /// The encoded form by ffmpeg.
  private func encoded(_ picture: Picture, _ name: String, _ options: [String] = []) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    try write(MadePNG.bytes(of: picture), to: folder("picture.png"))
    let result = try ChildProcess(
      ["ffmpeg", "-v", "error", "-i", folder("picture.png")] + options + [folder(name)]
    ).wait()
    try #require(result == 0)
    return contents(of: folder(name))
  }

  private func failure(_ bytes: [UInt8]) -> PictureError? {
    do throws(PictureError) {
      _ = try Picture(decoding: bytes, sideLimit: 640)
      return nil
    } catch { return error }
  }

  /// The greatest difference of any byte; `nil` for pictures of different sizes.
  private func difference(_ first: Picture, _ second: Picture) -> Int? {
    guard (first.width, first.height) == (second.width, second.height) else { return nil }
    return zip(first.bytes, second.bytes).map { abs(Int($0) - Int($1)) }.max()
  }

  @Test func `a PNG picture is decoded exactly`() throws {
    let areas = try #require(areas)
    #expect(try Picture(decoding: MadePNG.bytes(of: areas), sideLimit: 640) == areas)
  }

  @Test func `transparency blends with black`() throws {
    let pixels: [UInt8] = [200, 100, 50, 255, 200, 100, 50, 0]
    let file = MadePNG.file(width: 2, height: 1, colorType: 6, rows: pixels)
    #expect(try Picture(decoding: file, sideLimit: 640).bytes == [200, 100, 50, 0, 0, 0])
  }

  @Test(arguments: ["picture.jpg", "picture.webp"])
  func `other formats come close`(name: String) throws {
    let areas = try #require(areas)
    let options = name.hasSuffix("webp") ? ["-lossless", "1"] : ["-q:v", "1", "-pix_fmt", "yuvj444p"]
    let decoded = try Picture(decoding: encoded(areas, name, options), sideLimit: 640)
    #expect(try #require(difference(decoded, areas)) <= 12)
  }

  @Test func `the colours of print become those of a screen`() throws {
    let file = MadeJPEG.file(width: 20, height: 9, components: [200, 100, 50, 128])
    let decoded = try Picture(decoding: file, sideLimit: 640)
    // 200 * 128 / 255, and so on.
    #expect(decoded == picture(20, 9) { _, _ in [100, 50, 25] })
    let red = MadeJPEG.file(width: 20, height: 9, components: [255, 0, 0])
    #expect(try Picture(decoding: red, sideLimit: 640) == picture(20, 9) { _, _ in [255, 0, 0] })
  }

  @Test func `a large picture is reduced in its proportions`() throws {
    let file = MadeJPEG.file(width: 4000, height: 3000, components: [10, 20, 30])
    #expect(try Picture(decoding: file, sideLimit: 640) == picture(640, 480) { _, _ in [10, 20, 30] })
    let strip = try #require(picture(4000, 1) { x, _ in [UInt8(x / 40), 0, 0] })
    let reduced = try Picture(decoding: MadePNG.bytes(of: strip), sideLimit: 100)
    #expect(reduced == picture(100, 1) { x, _ in [UInt8(x), 0, 0] })
  }

  @Test(arguments: [["-lossless", "1"], ["-quality", "95"]])
  func `a WebP picture is reduced while it is decoded`(options: [String]) throws {
    let areas = try #require(areas)
    let large = areas.scaled(width: 640, height: 480)
    let decoded = try Picture(decoding: encoded(large, "picture.webp", options), sideLimit: 64)
    #expect(try #require(difference(decoded, areas)) <= 12)
    let narrow = try #require(picture(1200, 2) { _, _ in [10, 20, 30] })
    let strip = try Picture(decoding: encoded(narrow, "picture.webp", options), sideLimit: 100)
    #expect((strip.width, strip.height) == (100, 1))
  }

  @Test func `a reduced pixel is the average of its area`() throws {
    let board = try #require(picture(6, 6) { x, y in (x + y) % 2 == 0 ? [255, 0, 90] : [0, 0, 30] })
    #expect(board.scaled(width: 3, height: 3) == picture(3, 3) { _, _ in [128, 0, 60] })
    // 3 pixels to 2: each new one has one and a half.
    let ramp = try #require(picture(3, 1) { x, _ in [UInt8(30 * x), 0, 0] })
    #expect(ramp.scaled(width: 2, height: 1).bytes == [10, 0, 0, 50, 0, 0])
    #expect(ramp.scaled(width: 6, height: 2) == picture(6, 2) { x, _ in [UInt8(30 * (x / 2)), 0, 0] })
  }

  @Test func `a picture of absurd size is refused by its header`() throws {
    let files = [
      MadePNG.file(width: 60000, height: 60000, colorType: 2, rows: [0, 0, 0]),
      MadePNG.file(width: 16385, height: 1024, colorType: 2, rows: [0, 0, 0]),
      MadeJPEG.file(width: 60000, height: 60000, components: [0, 0, 0], blockCount: 1),
    ]
    for file in files {
      let error = try #require(failure(file))
      #expect(error.code == .tooLarge && error.description.contains("the limit is 16777216 in all"))
    }
    let scans = MadeJPEG.file(width: 8, height: 8, components: [0, 0, 0], scanCount: JPEG.scanLimit + 1)
    #expect(failure(scans)?.description == "this JPEG picture has more than 64 scans")
    #expect(failure([0xff, 0xd8, 0xff] + [UInt8](repeating: 0, count: Picture.byteLimit))?.code == .tooLarge)
  }

  @Test func `a JPEG picture that is cut off shows its beginning`() throws {
    let file = MadeJPEG.file(width: 64, height: 64, components: [200, 100, 50], blockCount: 8)
    let decoded = try Picture(decoding: file, sideLimit: 640)
    #expect((decoded.width, decoded.height) == (64, 64))
    let row = [[UInt8]](repeating: [200, 100, 50], count: 64).flatMap(\.self)
    for number in 0..<8 { #expect(Array(decoded.bytes[number * row.count..<(number + 1) * row.count]) == row) }
  }

  @Test func `scans are counted, whatever looks like one elsewhere`() {
    #expect(JPEG.scanCount(MadeJPEG.file(width: 20, height: 20, components: [1, 2, 3], scanCount: 5)) == 5)
    // In a comment; after filling bytes; at the end.
    let comment: [UInt8] = [0xff, 0xfe, 0, 10, 0xff, 0xda, 0, 2, 0xff, 0xda, 0, 2]
    #expect(JPEG.scanCount([0xff, 0xd8] + comment + [0xff, 0xff, 0xda, 0, 2, 0xff, 0xda]) == 2)
    #expect(JPEG.scanCount([0xff]) == 0)
  }

  @Test func `other bytes name the formats`() {
    for bytes in [[], Array("GIF89a....".utf8), [0xff, 0xd8]] {
      #expect(failure(bytes)?.description == "this picture is neither JPEG, PNG nor WebP")
    }
  }

  @Test(arguments: ["jpg", "png", "webp"])
  func `a picture that is cut or changed anywhere is shown in part, or an error`(kind: String) throws {
    let areas = try #require(areas)
    let bytes = kind == "png" ? MadePNG.bytes(of: areas) : try encoded(areas, "picture.\(kind)")
    let step = max(1, bytes.count / 300)
    var failureCount = 0
    for index in stride(from: 0, to: bytes.count, by: step) {
      var changed = bytes
      changed[index] ^= 0x5a
      for damaged in [Array(bytes[..<index]), changed] {
        do throws(PictureError) {
          let decoded = try Picture(decoding: damaged, sideLimit: 32)
          #expect(max(decoded.width, decoded.height) <= 32 && decoded.bytes.count == 3 * decoded.width * decoded.height)
        } catch {
          failureCount += 1
          #expect(error.code != .libraryMissing && !error.description.isEmpty)
        }
      }
    }
    #expect(failureCount > 0)
  }

  @Test func `pictures are decoded inside the sandbox, where their libraries can be opened`() throws {
    let areas = try #require(areas)
    let files = [
      MadePNG.bytes(of: areas), MadeJPEG.file(width: 8, height: 8, components: [1, 2, 3]),
      try encoded(areas, "picture.webp"),
    ]
    let outcome = Guarded<[String]>([])
    let sandbox = Sandbox(changeable: [])
    WorkerThread(named: "inside") {
      let protection = sandbox.enter()
      var results = [protection.filtersSystemCalls ? "" : "no sandbox"]
      for name in ["libturbojpeg.so.0", "libpng16.so.16", "libwebp.so.7"] {
        // In a name space of its own: another test may have opened it outside.
        let library = openAnew(name)
        results.append(library == nil ? "\(name): \(dlerror().map { String(cString: $0) } ?? "")" : "")
        if let library { dlclose(library) }
      }
      for file in files {
        do throws(PictureError) { _ = try Picture(decoding: file, sideLimit: 64) } catch {
          results.append(error.description)
        }
      }
      outcome.withLock { $0 = results }
    }.join()
    let results = outcome.withLock { $0 }
    #expect(results.count == 4 && results.allSatisfy(\.isEmpty), "\(results)")
  }

  @Test func `the libraries are named with their packages`() {
    let packages = Picture.libraries.compactMap(\.package)
    // libpng16-16t64 since Debian 13.
    #expect(packages.map { $0.replacing("t64", with: "") } == ["libturbojpeg0", "libpng16-16", "libwebp7"])
    #expect(Picture.libraries.allSatisfy { $0.address != nil })
  }
}

/// `dlmopen` in a new name space.
private func openAnew(_ name: String) -> UnsafeMutableRawPointer? {
  typealias Function = @convention(c) (Int, UnsafePointer<CChar>, Int32) -> UnsafeMutableRawPointer?
  guard let address = dlsym(UnsafeMutableRawPointer(bitPattern: 0), "dlmopen") else { return nil }
  // LM_ID_NEWLM.
  return unsafeBitCast(address, to: Function.self)(-1, name, RTLD_NOW)
}
