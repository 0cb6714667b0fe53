internal import Commands
internal import Library
internal import Playback

/// The observers of a session. A sentence about a command whose answer is awaited goes into that answer instead.
final class SessionObservers {
  private var observers: [any PlayerObserver] = []
  /// The sentences before the first turn, for a screen that is added after them; then `nil`.
  private var firstSentences: [(text: String, isLogged: Bool)]? = []
  /// The effects so far of the command that is being obeyed, if someone waits for its answer.
  private var witness: CommandWitness?

  /// Adds an observer, which `greet` shows the present state.
  func add(_ observer: any PlayerObserver, _ greet: (any PlayerObserver) -> Void) {
    observers.append(observer)
    greet(observer)
    for sentence in firstSentences ?? [] { observer.say(sentence.text, isLogged: sentence.isLogged) }
  }

  func beginTurn() { firstSentences = nil }

  func notify(_ show: (any PlayerObserver) -> Void) { for observer in observers { show(observer) } }

  /// Shows the listener a sentence, or gives it to the one who waits for an answer.
  func say(_ text: String, isLogged: Bool = false) {
    witness?.sentences.append(text)
    guard witness == nil else { return }
    firstSentences?.append((text, isLogged))
    notify { $0.say(text, isLogged: isLogged) }
  }

  /// Says the reason why a command has no effect.
  func refuse(_ text: String, isLogged: Bool = false) {
    witness?.isRefused = true
    say(text, isLogged: isLogged)
  }

  /// Collects the sentences of `body` instead of showing them.
  func effects(of body: () -> Void) -> CommandWitness {
    witness = CommandWitness()
    defer { witness = nil }
    body()
    return witness ?? CommandWitness()
  }

  /// Shows inputs that could not be added. `isRefused`: none could.
  func complain(_ failures: [CollectionFailure], isRefused: Bool) {
    for failure in failures {
      witness?.sentences.append(failure.description)
      notify { $0.complain(failure) }
    }
    if isRefused { witness?.isRefused = true }
  }
}
