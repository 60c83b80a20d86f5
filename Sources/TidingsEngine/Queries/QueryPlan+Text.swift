internal import TidingsModel

extension QueryPlan {
  /// The steps from the first to the last, for people.
  func steps(for query: RecordQuery) -> [String] {
    var steps = [accessText(query)]
    if !isExact { steps.append("read each record and compare it with \(query.predicate.text)") }
    switch order {
    case .any: break
    case .access: steps.append("the index has the order asked for")
    case .sorted(let isPrefix):
      let keys = query.sortKeys.map(\.text).joined(separator: ", then ")
      steps.append(
        isPrefix
          ? "sort by \(keys) as far as the index does not, until the page is sure"
          : "sort by \(keys), keeping what the page needs"
      )
    }
    return steps
  }

  private func accessText(_ query: RecordQuery) -> String {
    let whole = condition.isEmpty ? "all records of type \(query.recordType)" : condition
    return switch access {
    case .scan(let from, let to):
      from.isEmpty && to == QueryAccess.nameMax
        ? "scan \(query.zoneID == nil ? "all zones" : "the zone") for records of type "
          + query.recordType
        : "scan the names: \(condition)"
    case .named(let names): names.isEmpty ? "nothing matches" : "look up \(condition)"
    case .keys(let keys) where keys.isEmpty: "nothing in the index matches: \(whole)"
    case .range, .keys, .ranges: "index \(indexField): \(whole)"
    case .ordered(_, _, let descending, _):
      "index \(indexField) in \(descending ? "descending" : "ascending") order: \(whole)"
    }
  }
}

extension RecordQuery.SortKey {
  fileprivate var text: String {
    relativeLocation == nil
      ? "\(field)\(isDescending ? " descending" : "")" : "the distance of \(field)"
  }
}
