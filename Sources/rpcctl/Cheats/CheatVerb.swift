internal import CommandLineTools
internal import TidingsJSON

extension Verb {
  static let cheat = Verb(
    command: Command(
      "cheat",
      "Show worked examples on a topic, or list the topics.",
      operands: "[TOPIC]",
      completion: .live("topics"),
      discussion: """
        Topics: \(Cheat.all.map(\.topic).joined(separator: ", ")).

        Examples:
          rpcctl cheat
          rpcctl cheat subscriptions
        """
    ),
    needsServer: false,
    run: { invocation in
      let operands = invocation.arguments.operands
      guard operands.count <= 1 else { throw UsageError("expected one topic") }
      guard let topic = operands.first else {
        var results = Results(columns: ["TOPIC", "ABOUT"])
        for cheat in Cheat.all {
          results.append(
            .object(["topic": .string(cheat.topic), "about": .string(cheat.summary)]),
            [cheat.topic, cheat.summary]
          )
        }
        return results.finish(invocation.output)
      }
      guard let cheat = Cheat.all.first(where: { $0.topic == topic }) else {
        let topics = Cheat.all.map(\.topic)
        let near = nearest(to: topic, among: topics)
        throw UsageError(
          "unknown topic '\(topic)'"
            + (near.map { "; did you mean \($0)?" }
              ?? ": use \(topics.joined(separator: ", "))")
        )
      }
      if invocation.output.asksForData {
        invocation.output.write(
          .object([
            "topic": .string(cheat.topic), "about": .string(cheat.summary),
            "text": .string(cheat.text),
          ])
        )
      } else {
        invocation.output.write(text: cheat.text + "\n")
      }
      return .success
    }
  )
}
