/// True if both are the same. Takes the same time wherever the first difference is.
func isSamePassword(_ password: String, _ given: String) -> Bool {
  let (a, b) = (Array(password.utf8), Array(given.utf8))
  var difference = a.count ^ b.count
  for (place, byte) in b.enumerated() { difference |= Int(byte ^ (a.isEmpty ? 0 : a[place % a.count])) }
  return difference == 0 && !a.isEmpty
}
