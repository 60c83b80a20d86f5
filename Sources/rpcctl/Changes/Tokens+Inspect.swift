internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  private static let checkOption = OptionKey<Bool>(
    flag: "check",
    "Check with the server whether the token belongs to its data."
  )

  static let inspectToken = Verb(
    command: Command(
      "tokens inspect",
      "Show the readable parts of a change token.",
      operands: "TOKEN|@FILE",
      completion: .files,
      options: [Option](of: checkOption),
      discussion: """
        A token belongs to one feed of one server's data: `incarnation` identifies the data, and changes
        when a backup is restored. The numbers are internal to the server. FILE may also be the --state
        of a watch. With --check, exits with 3 if the token belongs to other data.

        Examples:
          rpcctl tokens inspect AQIDBAUG
          rpcctl tokens inspect @mailer.state --check
        """
    ),
    needsServer: false,
    run: { invocation in
      let text = try invocation.oneToken()
      let bytes =
        text.hasPrefix("@")
        ? try invocation.input.tokenBytes(String(text.dropFirst())) : try changeToken(text, "TOKEN")
      let inspection = TokenInspection(bytes)
      var object = inspection.json.object ?? [:]
      var isForeign = false
      if invocation.arguments[checkOption] {
        let server = TidingsRpcV1.ServerService.Client(try await invocation.connect().transport)
        let info = try await server.fetchServerInfo(.init(), options: invocation.callOptions)
        isForeign = inspection.incarnation != info.incarnation
        object.append("isOfThisServer", .bool(!isForeign))
      }
      invocation.output.write(.object(object))
      return isForeign ? .conditionNotMet : .success
    }
  )

  static let oldestToken = Verb(
    command: Command(
      "tokens oldest",
      "Show how long tokens and cursors stay valid.",
      discussion: """
        Example:
          rpcctl tokens oldest
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let server = TidingsRpcV1.ServerService.Client(try await invocation.connect().transport)
      let info = try await server.fetchServerInfo(.init(), options: invocation.callOptions)
      let limits = info.limits ?? .init()
      let day: Int64 = 86_400
      let ages: [(feed: String, seconds: Int64)] = [
        ("zone changes", Int64(limits.tombstoneRetentionDays) * day),
        ("notifications", Int64(limits.notificationRetentionDays) * day),
        ("query cursors", Int64(limits.cursorRetentionMinutes) * 60),
      ]
      let now = wallClock()
      func oldest(_ seconds: Int64) -> GoogleProtobuf.Timestamp {
        .init(seconds: now.seconds - seconds, nanos: now.nanos)
      }
      let list = ages.map { age in
        JSONValue.object([
          "feed": .string(age.feed), "seconds": .integer(age.seconds),
          "oldest": .timestamp(oldest(age.seconds)),
        ])
      }
      invocation.output.write(list) {
        var table = Table(["FEED", "GOOD FOR", "ISSUED AFTER"])
        for age in ages {
          table.append([
            age.feed, Duration.seconds(age.seconds).shortText, oldest(age.seconds).text,
          ])
        }
        return table
      }
      return .success
    }
  )
}

extension Invocation {
  /// Returns the token of the one operand.
  fileprivate func oneToken() throws(UsageError) -> String {
    guard arguments.operands.count == 1 else {
      throw UsageError("expected one token: TOKEN as printed, or @FILE")
    }
    return arguments.operands[0]
  }
}

extension Input {
  /// Returns the token in a file: the state of a watch, or the bytes of the token in it.
  fileprivate func tokenBytes(_ path: String) throws -> [UInt8] {
    let content = try readNamed(path)
    if case .watchState = TokenInspection(content).kind { return content }
    return try TokenText.bytes("@" + path, "TOKEN", self)
  }
}
