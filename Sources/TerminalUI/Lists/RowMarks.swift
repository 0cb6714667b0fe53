/// The marked rows of a list, one bit for each row, so that a million marks take little time and memory.
struct RowMarks: Sendable, Equatable {
  private var words: [UInt64] = []
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  subscript(row: Int) -> Bool {
    get { row >> 6 < words.count && words[row >> 6] & bit(row) != 0 }
    set {
      guard newValue != self[row] else { return }
      if row >> 6 >= words.count { words += Array(repeating: 0, count: (row >> 6) + 1 - words.count) }
      words[row >> 6] ^= bit(row)
      count += newValue ? 1 : -1
    }
  }

  private func bit(_ row: Int) -> UInt64 { 1 << UInt64(row & 63) }

  /// The marked rows, in their order.
  var rows: [Int] {
    var rows: [Int] = []
    rows.reserveCapacity(count)
    for (index, word) in words.enumerated() {
      var word = word
      while word != 0 {
        rows.append(index << 6 + word.trailingZeroBitCount)
        word &= word - 1
      }
    }
    return rows
  }

  /// The marks of the same subjects in a changed list. Subjects that are gone lose their marks.
  ///
  /// - Parameter old, new: The subjects of the rows before and now.
  func moved<Subjects: RandomAccessCollection>(from old: Subjects, to new: Subjects) -> RowMarks
  where Subjects.Element: Hashable, Subjects.Index == Int {
    guard !isEmpty else { return self }
    let shorter = min(old.count, new.count)
    // Most changes are about few rows: those before and behind keep their marks.
    var start = 0
    while start < shorter, old[old.startIndex + start] == new[new.startIndex + start] { start += 1 }
    var end = 0
    while end < shorter - start, old[old.endIndex - 1 - end] == new[new.endIndex - 1 - end] { end += 1 }
    var between: Set<Subjects.Element> = []
    var marks = RowMarks()
    for row in rows {
      if row < start {
        marks[row] = true
      } else if row >= old.count - end {
        marks[row + new.count - old.count] = true
      } else {
        between.insert(old[old.startIndex + row])
      }
    }
    guard !between.isEmpty else { return marks }
    for row in start..<(new.count - end) where between.contains(new[new.startIndex + row]) { marks[row] = true }
    return marks
  }
}
