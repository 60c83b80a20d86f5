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
      "Lists the limits that the server enforces.",
      discussion: """
        The names are those of `rpcd --limit` where they can be set; docs/limits.md tells of each.

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
        // 64 bits are strings in proto3's JSON, and numbers here: none is that large.
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
