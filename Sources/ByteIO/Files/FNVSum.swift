extension Sequence<UInt8> {
  /// The 64-bit FNV-1a sum (Fowler, Noll, Vo): quick, and not safe against forgery.
  @inlinable
  public func fnvSum(from basis: UInt64 = 0xcbf2_9ce4_8422_2325) -> UInt64 {
    reduce(basis) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  /// The sum as 16 hexadecimal digits: for names of cache files.
  public func fnvDigits(from basis: UInt64 = 0xcbf2_9ce4_8422_2325) -> String {
    let digits = String(fnvSum(from: basis), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
