/// The number of letters to change, insert, remove or swap with their neighbour ("optimal string alignment"), and the same
/// for the nearest beginning of the second word, with its length.
package func editDistance<Letter: Equatable>(
  _ first: [Letter], _ second: [Letter]
) -> (whole: Int, beginning: (distance: Int, count: Int)) {
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
  let nearest = last.indices.min { last[$0] < last[$1] } ?? 0
  return (last[second.count], (last[nearest], nearest))
}
