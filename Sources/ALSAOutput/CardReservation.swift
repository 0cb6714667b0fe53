/// The right to use a sound card, which programs share by agreement: it lasts as long as this object. Used by one thread
/// at a time.
public protocol CardReservation: AnyObject {
  /// True if another program is to get the card. Returns at once.
  var isWanted: Bool { get }
}

public enum CardAnswer {
  case granted(any CardReservation)
  /// Another program keeps it.
  case refused
  /// There is nobody to ask.
  case unknown
}
