extension String {
  /// The first of its characters, with dots for those that have no form.
  var printable: String { String(prefix(32).map { $0.isASCII && $0 >= " " ? $0 : "." }) }
}
