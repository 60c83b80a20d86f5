internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  static let serverVerbs = [
    serverHealth, serverLimits, serverMetrics, serverStatistics, serverCheck,
  ]

  private static let serverLimits = Verb(
    command: Command(
      "server limits",
      "List the limits that the server enforces.",
      discussion: """
        Limits that can be set have the names of `rpcd --limit`; docs/limits.md describes each.

        Example:
          rpcctl server limits -o table
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let limits = try await fetchServerInfo(invocation).limits ?? .init()
      let fields = try Contract.schema.get().messages[TidingsRpcV1.Limits.messageName]?.fields ?? []
      let values = try Contract.fullJSON(limits).object
      var results = Results(columns: ["LIMIT", "VALUE"])
      for field in fields {
        let name = field.name.replacing("_", with: "-")
        let value = values?[field.jsonName] ?? .null
        // Proto3's JSON has 64-bit numbers as strings; these are small enough for numbers.
        let number = value.string.flatMap(Int64.init).map { JSONValue.integer($0) } ?? value
        results.append(
          .object(["name": .string(name), "value": number]),
          [name, number.description]
        )
      }
      return results.finish(invocation.output)
    }
  )

  static func fetchServerInfo(
    _ invocation: Invocation
  ) async throws -> TidingsRpcV1.FetchServerInfoResponse {
    try await TidingsRpcV1.ServerService.Client(try await invocation.connect().transport)
      .fetchServerInfo(.init(), options: invocation.callOptions)
  }
}
