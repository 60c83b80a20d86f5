internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

extension Verb {
  private static let confirm = OptionKey<Bool>(
    flag: "confirm",
    "Erase the user (default: only show what would be deleted)."
  )
  private static let publicRecords = OptionKey<String>(
    "public-records",
    value: "ACTION",
    default: "delete",
    choices: ["delete", "keep"],
    "Delete or keep records that the user created in public databases."
  )
  private static let noWait = OptionKey<Bool>(
    flag: "no-wait",
    "Do not wait until everything is deleted."
  )
  private static let receipt = OptionKey<Bool>(
    flag: "receipt",
    "Show the progress or the receipt of an erasure, by name or ID."
  )

  static let eraseUser = Verb(
    command: Command(
      "users erase",
      "Delete a user with all data, in all containers and both environments.",
      operands: "NAME|ID",
      completion: .live("users"),
      options: [Option](of: confirm, publicRecords, noWait, receipt),
      discussion: """
        Without --confirm nothing is changed: it counts the stored data, by database. With it the server
        deletes everything in batches and resumes after a restart; this cannot be undone. Meanwhile the
        user's calls fail, and the name cannot be created. Users with whom the user shared data lose it,
        and their database feeds report this. With --public-records keep, the user's records in public
        databases are kept, created by '_erased'. The receipt lists what was deleted, what remains, and
        until when; the audit log has it, too. Requires the admin role. Exits with 3 if the erasure is not
        finished yet.

        Examples:
          rpcctl users erase alice
          rpcctl users erase alice --confirm
          rpcctl users erase --receipt alice -o json
        """
    ),
    dryRun: .byItself,
    run: { invocation in
      let operands = try invocation.requireOperands("user name")
      guard operands.count == 1 else { throw UsageError("unexpected operand '\(operands[1])'") }
      let name = operands[0]
      let arguments = invocation.arguments
      if arguments[receipt] {
        guard !arguments[confirm] else {
          throw UsageError("--receipt and --confirm cannot be combined")
        }
        return try await printErasure(try await erasure(name, invocation), invocation)
      }
      guard arguments[confirm], !invocation.isDryRun else {
        return try await previewErasure(of: name, invocation)
      }
      let administration = try await invocation.administration()
      var erasure = try await administration.eraseUser(
        .init(
          userName: name,
          publicRecords: arguments[publicRecords] == "keep" ? .keep : .delete
        ),
        options: invocation.callOptions
      ).erasure
      let end = invocation.settings.timeout.map { ContinuousClock.now.advanced(by: $0) }
      let progress = Progress(invocation.output)
      while let running = erasure, running.finished == nil, !arguments[noWait],
        end.map({ $0 > .now }) ?? true
      {
        progress.update { "deleted: \(running.erased.reduce(0) { $0 + $1.count })" }
        try await Task.sleep(for: .milliseconds(100))
        erasure = try await administration.fetchErasure(
          .init(which: .erasureID(running.erasureID)),
          options: invocation.callOptions
        ).erasure
      }
      progress.end()
      // A finished erasure that is fetched by its ID has no name.
      erasure?.userName = name
      guard let erasure else { throw LocalFailure("the server sent no erasure: try again") }
      return try await printErasure(erasure, invocation)
    }
  )

  private static let idDigits = 32

  private static func erasure(
    _ name: String,
    _ invocation: Invocation
  ) async throws -> TidingsV1.UserErasure {
    let administration = try await invocation.administration()
    let isID = name.utf8.count == idDigits && name.allSatisfy(\.isHexDigit)
    func fetch(_ which: TidingsV1.FetchErasureRequest.Which) async throws -> TidingsV1.UserErasure?
    {
      try await administration.fetchErasure(.init(which: which), options: invocation.callOptions)
        .erasure
    }
    var found: TidingsV1.UserErasure?
    do {
      found = try await fetch(.userName(name))
    } catch let error as RPCError where isID && error.code == .notFound {
      found = try await fetch(.erasureID(name))
    }
    guard let found else { throw LocalFailure("the server sent no erasure: try again") }
    return found
  }

  private static func printErasure(
    _ erasure: TidingsV1.UserErasure,
    _ invocation: Invocation
  ) async throws -> ExitCode {
    if invocation.output.format == .table {
      var table = Table(["erasure", erasure.erasureID])
      if !erasure.userName.isEmpty { table.append(["user", erasure.userName]) }
      table.append(["requested", "\(erasure.requested?.text ?? "") by \(erasure.requestedBy)"])
      table.append(["finished", erasure.finished?.text ?? "not yet"])
      for count in erasure.erased { table.append([count.kind, "\(count.count)"]) }
      for remainder in erasure.remainders {
        let until = remainder.until.map { "until \($0.text): " } ?? ""
        table.append(["remains", until + remainder.description])
      }
      invocation.output.write(table)
    } else {
      invocation.output.write(try Contract.json(erasure))
    }
    guard erasure.finished == nil else { return .success }
    invocation.output.log("the server continues deleting")
    return .conditionNotMet
  }

  /// Counts the stored data, without changes.
  private static func previewErasure(
    of name: String,
    _ invocation: Invocation
  ) async throws -> ExitCode {
    let pages = UserDataPages(
      administration: try await invocation.administration(),
      user: name,
      options: invocation.callOptions
    )
    var counts: [String: [String: (count: Int, bytes: Int)]] = [:]
    var continuation: [UInt8] = []
    let progress = Progress(invocation.output)
    repeat {
      try Task.checkCancellation()
      let page = try await pages.page(after: continuation)
      for item in page.items {
        if case .usage? = item.item { continue }
        let location = item.databaseID == nil ? "" : item.databaseName
        var count = counts[location]?[item.kind] ?? (0, 0)
        count.count += 1
        if case .asset(let asset)? = item.item {
          count.bytes += Int(clamping: asset.size)
        } else {
          count.bytes += item.encoded().count
        }
        counts[location, default: [:]][item.kind] = count
      }
      continuation = page.continuation
      progress.update { "counting" }
    } while !continuation.isEmpty
    progress.end()
    var results = Results(columns: ["DATABASE", "KIND", "COUNT", "BYTES"])
    for (database, kinds) in counts.sorted(by: { $0.key < $1.key }) {
      for (kind, count) in kinds.sorted(by: { $0.key < $1.key }) {
        results.append(
          .object([
            "database": .string(database), "kind": .string(kind), "count": .integer(count.count),
            "bytes": .integer(count.bytes),
          ]),
          [database, kind, "\(count.count)", "\(count.bytes)"]
        )
      }
    }
    invocation.output.log(
      "nothing was changed: use --confirm to erase the user '\(printable(name))'"
    )
    return results.finish(invocation.output)
  }
}
