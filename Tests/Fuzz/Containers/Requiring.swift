import Glibc

/// Ends the program with words if a condition does not hold; `precondition` has none where code is optimised.
func require(_ condition: Bool, _ failure: @autoclosure () -> String) {
  guard !condition else { return }
  print("FAILED:", failure())
  fflush(nil)
  abort()
}
