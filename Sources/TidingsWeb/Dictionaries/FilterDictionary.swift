internal import TidingsJSON
internal import TidingsProto

/// `filterBy`: conditions that all must hold.
enum FilterDictionary {
  static func predicate(
    _ filters: [WebInput],
    of recordType: String = "",
    as schema: WebSchema? = nil,
    in database: WebDatabase
  ) throws(WebFailure) -> TidingsV1.Predicate? {
    var nodes: [TidingsV1.PredicateNode] = []
    for filter in filters {
      try filter.check(.filter)
      let name = try filter.string("fieldName") ?? ""
      let type = schema?.type(of: name, in: recordType)
      nodes += try Self.nodes(filter, type, in: database)
    }
    if filters.count > 1 { nodes.append(.init(node: .andCount(UInt32(filters.count)))) }
    return nodes.isEmpty ? nil : .init(nodes: nodes)
  }

  /// The condition in postfix order.
  private static func nodes(
    _ filter: WebInput,
    _ type: String?,
    in database: WebDatabase
  ) throws(WebFailure) -> [TidingsV1.PredicateNode] {
    let comparator = try filter.requiredString("comparator")
    let isNegated = comparator.hasPrefix("NOT_") && comparator != "NOT_EQUALS"
    let name = isNegated ? String(comparator.dropFirst("NOT_".count)) : comparator
    let field = try fieldName(filter)
    let input = try filter.requiredObject("fieldValue")
    let hint = (systemType(field) ?? type).flatMap { valueType(of: $0, name, input) }
    let value = try FieldDictionary.read(
      input,
      hint: hint,
      in: database
    )
    func comparison(
      _ relation: TidingsV1.PredicateOperator,
      _ values: [TidingsV1.FieldValue],
      _ modifier: TidingsV1.PredicateModifier = .unspecified
    ) -> TidingsV1.PredicateNode {
      .init(
        node: .comparison(
          .init(fieldName: field, operator: relation, values: values, modifier: modifier)
        )
      )
    }
    func each(
      _ join: (UInt32) -> TidingsV1.PredicateNode.Node
    ) throws(WebFailure)
      -> [TidingsV1.PredicateNode]
    {
      let values = try members(value, filter)
      guard !values.isEmpty else {
        throw .badRequest("\(filter.path(to: "fieldValue")) is empty: \(comparator) needs values")
      }
      let nodes = values.map { comparison(.contains, [$0]) }
      return nodes.count == 1 ? nodes : nodes + [.init(node: join(UInt32(nodes.count)))]
    }
    var nodes: [TidingsV1.PredicateNode]
    switch name {
    case "EQUALS": nodes = [comparison(.equal, [value])]
    case "NOT_EQUALS": nodes = [comparison(.notEqual, [value])]
    case "LESS_THAN": nodes = [comparison(.lessThan, [value])]
    case "LESS_THAN_OR_EQUALS": nodes = [comparison(.lessThanOrEqual, [value])]
    case "GREATER_THAN": nodes = [comparison(.greaterThan, [value])]
    case "GREATER_THAN_OR_EQUALS": nodes = [comparison(.greaterThanOrEqual, [value])]
    case "IN": nodes = [comparison(.in, try members(value, filter))]
    case "BEGINS_WITH": nodes = [comparison(.beginsWith, [value])]
    case "NEAR": nodes = [comparison(.near, [value, try distance(filter)])]
    case "CONTAINS_ALL_TOKENS": nodes = [comparison(.containsAllTokens, [value])]
    case "CONTAINS_ANY_TOKENS": nodes = [comparison(.containsAnyTokens, [value])]
    case "LIST_CONTAINS": nodes = [comparison(.contains, [value])]
    case "LIST_CONTAINS_ANY": nodes = try each { .orCount($0) }
    case "LIST_CONTAINS_ALL": nodes = try each { .andCount($0) }
    case "LIST_MEMBER_BEGINS_WITH": nodes = [comparison(.beginsWith, [value], .any)]
    default:
      throw .badRequest("\(filter.path(to: "comparator")) '\(comparator)' is not known")
    }
    if isNegated { nodes.append(.init(node: .not(true))) }
    return nodes
  }

