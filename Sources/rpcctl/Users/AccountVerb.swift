internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  static let account = Verb(
    command: Command(
      "account",
      aliases: ["users whoami"],
      "Show the caller's account: status, roles, usage, quota, and expiry of the key.",
      discussion: """
        Exits with 1 if the caller has no account, or is restricted.

        Example:
          rpcctl account -o table
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let accounts = TidingsV1.AccountService.Client(try await invocation.connect().transport)
      let response = try await accounts.fetchAccountStatus(.init(), options: invocation.callOptions)
      let status = Contract.shortName(response.status, "ACCOUNT_STATUS_")
      if invocation.output.format == .table {
        invocation.output.write(table(response, status))
      } else {
        var object = try Contract.json(response).object ?? [:]
        object["status"] = .string(status)
        invocation.output.write(.object(object))
      }
      return response.status == .available ? .success : .localFailure
    }
  )

  private static func table(
    _ response: TidingsV1.FetchAccountStatusResponse,
    _ status: String
  ) -> Table {
    var table = Table(["status", status])
    table.append(["user", response.userRecordName])
    table.append(["roles", response.roles.joined(separator: " ")])
    if let quota = response.quota { table.append(["quota", QuotaOptions.text(quota)]) }
    if !response.usage.isEmpty {
      let (records, bytes) = response.usage.reduce(into: (UInt64(0), UInt64(0))) {
        $0.0 += $1.records
        $0.1 += $1.bytes
      }
      table.append(["usage", "\(records) records, \(bytes) bytes in all containers"])
    }
    for usage in response.usage {
      table.append([
        usage.container.isEmpty ? "usage without container" : "usage of \(usage.container)",
        "\(usage.records) records, \(usage.bytes) bytes, \(usage.subscriptions) subscriptions",
      ])
    }
    if response.keyExpiresMs > 0 {
      let milliseconds = Int64(clamping: response.keyExpiresMs)
      let time = GoogleProtobuf.Timestamp(
        seconds: milliseconds / 1_000,
        nanos: Int32(milliseconds % 1_000) * 1_000_000
      )
      table.append(["key expires", time.text])
    }
    return table
  }
}
