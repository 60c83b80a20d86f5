internal import CommandLineTools
internal import TidingsClient
internal import TidingsFiles
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

extension Verb {
  private static let to = OptionKey<String?>(
    "to",
    value: "FOLDER",
    completion: .folders,
    "The folder to write, which must not exist."
  )

  static let exportUser = Verb(
    command: Command(
      "users export",
      "Write all data that the server stores for a user to a folder.",
      operands: "[NAME]",
      completion: .live("users"),
      options: [Option](of: to),
      discussion: """
        Without NAME, exports the caller's own data; that of another user requires the admin role. It
        includes all containers and both environments: the account, devices, zones, records of private
        databases, records that the user created in public ones, subscriptions, notifications, shares of
        others, and the content of assets.

        Each kind is a file of JSON lines; each database has a file of records, which `import` reads.
        assets/ has the content of assets, by checksum. manifest.json is written last. The data is written
        to FOLDER.part, which is renamed when it is complete; an interruption removes it. Only its owner
        may read it. Encrypted values stay encrypted.

        Examples:
          rpcctl users export --as alice --to alice-data
          rpcctl users export alice --to /srv/exports/alice
        """
    ),
    dryRun: .byItself,
    run: { invocation in
      let operands = invocation.arguments.operands
      guard operands.count <= 1 else { throw UsageError("unexpected operand '\(operands[1])'") }
      guard let path = invocation.arguments[to] else {
        throw UsageError("no folder: set the folder to write with --to FOLDER")
      }
      try UserDataFolder.check(path)
      let user = operands.first ?? ""
      if invocation.previews("export the data of a user to '\(path)'") { return .success }
      Interruption.enableCancellation()
      let begun = JSONValue.timestamp(wallClock())
      let transport = try await invocation.connect().transport
      let pages = UserDataPages(
        administration: .init(transport),
        user: user,
        options: invocation.callOptions
      )
      var export = UserDataExport(pages, transport, invocation.output)
      let folder = try await export.run(to: path)
      let manifest = try folder.commit(
        user: export.name,
        server: invocation.settings.endpointsText,
        begun: begun
      )
      invocation.output.write(.object(manifest))
      return .success
    }
  )
}

/// Copies a user's data page by page, each with the assets that it references.
private struct UserDataExport {
  private let pages: UserDataPages
  private let transport: any ClientTransport
  private let progress: Progress
  /// The user, as returned by the server.
  private(set) var name = ""

  init(_ pages: UserDataPages, _ transport: any ClientTransport, _ output: Output) {
    (self.pages, self.transport) = (pages, transport)
    progress = Progress(output)
  }

  mutating func run(to path: String) async throws -> UserDataFolder {
    defer { progress.end() }
    var folder: UserDataFolder?
    var continuation: [UInt8] = []
    var count = 0
    repeat {
      try Task.checkCancellation()
      let page = try await pages.page(after: continuation)
      // Created only now, so that nothing is left if the server refuses the call.
      let begun = try folder ?? UserDataFolder(path)
      folder = begun
      for item in page.items {
        if case .account(let account)? = item.item { name = account.name }
        try begun.append(item)
        count += 1
        for asset in item.assets where try !begun.has(asset) {
          try await begun.download(asset, from: transfer(item.databaseID))
        }
        progress.update { "\(counted(count, "item")), \(begun.assetBytes) bytes of assets" }
      }
      continuation = page.continuation
    } while !continuation.isEmpty
    guard let folder else { throw LocalFailure("the server sent no data: try again") }
    return folder
  }

  private func transfer(_ database: TidingsV1.DatabaseID?) -> AssetTransfer {
    AssetTransfer(transport, in: database, options: pages.options, userName: pages.user)
  }
}