  /// What a condition compares a field with, whose type is known.
  private static func valueType(of type: String, _ comparator: String, _ value: WebInput) -> String?
  {
    let isList = value["value"]?.array != nil
    // Tokens, beginnings and places are what they look like.
    guard isList || !["NEAR", "BEGINS_WITH"].contains(comparator),
      !comparator.hasPrefix("CONTAINS_"), !type.isEmpty, type != "UNKNOWN_LIST"
    else { return nil }
    let member = type.hasSuffix("_LIST") ? String(type.dropLast("_LIST".count)) : type
    return isList ? member + "_LIST" : member
  }

  private static func distance(_ filter: WebInput) throws(WebFailure) -> TidingsV1.FieldValue {
    guard let value = filter["distance"] else { throw filter.missing("distance") }
    guard let metres = value.number?.double else {
      throw filter.wrong("distance", value, "a number of metres")
    }
    return .init(value: .doubleValue(metres))
  }

  private static func members(
    _ value: TidingsV1.FieldValue,
    _ filter: WebInput
  ) throws(WebFailure) -> [TidingsV1.FieldValue] {
    switch value.value {
    case .stringListValue(let list)?: list.values.map { .init(value: .stringValue($0)) }
    case .int64ListValue(let list)?: list.values.map { .init(value: .int64Value($0)) }
    case .doubleListValue(let list)?: list.values.map { .init(value: .doubleValue($0)) }
    case .bytesListValue(let list)?: list.values.map { .init(value: .bytesValue($0)) }
    case .timestampListValue(let list)?: list.values.map { .init(value: .timestampValue($0)) }
    case .locationListValue(let list)?: list.values.map { .init(value: .locationValue($0)) }
    case .referenceListValue(let list)?: list.values.map { .init(value: .referenceValue($0)) }
    case .unknownListValue?: []
    default: throw .badRequest("\(filter.path(to: "fieldValue")) is not a list")
    }
  }

  /// The name of a field, or of a system field, as the server knows it.
  static func fieldName(_ input: WebInput) throws(WebFailure) -> String {
    if let system = try input.string("systemFieldName") {
      return try systemName(system, input.path(to: "systemFieldName"))
    }
    let name = try input.requiredString("fieldName")
    guard name.hasPrefix("___") else { return name }
    return try systemName(name, input.path(to: "fieldName"))
  }

  /// The type of a system field.
  private static func systemType(_ field: String) -> String? {
    switch field {
    case "recordID", "creatorUserRecordID", "lastModifiedUserRecordID", "parent": "REFERENCE"
    case "creationDate", "modificationDate": "TIMESTAMP"
    default: nil
    }
  }

  private static func systemName(_ name: String, _ path: String) throws(WebFailure) -> String {
    switch name.lowercased() {
    case "recordname", "___recordid", "recordid": "recordID"
    case "___createdby", "createduserrecordname", "creatoruserrecordid": "creatorUserRecordID"
    case "___createtime", "createdtimestamp", "creationdate": "creationDate"
    case "___modifiedby", "modifieduserrecordname", "lastmodifieduserrecordid":
      "lastModifiedUserRecordID"
    case "___modtime", "modifiedtimestamp", "modificationdate": "modificationDate"
    case "___parent", "parent": "parent"
    case "___share", "share":
      throw .badRequest(
        "\(path) '\(name)' cannot be queried here: fetch the share, and query the records whose parent is its root"
      )
    default: throw .badRequest("\(path) '\(name)' is not a system field that can be queried")
    }
  }
}

extension WebInput {
  /// Whether a condition of a query has a value that says no type.
  func hasUntaggedFilter() throws(WebFailure) -> Bool {
    for filter in try objects("filterBy") where try filter.object("fieldValue")?["type"] == nil {
      return true
    }
    return false
  }
}
