internal import Foundation
internal import TidingsProto

extension NSPredicate {
  /// The condition as it is sent.
  ///
  /// - Throws: `CKError.invalidArguments` for what no server can evaluate.
  func wire() throws -> TidingsV1.Predicate {
    let text = try sent()
    return TidingsV1.Predicate(text: text.format, arguments: text.arguments)
  }

  /// The text that the server reads; arguments are in the order of their places.
  private func sent() throws -> FormatText {
    if let compound = self as? NSCompoundPredicate { return try compound.joined() }
    if let predicate = self as? FormatPredicate {
      return try FormatText(predicate.source).withSearch
    }
    if isEqual(NSPredicate(value: true)) { return FormatText(format: "TRUEPREDICATE") }
    if isEqual(NSPredicate(value: false)) { return FormatText(format: "FALSEPREDICATE") }
    throw CKError(
      .invalidArguments,
      "a predicate that is a block or a macro runs in the process and cannot be sent: make it with "
        + "NSPredicate(format:)"
    )
  }
}

extension NSCompoundPredicate {
  /// The parts in parentheses.
  fileprivate func joined() throws -> FormatText {
    var parts: [FormatText] = []
    for part in subpredicates {
      let text = try FormatText(part.wire())
      parts.append(.init(format: "(\(text.format))", arguments: text.arguments))
    }
    let arguments = parts.flatMap(\.arguments)
    let formats = parts.map(\.format)
    switch compoundPredicateType {
    case .not where parts.count == 1:
      return .init(format: "NOT \(formats[0])", arguments: arguments)
    case .and:
      let format = formats.isEmpty ? "TRUEPREDICATE" : formats.joined(separator: " AND ")
      return .init(format: format, arguments: arguments)
    case .or:
      let format = formats.isEmpty ? "FALSEPREDICATE" : formats.joined(separator: " OR ")
      return .init(format: format, arguments: arguments)
    default:
      throw CKError(.invalidArguments, "NOT takes one predicate, and has \(parts.count)")
    }
  }
}

extension FormatText {
  fileprivate init(_ predicate: TidingsV1.Predicate) {
    self.init(format: predicate.text, arguments: predicate.arguments)
  }
}
