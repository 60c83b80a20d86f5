internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

extension Verb {
  private static let roundTripsMeasured = 5

  static let status = Verb(
    command: Command(
      "server status",
      aliases: ["status"],
      "Show version, endpoints, limits, counters and health of the server.",
      discussion: """
        Exits with 0 if the server is serving, with 1 if it is reachable but not serving, and with 78 if
        it cannot be reached. The round trip is the shortest of \(roundTripsMeasured). Of several nodes, it is about the
        one that is called, `nodeName`; `limits` and `incarnation` are those of the leader.

        Examples:
          rpcctl status
          rpcctl server status -o json
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let transport = try await invocation.connect().transport
      let health = TidingsRpcV1.HealthService.Client(transport)
      var serving = TidingsRpcV1.ServingStatus.unspecified
      var shortest = Duration.seconds(3600)
      for _ in 0..<roundTripsMeasured {
        let start = ContinuousClock.now
        serving = try await health.check(.init(), options: invocation.callOptions).status
        shortest = min(shortest, ContinuousClock.now - start)
      }
      let info = try await TidingsRpcV1.ServerService.Client(transport)
        .fetchServerInfo(.init(), options: invocation.callOptions)
      try print(info, serving, roundTrip: shortest, invocation.output)
      return serving == .serving ? .success : .localFailure
    }
  )

  private static func print(
    _ info: TidingsRpcV1.FetchServerInfoResponse,
    _ serving: TidingsRpcV1.ServingStatus,
    roundTrip: Duration,
    _ output: Output
  ) throws {
    let milliseconds = (roundTrip / .milliseconds(1) * 1000).rounded() / 1000
    var object: JSONObject = [
      "roundTripMilliseconds": .double(milliseconds),
      "health": .string(Contract.shortName(serving, "SERVING_STATUS_")),
    ]
    for member in try Contract.json(info).object?.members ?? [] {
      object.append(member.name, member.value)
    }
    write(object, output)
  }

  /// Prints an object: as JSON, or with one line per value.
  static func write(_ object: JSONObject, _ output: Output) {
    guard output.format == .table else { return output.write(.object(object)) }
    var table = Table(["", ""])
    for member in object.members { append(member.name, member.value, to: &table) }
    output.write(text: table.textWithoutHeader)
  }

  private static func append(_ name: String, _ value: JSONValue, to table: inout Table) {
    switch value {
    case .object(let object):
      for member in object.members { append("\(name).\(member.name)", member.value, to: &table) }
    case .string(let text): table.append([name, text])
    default: table.append([name, value.description])
    }
  }
}

extension Table {
  /// The rows alone, without header.
  var textWithoutHeader: String { String(description.drop { !$0.isNewline }.dropFirst()) }
}
