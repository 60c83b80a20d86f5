public import Foundation

/// A condition for records: text in NSPredicate's format language, with arguments.
///
/// Foundation's own class where Foundation cannot read formats: `NSPredicate(format:)` works here too,
/// for queries and subscriptions. It cannot evaluate objects in the process.
public typealias CKPredicate = NSPredicate

extension NSPredicate {
  /// A condition from its format.
  ///
  /// - Parameters:
  ///   - format: For example `price > %d AND %K == %@`.
  ///   - arguments: For each of `%@` a value, a record id, a reference, a place, a date or a list; for
  ///     each `%K` the name of a field; for `%d`, `%f` and their like a number.
  public convenience init(format: String, _ arguments: Any?...) {
    self.init(format: format, argumentArray: arguments.map { $0 ?? NSNull() })
  }

  /// A condition from its format.
  public convenience init(format: String, argumentArray arguments: [Any]?) {
    let source = PredicateSource(format: format, arguments: arguments ?? [])
    // Foundation keeps no text here; the block gives it to whom asks with a question of ours.
    self.init { object, _ in
      (object as? PredicateQuestion)?.answer = source
      return false
    }
  }
}

/// What a predicate was made of.
struct PredicateSource: @unchecked Sendable {
  // Arguments are values that nobody changes any more.
  let format: String
  let arguments: [Any]
}

/// Asks a predicate what it was made of.
final class PredicateQuestion {
  var answer: PredicateSource?

  /// What a predicate was made of; `nil` for one that was not made from a format.
  static func ask(_ predicate: NSPredicate) -> PredicateSource? {
    let question = PredicateQuestion()
    _ = predicate.evaluate(with: question)
    return question.answer
  }
}
