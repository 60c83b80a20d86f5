internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  /// The verbs of server reflection; `describe` is one of them.
  static let reflectVerbs = [
    listServices, listMethods, listSymbols, fetchDescriptorSet, printTemplate,
  ]

  private static let listServices = Verb(
    command: Command(
      "reflect services",
      "List the services of the server.",
      discussion: """
        Example:
          rpcctl reflect services -o table
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let schema = try await reflectedSchema(invocation)
      var results = Results(columns: ["SERVICE", "METHODS"])
      for service in schema.services.sorted(by: { $0.name < $1.name }) {
        results.append(
          .object([
            "name": .string(service.name), "methods": .integer(service.methods.count),
          ]),
          [service.name, "\(service.methods.count)"]
        )
      }
      return results.finish(invocation.output)
    }
  )

  private static let listMethods = Verb(
    command: Command(
      "reflect methods",
      "List the methods of services (default: of all services).",
      operands: "[SERVICE…]",
      completion: .live("services"),
      discussion: """
        A safe method has no side effects, so calls may be retried.

        Examples:
          rpcctl reflect methods RecordService -o table
          rpcctl reflect methods
        """
    ),
    run: { invocation in
      let schema = try await reflectedSchema(invocation)
      let names = invocation.arguments.operands
      let services =
        try names.isEmpty
        ? schema.services.sorted { $0.name < $1.name }
        : names.map { try Reflection.service($0, schema) }
      var results = Results(columns: ["METHOD", "REQUEST", "RESPONSE", "SAFE"])
      for service in services {
        for method in service.methods {
          let isSafe = method.idempotency == .noSideEffects
          results.append(
            .object([
              "name": .string("\(service.name)/\(method.name)"),
              "inputType": .string(method.inputType), "outputType": .string(method.outputType),
              "serverStreaming": .bool(method.isServerStreaming),
              "safe": .bool(isSafe),
            ]),
            [
              "\(Reflection.shortName(service.name))/\(method.name)",
              Reflection.shortName(method.inputType),
              (method.isServerStreaming ? "stream " : "") + Reflection.shortName(method.outputType),
              isSafe ? "yes" : "",
            ]
          )
        }
      }
      return results.finish(invocation.output)
    }
  )

  private static let listSymbols = Verb(
    command: Command(
      "reflect symbols",
      "List all symbols of `rpcctl describe`: services, methods, messages, enums.",
      discussion: """
        Example:
          rpcctl reflect symbols
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      var results = Results(columns: ["SYMBOL"])
      for symbol in ProtoText.symbols(try await reflectedSchema(invocation)).sorted() {
        results.append(.object(["name": .string(symbol)]), [symbol])
      }
      return results.finish(invocation.output)
    }
  )

  private static let file = OptionKey<String?>(
    "file",
    letter: "O",
    value: "FILE",
    completion: .files,
    "The file to write; an existing file is replaced (default: standard output)."
  )

  private static let fetchDescriptorSet = Verb(
    command: Command(
      "reflect descriptor-set",
      "Write the descriptors of all services to a file, for protoc, grpcurl, buf and others.",
      options: [Option](of: file),
      discussion: """
        The file is a serialized google.protobuf.FileDescriptorSet, imports before importers.

        Example:
          rpcctl reflect descriptor-set -O tidings.pb
        """
    ),
    dryRun: .byItself,
    run: { invocation in
      try invocation.refuseOperands()
      let path = invocation.arguments[file]
      let response = try await TidingsRpcV1.ReflectionService.Client(
        try await invocation.connect().transport
      ).fetchFileDescriptorSet(.init(), options: invocation.callOptions)
      guard let path else {
        invocation.output.write(bytes: response.fileDescriptorSet)
        return .success
      }
      if invocation.previews("write '\(path)'") { return .success }
      try AtomicFile.write(response.fileDescriptorSet, to: path)
      guard invocation.output.format != .table else { return .success }
      invocation.output.write(
        .object(["path": .string(path), "bytes": .integer(response.fileDescriptorSet.count)])
      )
      return .success
    }
  )

  private static let printTemplate = Verb(
    command: Command(
      "reflect template",
      "Print a template in JSON of a message or request, for `rpcctl call`.",
      operands: "MESSAGE|SERVICE/METHOD",
      completion: .live("symbols"),
      discussion: """
        For a method, prints its request. Of a oneof only the first field is included; lists and maps have
        one member.

        Examples:
          rpcctl reflect template RecordService/FetchRecords
          rpcctl reflect template tidings.v1.Record > record.json
        """
    ),
    run: { invocation in
      let operands = invocation.arguments.operands
      guard operands.count == 1 else { throw UsageError("expected one MESSAGE or SERVICE/METHOD") }
      let schema = try await reflectedSchema(invocation)
      let name =
        operands[0].contains("/")
        ? try Reflection.method(operands[0], schema).1.inputType
        : try Reflection.message(operands[0], schema)
      let template = MessageTemplate.json(name, schema)
      // People fill it in, so it is always indented.
      if invocation.arguments[.output] == nil {
        invocation.output.write(
          text: String(decoding: template.text(isPretty: true), as: UTF8.self) + "\n"
        )
      } else {
        invocation.output.write(template)
      }
      return .success
    }
  )

  private static func reflectedSchema(_ invocation: Invocation) async throws -> Schema {
    try await Reflection.fetchSchema(try await invocation.connect().transport, invocation)
  }
}
