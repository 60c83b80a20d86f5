internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

extension Verb {
  private static let data = OptionKey<String?>(
    "data",
    letter: "d",
    value: "JSON",
    "The request: JSON, @FILE, or - for standard input; same as the second operand."
  )
  private static let header = OptionKey<[String]>(
    list: "header",
    letter: "H",
    value: "KEY=VALUE",
    "Metadata to send with the call."
  )
  private static let emitDefaults = OptionKey<Bool>(
    flag: "emit-defaults",
    "Also print fields with default values."
  )
  private static let stream = OptionKey<Bool>(
    flag: "stream",
    "Fail if the method does not return a stream."
  )

  static let call = Verb(
    command: Command(
      "call",
      "Call any method of the server, by reflection.",
      operands: "SERVICE/METHOD [JSON|@FILE|-]",
      completion: .live("methods"),
      options: [Option](of: data, header, emitDefaults, stream),
      discussion: """
        The request and the responses use proto3's JSON mapping; the default request is empty. Each
        message of a stream is printed as it arrives; only an explicit --timeout limits a stream. The
        package of SERVICE is optional if the name is unambiguous.

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
        throw UsageError("expected SERVICE/METHOD and at most one request in JSON")
      }
      for option in [Option](of: .container, .database, .environment)
      where invocation.arguments.isGiven(option) {
        throw UsageError(
          "call does not support \(option.spelling): set databaseId in the request instead"
        )
      }
      let data = invocation.arguments[data]
      guard data == nil || operands.count == 1 else {
        throw UsageError("the second operand and --data cannot be combined")
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
        throw UsageError("\(method.fullName) does not return a stream: omit --stream")
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
        // A stream runs until it is interrupted: only an explicit limit applies.
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
      throw UsageError("invalid request of type \(type): \(error)")
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
        throw UsageError("invalid --header '\(header)': use KEY=VALUE")
      }
      metadata[String(parts[0])] = String(parts[1])
    }
    return metadata
  }
}
