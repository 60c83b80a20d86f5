internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  static let saveToken = Verb(
    command: Command(
      "tokens save",
      "Keeps a token in a file, for --since @FILE.",
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
      guard operands.count == 2 else { throw UsageError("which? FILE TOKEN") }
      let token = try changeToken(operands[1], "TOKEN")
      guard case .changeToken = TokenInspection(token).kind else {
        throw UsageError("'\(operands[1])' is no token of a feed: it was cut, or is something else")
      }
      if invocation.wouldOnly("write the token to '\(operands[0])'") { return .success }
      try AtomicFile.write(Array((Base64.encode(token) + "\n").utf8), to: operands[0])
      return .success
    }
  )

  static let showToken = Verb(
    command: Command(
      "tokens show",
      "Prints the token in a file, also in the --state of a watch.",
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
      guard operands.count == 1 else { throw UsageError("which FILE?") }
      let token = try TokenText.bytes("@" + operands[0], "FILE", invocation.input)
      invocation.output.write(text: Base64.encode(token) + "\n")
      return .success
    }
  )

  static let resetToken = Verb(
    command: Command(
      "tokens reset",
      "Removes a token's file, so that its feed begins anew.",
      operands: "FILE",
      completion: .files,
      discussion: """
        The token is printed, so that nothing is lost. The --state of a watch is removed too, unless it
        is running.

        Example:
          rpcctl tokens reset notes.token
        """
    ),
    needsServer: false,
    run: { invocation in
      let operands = invocation.arguments.operands
      guard operands.count == 1 else { throw UsageError("which FILE?") }
      let token = try TokenText.bytes("@" + operands[0], "FILE", invocation.input)
      try invocation.confirm("forget the token in '\(operands[0])'")
      if !invocation.wouldOnly("remove '\(operands[0])'") { AtomicFile.remove(operands[0]) }
      invocation.output.write(text: Base64.encode(token) + "\n")
      return .success
    }
  )

  /// The verbs about tokens.
  static let tokenVerbs = [inspectToken, saveToken, showToken, resetToken, oldestToken]
}
