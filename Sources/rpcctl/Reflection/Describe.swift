internal import CommandLineTools
internal import TidingsJSON

extension Verb {
  static let describe = Verb(
    command: Command(
      "describe",
      aliases: ["reflect describe"],
      "Describe the server's services, or one service, method, message or enum.",
      operands: "[SYMBOL]",
      completion: .live("symbols"),
      discussion: """
        Examples:
          rpcctl describe
          rpcctl describe RecordService/FetchRecords
          rpcctl describe tidings.v1.Record
        """
    ),
    run: { invocation in
      guard invocation.arguments.operands.count <= 1 else {
        throw UsageError("expected one symbol")
      }
      let transport = try await invocation.connect().transport
      let schema = try await Reflection.fetchSchema(transport, invocation)
      guard let symbol = invocation.arguments.operands.first else {
        printServices(schema, invocation.output)
        return .success
      }
      guard let (name, text) = ProtoText.describe(symbol, schema) else {
        let symbols = ProtoText.symbols(schema)
        let near =
          nearest(to: symbol, among: symbols)
          ?? nearest(to: symbol, among: symbols.map(Reflection.shortName))
        throw UsageError(
          "unknown symbol '\(symbol)'" + (near.map { "; did you mean \($0)?" } ?? "")
        )
      }
      if invocation.output.format == .table {
        invocation.output.write(text: text)
      } else {
        invocation.output.write(.object(["name": .string(name), "text": .string(text)]))
      }
      return .success
    }
  )

  private static func printServices(_ schema: Schema, _ output: Output) {
    let services = schema.services.sorted { $0.name < $1.name }
    let list = services.map { service in
      JSONValue.object([
        "name": .string(service.name),
        "methods": .array(
          service.methods.map { method in
            .object([
              "name": .string(method.name), "inputType": .string(method.inputType),
              "outputType": .string(method.outputType),
              "serverStreaming": .bool(method.isServerStreaming),
              "safe": .bool(method.idempotency == .noSideEffects),
            ])
          }
        ),
      ])
    }
    output.write(list) {
      var table = Table(["METHOD", "REQUEST", "RESPONSE"])
      for service in services {
        for method in service.methods {
          table.append([
            "\(service.name)/\(method.name)", Reflection.shortName(method.inputType),
            (method.isServerStreaming ? "stream " : "") + Reflection.shortName(method.outputType),
          ])
        }
      }
      return table
    }
  }
}
