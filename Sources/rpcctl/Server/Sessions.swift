internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

/// Verbs that list and end connections.
extension Verb {
  static let sessionVerbs = [sessionsList, devicesList, serverKick]

  private static let user = OptionKey<String?>(
    "user",
    value: "NAME",
    "Only connections of this user."
  )

  private static let sessionsList = Verb(
    command: Command(
      "sessions list",
      "List open connections, with their user, start time, and open calls.",
      options: [Option](of: user),
      discussion: """
        A session is a connection that has made a call or subscribed to pushes. `callsOpen` is its number
        of open calls, `bytesHeld` the bytes of responses that it has not read. In development mode the
        user is that of its first call. Of several nodes, they are those of the one that is called. Requires the
        admin role.

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
      "List the devices of a user that have written, with the day of their last write.",
      operands: "USER",
      completion: .live("users"),
      discussion: """
        A device is listed for as long as tombstones are kept after its last write; days are in UTC.
        Requires the admin role.

        Example:
          rpcctl devices list ada -o table
        """
    ),
    run: { invocation in
      let users = try invocation.requireOperands("USER")
      guard users.count == 1 else {
        throw UsageError("expected one USER: unexpected operand '\(users[1])'")
      }
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

  private static let key = OptionKey<String?>(
    "key",
    value: "PUBLIC-KEY",
    "The connections with this key."
  )
  private static let numberOption = OptionKey<String?>(
    "number",
    value: "N",
    "The connection with this number, from `sessions list`."
  )

  private static let serverKick = Verb(
    command: Command(
      "server kick",
      "End the connections of a user or a key, or a single one.",
      options: [Option](
        of: user.described("The connections of this user, with any key."),
        key,
        numberOption
      ),
      discussion: """
        Clients reconnect by themselves; their running calls fail. To lock out a user, use `users
        restrict`; to lock out a key, `keys revoke`. The connection of this command is kept. Of several nodes,
        only connections of the one that is called end. Requires the admin role.

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
            ? "no connections: use --user NAME, --key PUBLIC-KEY or --number N"
            : "\(given[0].spelling) and \(given[1].spelling) cannot be combined"
        )
      }
      let which: TidingsV1.EndConnectionsRequest.Which
      if let user = arguments[user] {
        which = .userName(user)
      } else if let key = arguments[key] {
        which = .publicKey(key)
      } else {
        guard let number = UInt64(arguments[numberOption] ?? ""), number > 0 else {
          throw UsageError(
            "invalid --number '\(arguments[numberOption] ?? "")': use a number from `sessions list`"
          )
        }
        which = .number(number)
      }
      try invocation.confirm("end the connections of \(given[0].spelling)")
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
        // 64-bit numbers are strings in proto3's JSON.
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
