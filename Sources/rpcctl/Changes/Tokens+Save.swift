internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  static let saveToken = Verb(
    command: Command(
      "tokens save",
      "Save a token to a file, for --since @FILE.",
      operands: "FILE TOKEN",
      completion: .files,
      discussion: """
        Examples:
          rpcctl tokens save notes.token Abo8V/kNxoLkAQDsHnMElU/Qao+L5XKGHUqK
          rpcctl fetch-zone-changes notes --since @notes.token --save-token notes.token
        """
    ),
    needsServer: false,
    dryRun: .byItself,
    run: { invocation in
      let operands = invocation.arguments.operands
      guard operands.count == 2 else { throw UsageError("expected FILE TOKEN") }
      let token = try changeToken(operands[1], "TOKEN")
      guard case .changeToken = TokenInspection(token).kind else {
        throw UsageError("invalid token '\(operands[1])': use a complete token as printed")
      }
      if invocation.previews("write the token to '\(operands[0])'") { return .success }
      try AtomicFile.write(Array((Base64.encode(token) + "\n").utf8), to: operands[0])
      return .success
    }
  )

  static let showToken = Verb(
    command: Command(
      "tokens show",
      "Print the token in a file, or in the --state of a watch.",
      operands: "FILE",
      completion: .files,
      discussion: """
        Examples:
          rpcctl tokens show notes.token
          rpcctl fetch-notification-changes --since "$(rpcctl tokens show mailer.state)"
        """
    ),
    needsServer: false,
    run: { invocation in
      let operands = invocation.arguments.operands
      guard operands.count == 1 else { throw UsageError("expected one FILE") }
      let token = try TokenText.bytes("@" + operands[0], "FILE", invocation.input)
      invocation.output.write(text: Base64.encode(token) + "\n")
      return .success
    }
  )

  static let resetToken = Verb(
    command: Command(
      "tokens reset",
      "Remove a token's file, so that the feed restarts from the beginning.",
      operands: "FILE",
      completion: .files,
      discussion: """
        The token is printed, so that it can be restored. The --state of a watch is removed too, unless
        the watch is running.

        Example:
          rpcctl tokens reset notes.token
        """
    ),
    needsServer: false,
    run: { invocation in
      let operands = invocation.arguments.operands
      guard operands.count == 1 else { throw UsageError("expected one FILE") }
      let token = try TokenText.bytes("@" + operands[0], "FILE", invocation.input)
      try invocation.confirm("remove the token in '\(operands[0])'")
      if !invocation.previews("remove '\(operands[0])'") { AtomicFile.remove(operands[0]) }
      invocation.output.write(text: Base64.encode(token) + "\n")
      return .success
    }
  )

  /// The verbs of tokens.
  static let tokenVerbs = [inspectToken, saveToken, showToken, resetToken, oldestToken]
}
