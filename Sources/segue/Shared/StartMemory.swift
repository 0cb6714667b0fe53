internal import CGlibcExtras
internal import Glibc

/// Memory that only the start of the program needed: code that runs once, symbol tables, freed allocations.
///
/// A page of code stays in memory although it is never used again, and counts for the player. The pages given back are
/// read-only and unchanged, so the next access maps them again from the page cache.
enum StartMemory {
  /// Gives the memory back to the system: a third of the player's share.
  static func release() {
    malloc_trim(0)
    releaseCode()
  }

  /// Gives only code and symbol tables back.
  static func releaseCode() {
    _ = segue_each_elf_object({ object, _, _ in object.map { StartMemory.release(ofObject: $0.pointee) } ?? 0 }, nil)
  }

  private static func release(ofObject object: segue_elf_object) -> CInt {
    let segments = UnsafeBufferPointer(start: object.segments, count: Int(object.segment_count))
    guard !segments.contains(where: { $0.type == PT_DYNAMIC && changesCode(object, $0) }) else { return 0 }
    let pageSize = UInt64(getpagesize())
    for segment in segments where segment.type == PT_LOAD && segment.flags & PF_W == 0 {
      let start = (UInt64(object.base) &+ segment.address) & ~(pageSize - 1)
      let end = UInt64(object.base) &+ segment.address &+ segment.memory_size
      madvise(UnsafeMutableRawPointer(bitPattern: UInt(start)), Int(end - start), MADV_DONTNEED)
    }
    return 0
  }

  /// True if the loader wrote into read-only segments (text relocations), which must not be read from the file again.
  private static func changesCode(_ object: segue_elf_object, _ dynamic: segue_elf_segment) -> Bool {
    guard let entries = UnsafePointer<segue_elf_dynamic>(bitPattern: object.base &+ UInt(dynamic.address)) else {
      return true
    }
    let count = Int(dynamic.memory_size) / MemoryLayout<segue_elf_dynamic>.size
    return UnsafeBufferPointer(start: entries, count: count).prefix { $0.tag != 0 }.contains {
      $0.tag == DT_TEXTREL || ($0.tag == DT_FLAGS && $0.value & DF_TEXTREL != 0)
    }
  }

  // elf(5)
  private static let PT_LOAD: UInt32 = 1
  private static let PT_DYNAMIC: UInt32 = 2
  private static let PF_W: UInt32 = 2
  private static let DT_TEXTREL: Int64 = 22
  private static let DT_FLAGS: Int64 = 30
  private static let DF_TEXTREL: UInt64 = 4
}
