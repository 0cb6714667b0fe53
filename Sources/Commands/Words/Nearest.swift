internal import Library

/// The name that somebody who misspelt it probably meant: one or, in long words, two letters are wrong, missing, too many
/// or swapped. `nil` if there is none.
public func nearest(to word: String, among names: [String]) -> String? {
  let letters = Array(word)
  let limit = letters.count < 3 ? 0 : letters.count < 6 ? 1 : 2
  let found = names.lazy.filter { abs($0.count - letters.count) <= limit }.map {
    ($0, editDistance(letters, Array($0)).whole)
  }
  return found.filter { $0.1 <= limit }.min { $0.1 < $1.1 }?.0
}

/// The end of a sentence about an unknown name.
public func didYouMean(_ name: String?) -> String { name.map { "; did you mean \($0)?" } ?? "" }
