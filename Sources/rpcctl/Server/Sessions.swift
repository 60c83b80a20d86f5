internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

/// The verbs that show who is connected, and end connections.
extension Verb {
  static let sessionVerbs = [sessionsList, devicesList, serverKick]

  private static let user = OptionKey<String?>("user", value: "NAME", "Only those of this user.")

  private static let sessionsList = Verb(
    command: Command(
      "sessions list",
      "Lists the connections that are open: whose, since when, what runs and waits on them.",
      options: [Option](of: user),
      discussion: """
        A session is a connection that has made a call, or subscribed to pushes. `callsOpen` are its calls that are
        not answered yet, `bytesHeld` the bytes of answers that it has not read. In development mode
        the user is whom its first call named. The caller needs the role admin.

        Examples:
          rpcctl sessions list -o table
          rpcctl sessions list --user ada
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let administration = try await invocation.administration()
      var request = TidingsV1.ListConnectionsRequest(userName: invocation.arguments[user] ?? "")
      var results = Results(
        columns: ["NUMBER", "USER", "DEVICE", "SINCE", "CALLS", "HELD", "TOPICS", "KEY"]
      )
      while true {
        let page = try await administration.listConnections(
          request,
          options: invocation.callOptions
        )
        for connection in page.connections {
          results.append(try connection.json, connection.row)
        }
        guard page.moreComing, let last = page.connections.last else { break }
        request.after = last.number
      }
      return results.finish(invocation.output)
    }
  )

  private static let devicesList = Verb(
    command: Command(
      "devices list",
      "Lists the devices of a user that have written something, with the day of their last write.",
      operands: "USER",
      completion: .live("users"),
      discussion: """
        A name is remembered for as long as tombstones after its last write; days are in UTC. The caller
        needs the role admin.

        Example:
          rpcctl devices list ada -o table
        """
    ),
    run: { invocation in
      let users = try invocation.requireOperands("USER")
      guard users.count == 1 else { throw UsageError("one USER: '\(users[1])' is one too many") }
      let administration = try await invocation.administration()
      var request = TidingsV1.ListDevicesRequest(userName: users[0])
      var results = Results(columns: ["DEVICE", "LAST WRITE"])
      while true {
        let page = try await administration.listDevices(request, options: invocation.callOptions)
        for device in page.devices {
          let day = String(
            (device.lastWrite.map { JSONValue.timestamp($0) }?.string ?? "").prefix { $0 != "T" }
          )
          results.append(
            .object(["deviceId": .string(device.deviceID), "lastWrite": .string(day)]),
            [device.deviceID, day]
          )
        }
        guard page.moreComing, let last = page.devices.last else { break }
        request.after = last.deviceID
      }
      return results.finish(invocation.output)
    }
  )

  private static let key = OptionKey<String?>("key", value: "PUBLIC-KEY", "Those with this key.")
  private static let numberOption = OptionKey<String?>(
    "number",
    value: "N",
    "The one with this number, as `sessions list` has it."
  )

  private static let serverKick = Verb(
    command: Command(
      "server kick",
      "Ends the connections of a user or a key, or one of them.",
      options: [Option](
        of: user.described("Those of this user, with all keys."),
        key,
        numberOption
      ),
      discussion: """
        Clients connect again by themselves, and calls that were under way end. To keep a user out: `users
        restrict`; a key: `keys revoke`. The connection of the command itself stays. The caller needs
        the role admin.

        Examples:
          rpcctl server kick --user ada
          rpcctl server kick --number 281474976710657
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let arguments = invocation.arguments
      let given = [Option](of: user, key, numberOption).filter(arguments.has)
      guard given.count == 1 else {
        throw UsageError(
          given.isEmpty
            ? "which connections? --user NAME, --key PUBLIC-KEY or --number N"
            : "\(given[0].spelling) and \(given[1].spelling) cannot be combined"
        )
      }
      let which: TidingsV1.EndConnectionsRequest.Which
      if let user = try arguments.nonEmpty(user) {
        which = .userName(user)
      } else if let key = try arguments.nonEmpty(key) {
        which = .publicKey(key)
      } else {
        guard let number = UInt64(arguments[numberOption] ?? ""), number > 0 else {
          throw UsageError(
            "--number takes the number of a connection, not '\(arguments[numberOption] ?? "")'"
          )
        }
        which = .number(number)
      }
      try invocation.confirm("end the connections that \(given[0].spelling) names")
      let response = try await invocation.administration().endConnections(
        .init(which: which),
        options: invocation.callOptions
      )
      if invocation.output.format == .table {
        invocation.output.write(text: "\(counted(Int(response.count), "connection")) ended\n")
      } else {
        invocation.output.write(.object(["ended": .integer(response.count)]))
      }
      return .success
    }
  )
}

extension TidingsV1.Connection {
  fileprivate var json: JSONValue {
    get throws {
      .omittingNil([
        // 64 bits: a string, as everywhere in proto3's JSON.
        "number": .string("\(number)"), "userName": .string(userName),
        "publicKey": publicKey.isEmpty ? nil : .string(publicKey),
        "deviceId": deviceID.isEmpty ? nil : .string(deviceID),
        "since": since.map { .timestamp($0) }, "callsOpen": .integer(callsOpen),
        "bytesHeld": .integer(bytesHeld), "isSubscriber": .bool(isSubscriber),
        "topics": isSubscriber ? .integer(topics) : nil,
      ])
    }
  }

  fileprivate var row: [String] {
    [
      "\(number)", userName, deviceID, since.map { JSONValue.timestamp($0) }?.string ?? "",
      isSubscriber ? "" : "\(callsOpen)", "\(bytesHeld)", isSubscriber ? "\(topics)" : "",
      publicKey,
    ]
  }
}
