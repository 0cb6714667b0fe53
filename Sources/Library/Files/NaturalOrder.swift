/// Natural sort order: `2` before `10`, `a` beside `A`. It compares bytes, so names in any encoding have a place;
/// letters beyond ASCII follow, sorted by their bytes.
///
/// A strict order: names that differ only in case or leading zeros are ordered by their bytes.
func precedesNaturally(_ first: [UInt8], _ second: [UInt8]) -> Bool {
  let (a, b) = (first.span, second.span)
  var (i, j) = (0, 0)
  while i < a.count, j < b.count {
    if isDigit(a[i]), isDigit(b[j]) {
      let (left, right) = (digits(in: a, from: i), digits(in: b, from: j))
      if left.count != right.count { return left.count < right.count }
      for (x, y) in zip(left, right) where a[x] != b[y] { return a[x] < b[y] }
      (i, j) = (left.upperBound, right.upperBound)
    } else {
      let (x, y) = (lowercased(a[i]), lowercased(b[j]))
      if x != y { return x < y }
      (i, j) = (i + 1, j + 1)
    }
  }
  let (restOfFirst, restOfSecond) = (a.count - i, b.count - j)
  return restOfFirst != restOfSecond ? restOfFirst < restOfSecond : first.lexicographicallyPrecedes(second)
}

/// The run of digits from `start` on, without leading zeros.
private func digits(in name: Span<UInt8>, from start: Int) -> Range<Int> {
  var (first, end) = (start, start)
  while end < name.count, isDigit(name[end]) { end += 1 }
  while first < end, name[first] == UInt8(ascii: "0") { first += 1 }
  return first..<end
}

private func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

/// In ASCII.
func lowercased(_ byte: UInt8) -> UInt8 { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte }
