public import AudioModel
internal import CPCRE2
internal import Threads

/// libpcre2's functions; `nil` if it is not installed. The first use loads it.
///
/// Safety: the table is filled once and never changes.
nonisolated(unsafe) private let libpcre2 = segue_pcre2_load()

/// A regular expression of a client, in the language of PCRE2, without captures. Any thread.
///
/// Strangers write them: the steps and the memory of each search are limited, and the time of all searches together
/// (docs/decisions/0057-regular-expressions-by-pcre2.md).
///
/// Safety: `code` and `data` are made and freed here, and used under the lock of `effort`.
public final class TextPattern: @unchecked Sendable {
  /// The effort that the expressions of one question may cost together.
  public final class Effort: Sendable {
    fileprivate let state: Guarded<(left: TimeSpan, failure: String?)>

    /// - Parameter limit: The time of all searches.
    public init(limit: TimeSpan) { state = Guarded((left: limit, failure: nil)) }

    /// The reason why searches have found nothing since it came; `nil` if they were completed.
    public var failure: String? { state.withLock { $0.failure } }
  }

  /// The reason why an expression cannot be used.
  public struct Refusal: Error, Hashable { public var text: String }

  /// The limits of a search: steps, and memory in KiB. PCRE2 keeps them if they stand before an expression, which can
  /// only lower them.
  private static let limits = "(*LIMIT_MATCH=100000)(*LIMIT_HEAP=1000)"
  /// Bytes of an expression.
  private static let byteLimit = 1000
  private let effort: Effort
  private let code: pcre2_code_t
  private let data: pcre2_match_data_t

  public static var library: SharedLibrary { SharedLibrary(SEGUE_PCRE2, functions: UnsafeRawPointer(libpcre2)) }

  /// - Throws: A refusal in MPD's words, if the expression has an error or libpcre2 is not installed.
  public init(_ expression: String, ignoresCase: Bool, _ effort: Effort) throws(Refusal) {
    guard let functions = libpcre2?.pointee else { throw Refusal(text: Self.library.complaint) }
    guard expression.utf8.count <= Self.byteLimit else { throw Refusal(text: "Regular expression is too long") }
    let options =
      SEGUE_PCRE2_UTF | SEGUE_PCRE2_NO_AUTO_CAPTURE | SEGUE_PCRE2_NEVER_BACKSLASH_C
      | (ignoresCase ? SEGUE_PCRE2_CASELESS : 0)
    let pattern = Self.limits + expression
    var (error, offset): (Int32, Int) = (0, 0)
    let code = pattern.withCString {
      functions.compile($0, pattern.utf8.count, options, &error, &offset, nil)
    }
    guard let code, let data = functions.createData(1, nil) else {
      functions.freeCode(code)
      let place = max(0, offset - Self.limits.utf8.count)
      throw Refusal(text: "Error in regex at offset \(place): \(Self.message(error, functions))")
    }
    (self.effort, self.code, self.data) = (effort, code, data)
  }

  deinit {
    libpcre2?.pointee.freeData(data)
    libpcre2?.pointee.freeCode(code)
  }

  /// True if it matches a part of the text. False from the first search on that was too costly (`Effort.failure`).
  public func matches(_ text: String) -> Bool {
    guard let functions = libpcre2?.pointee else { return false }
    return effort.state.withLock { state in
      guard state.failure == nil else { return false }
      let start = MonotonicTime.now
      let result = text.withCString {
        functions.match(code, $0, text.utf8.count, 0, SEGUE_PCRE2_NO_UTF_CHECK, data, nil)
      }
      state.left = state.left - (.now - start)
      if result < SEGUE_PCRE2_ERROR_NOMATCH {
        state.failure = "Regular expression: \(Self.message(result, functions))"
      } else if state.left < .zero {
        state.failure = "Regular expression takes too long"
      }
      return result >= 0
    }
  }

  private static func message(_ error: Int32, _ functions: pcre2_functions) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
      guard let start = text.baseAddress, functions.errorMessage(error, start, text.count) > 0 else {
        return "error \(error)"
      }
      return String(cString: start)
    }
  }
}
