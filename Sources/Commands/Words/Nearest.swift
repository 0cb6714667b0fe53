/// The name that somebody who misspelt it probably meant: one or, in long words, two letters are wrong, missing, too many
/// or swapped. `nil` if there is none.
public func nearest(to word: String, among names: [String]) -> String? {
  let letters = Array(word)
  let limit = letters.count < 3 ? 0 : letters.count < 6 ? 1 : 2
  let found = names.lazy.filter { abs($0.count - letters.count) <= limit }.map { ($0, distance(letters, Array($0))) }
  return found.filter { $0.1 <= limit }.min { $0.1 < $1.1 }?.0
}

/// The number of letters to change, insert, remove or swap with their neighbour ("optimal string alignment").
private func distance(_ first: [Character], _ second: [Character]) -> Int {
  var (before, last) = ([Int](), Array(0...second.count))
  for (row, letter) in first.enumerated() {
    var next = [row + 1]
    for (column, other) in second.enumerated() {
      var steps = min(last[column] + (letter == other ? 0 : 1), last[column + 1] + 1, next[column] + 1)
      if row > 0, column > 0, letter == second[column - 1], first[row - 1] == other {
        steps = min(steps, before[column - 1] + 1)
      }
      next.append(steps)
    }
    (before, last) = (last, next)
  }
  return last[second.count]
}

/// The end of a sentence about an unknown name.
public func didYouMean(_ name: String?) -> String { name.map { "; did you mean \($0)?" } ?? "" }
