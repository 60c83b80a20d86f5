internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

extension Verb {
  private static let data = OptionKey<String?>(
    "data",
    letter: "d",
    value: "JSON",
    "The request: JSON, @FILE, or - for standard input; the same as the second operand."
  )
  private static let header = OptionKey<[String]>(
    list: "header",
    letter: "H",
    value: "KEY=VALUE",
    "Metadata to send with the call."
  )
  private static let emitDefaults = OptionKey<Bool>(
    flag: "emit-defaults",
    "Print fields that have their defaults too."
  )
  private static let stream = OptionKey<Bool>(
    flag: "stream",
    "Refuse a method that does not answer with a stream."
  )

  static let call = Verb(
    command: Command(
      "call",
      "Calls any method of the server, by reflection.",
      operands: "SERVICE/METHOD [JSON|@FILE|-]",
      completion: .live("methods"),
      options: [Option](of: data, header, emitDefaults, stream),
      discussion: """
        The request and the responses are in proto3's JSON mapping; without JSON the request is empty.
        Each message of a stream is printed as it comes; only a --timeout given on the command line
        ends a stream. The package may be left out of SERVICE where
        that is clear.

        Examples:
          rpcctl call tidings.rpc.v1.HealthService/Check '{}'
          rpcctl call RecordService/FetchRecords '{"recordIds":[{"recordName":"h1"}]}'
          rpcctl reflect template RecordService/FetchRecords | rpcctl call RecordService/FetchRecords -d -
          rpcctl call HealthService/Watch --stream
        """
    ),
    run: { invocation in
      let operands = invocation.arguments.operands
      guard (1...2).contains(operands.count) else {
        throw UsageError("call takes SERVICE/METHOD and at most one request in JSON")
      }
      for option in [Option](of: .container, .database, .environment)
      where invocation.arguments.isGiven(option) {
        throw UsageError(
          "call does not take \(option.spelling): set databaseId in the request instead"
        )
      }
      let data = invocation.arguments[data]
      guard data == nil || operands.count == 1 else {
        throw UsageError("the request stands twice: as the second operand and as --data")
      }
      let request = try invocation.input.value(
        data ?? (operands.count > 1 ? operands[1] : "{}"),
        "the request"
      )
      var options = invocation.callOptions
      options.metadata = try metadata(invocation.arguments)
      let transport = try await invocation.connect().transport
      let schema = try await Reflection.fetchSchema(transport, invocation)
      let (method, types) = try Reflection.method(operands[0], schema)
      if invocation.arguments[stream], method.kind == .unary {
        throw UsageError("\(method.fullName) answers once: leave out --stream")
      }
      var mapping = JSONTranscoder.Options()
      mapping.writesDefaults = invocation.arguments[emitDefaults]
      let transcoder = JSONTranscoder(schema: schema, options: mapping)
      let bytes = try encode(request, types.inputType, transcoder)
      switch method.kind {
      case .unary:
        let response = try await transport.unary(method, bytes, options: options)
        try print(response, types.outputType, transcoder, invocation.output)
      case .serverStreaming:
        // Streams may be meant to go on: only a limit given for this one counts.
        if !invocation.arguments.isGiven(.timeout) { options.timeout = nil }
        for try await response in transport.serverStreaming(method, bytes, options: options) {
          try print(response, types.outputType, transcoder, invocation.output)
        }
      }
      return .success
    }
  )

  private static func encode(
    _ request: JSONValue,
    _ type: String,
    _ transcoder: JSONTranscoder
  ) throws(UsageError) -> [UInt8] {
    do {
      return try transcoder.encode(request, as: type)
    } catch {
      throw UsageError("the request is not a \(type): \(error)")
    }
  }

  private static func print(
    _ response: [UInt8],
    _ type: String,
    _ transcoder: JSONTranscoder,
    _ output: Output
  ) throws {
    output.write(try transcoder.decode(response, as: type))
  }

  private static func metadata(_ arguments: ParsedArguments) throws(UsageError) -> Metadata {
    var metadata = Metadata()
    for header in arguments[header] {
      let parts = header.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw UsageError("--header takes KEY=VALUE, not '\(header)'")
      }
      metadata[String(parts[0])] = String(parts[1])
    }
    return metadata
  }
}
