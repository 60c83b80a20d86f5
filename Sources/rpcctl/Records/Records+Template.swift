internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  static let recordTemplate = Verb(
    command: Command(
      "records template",
      "Print a template record of a type, with every field of the schema.",
      operands: "TYPE",
      completion: .live("types"),
      discussion: """
        Examples:
          rpcctl records template Houses > new.json
          rpcctl records template Houses | jq '.fields.city = "Berlin"' | rpcctl records put -
        """
    ),
    run: { invocation in
      let operands = try invocation.requireOperands("TYPE")
      guard operands.count == 1 else {
        throw UsageError("expected one TYPE: unexpected operand '\(operands[1])'")
      }
      let schema = try await invocation.fetchSchema().text
      let text = try RecordTemplate(type: operands[0], schema: schema).json
      invocation.output.write(
        text: String(decoding: text.text(isPretty: true), as: UTF8.self) + "\n"
      )
      return .success
    }
  )
}
