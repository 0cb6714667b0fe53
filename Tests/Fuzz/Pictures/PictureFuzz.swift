import Pictures

/// Any bytes as a picture, by the libraries of the system, and what comes out as characters: nothing may trap, hang, or
/// touch memory that is not its own. libFuzzer calls it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPictures(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let data else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: data, count: count))
  guard let picture = try? Picture(decoding: bytes, sideLimit: 64) else { return 0 }
  precondition(max(picture.width, picture.height) <= 64, "a side beyond its limit")
  for blocks in PictureBlocks.allCases {
    let cells = PictureCells(picture, columns: 20, rows: 10, blocks: blocks)
    precondition(cells.map { $0.cells.count == $0.columns * $0.rows } == true, "cells are missing")
  }
  return 0
}
