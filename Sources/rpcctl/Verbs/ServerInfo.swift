internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  static let serverVerbs = [serverHealth, serverInfo, serverLimits, serverMetrics]

  private static let serverInfo = Verb(
    command: Command(
      "server info",
      "Tells version, endpoints, incarnation, start and mode of the server.",
      discussion: """
        `rpcctl status` tells limits, counters and health too.

        Example:
          rpcctl server info -o table
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      var info = try await fetchServerInfo(invocation)
      (info.limits, info.counters) = (nil, nil)
      write(try Contract.fullJSON(info).object?.without(["limits", "counters"]) ?? [:], invocation.output)
      return .success
    }
  )

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
      let about = try Contract.schema.get().messages[TidingsRpcV1.Limits.messageName]
      var results = Results(columns: ["LIMIT", "VALUE", "ABOUT"])
      for member in try Contract.fullJSON(limits).object?.members ?? [] {
        let field = about?.fields.first { $0.jsonName == member.name }
        let name = (field?.name ?? member.name).replacing("_", with: "-")
        let value = member.value.string ?? "\(member.value)"
        let comment = (field?.comment ?? "").split(whereSeparator: \.isNewline)
          .map { $0.trimmingPrefix { $0 == " " } }.joined(separator: " ")
        results.append(
          .object(["name": .string(name), "value": .string(value), "about": .string(comment)]),
          [name, value, comment]
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

extension JSONObject {
  /// The object without some of its members.
  func without(_ names: Set<String>) -> JSONObject {
    var rest: JSONObject = [:]
    for member in members where !names.contains(member.name) {
      rest.append(member.name, member.value)
    }
    return rest
  }
}
