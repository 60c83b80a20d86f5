public import Foundation

/// A condition for records: text in NSPredicate's format language, with arguments.
///
/// Foundation's own class where Foundation cannot read formats: `NSPredicate(format:)` works here too,
/// for queries and subscriptions. It cannot evaluate objects in the process.
public typealias CKPredicate = NSPredicate

/// Lets `NSPredicate(format:)` make a predicate that keeps its format, which Foundation's class cannot here.
///
/// An initializer of a class makes that class; one of a protocol may choose.
public protocol NSPredicateChoosing {}

extension NSPredicate: NSPredicateChoosing {}

extension NSPredicateChoosing where Self: NSPredicate {
  /// A condition from its format.
  ///
  /// - Parameters:
  ///   - format: For example `price > %d AND %K == %@`.
  ///   - arguments: For each of `%@` a value, a record id, a reference, a place, a date or a list; for
  ///     each `%K` the name of a field; for `%d`, `%f` and their like a number.
  public init(format: String, _ arguments: Any?...) {
    self.init(format: format, argumentArray: arguments.map { $0 ?? NSNull() })
  }

  /// A condition from its format.
  public init(format: String, argumentArray arguments: [Any]?) {
    let source = PredicateSource(format: format, arguments: arguments ?? [])
    guard let predicate = FormatPredicate(source) as? Self else {
      preconditionFailure("\(Self.self) has no format: call NSPredicate(format:)")
    }
    self = predicate
  }
}

/// What a predicate was made of.
struct PredicateSource: @unchecked Sendable {
  // Arguments are values that nobody changes any more.
  let format: String
  let arguments: [Any]
}

/// A condition that was made from a format.
final class FormatPredicate: NSPredicate {
  let source: PredicateSource

  init(_ source: PredicateSource) {
    self.source = source
    super.init(value: false)
  }

  /// The format with its arguments; conditions differ when it does.
  override var predicateFormat: String {
    (try? FormatText(source))?.withValues ?? source.format
  }

  /// Conditions are equal when their formats are, with the arguments.
  override func isEqual(_ object: Any?) -> Bool {
    (object as? FormatPredicate)?.predicateFormat == predicateFormat
  }

  /// Of the format.
  override var hash: Int { predicateFormat.hashValue }

  /// Itself: conditions do not change.
  override func copy(with zone: NSZone? = nil) -> Any { self }
}
