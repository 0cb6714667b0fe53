/// `1 track`, `2 tracks`.
package func counted(_ count: Int, _ thing: String, _ digits: (Int) -> String = { "\($0)" }) -> String {
  digits(count) + " " + thing + (count == 1 ? "" : "s")
}
