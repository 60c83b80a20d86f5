internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  static let explain = Verb(
    command: Command(
      "explain",
      "Explain a query: the index that it uses, and the records that it visits.",
      operands: "TYPE",
      options: queryOptions,
      discussion: """
        Example:
          rpcctl explain Houses --where 'city = "Berlin"' --sort=-price

        The query is executed for its first page; its records are not returned.
        """
    ),
    run: { invocation in
      let request = TidingsV1.ExplainQueryRequest(query: try queryRequest(invocation))
      let records = TidingsV1.RecordService.Client(try await invocation.connect().transport)
      let response = try await records.explainQuery(request, options: invocation.callOptions)
      if invocation.output.format == .table {
        invocation.output.write(text: text(response))
      } else {
        invocation.output.write(json(response))
      }
      return .success
    }
  )

  private static func text(_ response: TidingsV1.ExplainQueryResponse) -> String {
    var lines = ["predicate: \(response.predicate)"]
    for (index, step) in response.steps.enumerated() { lines.append("\(index + 1). \(step)") }
    let index =
      response.indexField.isEmpty
      ? "no index"
      : "index of \(response.indexField)"
        + (response.sortedByIndex ? ", also for sorting" : "")
    lines.append("served by: \(index)")
    lines.append(
      "visited: \(response.entriesVisited) index entries, \(response.recordsVisited) records; "
        + "\(response.recordsMatched) matched"
    )
    if !response.advice.isEmpty { lines.append("advice: \(response.advice)") }
    for warning in response.warnings { lines.append("warning: \(warning)") }
    return lines.map { printable($0) + "\n" }.joined()
  }

  private static func json(_ response: TidingsV1.ExplainQueryResponse) -> JSONValue {
    .omittingNil([
      "predicate": .string(response.predicate),
      "steps": .array(response.steps.map { .string($0) }),
      "indexField": response.indexField.isEmpty ? nil : .string(response.indexField),
      "sortedByIndex": .bool(response.sortedByIndex),
      "entriesVisited": .integer(response.entriesVisited),
      "recordsVisited": .integer(response.recordsVisited),
      "recordsMatched": .integer(response.recordsMatched),
      "advice": response.advice.isEmpty ? nil : .string(response.advice),
      "warnings": response.warnings.isEmpty
        ? nil : .array(response.warnings.map { .string($0) }),
    ])
  }
}
