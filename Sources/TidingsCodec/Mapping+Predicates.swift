package import TidingsModel
package import TidingsProto
internal import TidingsRPC

extension TidingsV1.Predicate {
  /// The predicate, from its text or its tree.
  ///
  /// - Parameters:
  ///   - path: Names it in errors.
  ///   - isStored: The text is canonical, and may be longer than what a client may send.
  ///   - zone: The zone of references that name none.
  ///   - user: Whoever calls.
  /// - Returns: The predicate in canonical form.
  /// - Throws: `ItemError` `invalidArguments`, with the place in the text.
  package func model(
    _ path: String,
    isStored: Bool,
    zone: ZoneID? = nil,
    user: String? = nil
  ) throws -> Predicate {
    do {
      if isStored { return try Predicate(canonicalText: text) }
      let predicate = try sent(path, zone ?? .default, user)
      try predicate.checkPrice()
      return predicate
    } catch let error as PredicateError {
      throw ItemError(.invalidArguments, "\(path): \(error)", cause: error)
    }
  }

  private func sent(_ path: String, _ zone: ZoneID, _ user: String?) throws -> Predicate {
    switch (text.isEmpty, nodes.isEmpty) {
    case (false, true):
      return try Predicate(
        text: text,
        arguments: arguments.enumerated().map { index, argument in
          try argument.compared("\(path).arguments[\(index)]")
        },
        zone: zone,
        user: user
      )
    case (true, false):
      return try Predicate(postfix: nodes.flatMap { try $0.items(path) }, zone: zone, user: user)
    case (false, false):
      throw ItemError(.invalidArguments, "\(path) has a text and a tree: send one of them")
    case (true, true):
      throw ItemError(
        .invalidArguments,
        "\(path) is empty: send a text or a tree; TRUEPREDICATE matches all records"
      )
    }
  }
}

extension TidingsV1.PredicateNode {
  fileprivate func items(_ path: String) throws -> [Predicate.PostfixItem] {
    switch node {
    case .comparison(let comparison): [.comparison(try comparison.model(path))]
    case .constant(let value): [.constant(value)]
    case .andCount(let count): [.and(Int(count))]
    case .orCount(let count): [.or(Int(count))]
    case .not(true): [.not]
    case .not(false), nil:
      throw ItemError(
        .invalidArguments,
        "\(path).nodes has a node without a member, or a `not` that is false"
      )
    }
  }
}

extension TidingsV1.PredicateComparison {
  fileprivate func model(_ path: String) throws -> Predicate.Comparison {
    Predicate.Comparison(
      field: fieldName,
      operator: try modelOperator(path),
      values: try values.map { try $0.compared("\(path).nodes['\(fieldName)'].values") },
      modifier: try modelModifier(path),
      isCaseInsensitive: caseInsensitive
    )
  }

  private func modelModifier(_ path: String) throws -> Predicate.Comparison.Modifier {
    switch modifier {
    case .unspecified: .none
    case .any: .any
    case .all: .all
    default:
      throw ItemError(
        .invalidArguments,
        "\(path): the comparison of '\(fieldName)' has the unknown modifier \(modifier)"
      )
    }
  }

  private func modelOperator(_ path: String) throws -> Predicate.Comparison.Operator {
    switch self.operator {
    case .equal: .equal
    case .notEqual: .notEqual
    case .lessThan: .lessThan
    case .lessThanOrEqual: .lessThanOrEqual
    case .greaterThan: .greaterThan
    case .greaterThanOrEqual: .greaterThanOrEqual
    case .between: .between
    case .in: .in
    case .beginsWith: .beginsWith
    case .contains: .contains
    case .endsWith: .endsWith
    case .like: .like
    case .containsAnyTokens: .containsAnyTokens
    case .containsAllTokens: .containsAllTokens
    case .near: .near
    default:
      throw ItemError(
        .invalidArguments,
        "\(path): the comparison of '\(fieldName)' has the unknown operator \(self.operator)"
      )
    }
  }
}

extension TidingsV1.FieldValue {
  /// The value that a field is compared with: a reference without a zone names none yet.
  fileprivate func compared(_ path: String) throws -> FieldValue {
    switch (value, try required(path)) {
    case (.referenceValue(let sent)?, .reference(let reference)):
      .reference(reference.qualified(as: sent))
    case (.referenceListValue(let sent)?, .referenceList(let references)):
      .referenceList(zip(references, sent.values).map { $0.qualified(as: $1) })
    case (_, let value): value
    }
  }
}

extension Reference {
  /// The same, with the zone's name as it was sent.
  fileprivate func qualified(as sent: TidingsV1.Reference) -> Reference {
    var reference = self
    reference.recordID.zoneID.zoneName = sent.recordID?.zoneID?.zoneName ?? ""
    return reference
  }
}
