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
    "Where to; it must not exist."
  )

  static let exportUser = Verb(
    command: Command(
      "users export",
      "Writes all that the server stores for a user to a folder.",
      operands: "[NAME]",
      completion: .live("users"),
      options: [Option](of: to),
      discussion: """
        Without NAME the caller's own data; that of another user needs the role admin. It covers all
        containers and both environments: the account, devices, zones, records of private databases,
        records that the user created in public ones, subscriptions, notifications, shares of others,
        and the content of assets.

        Each kind is a file of JSON lines; records are in a file for each database, which `import` takes.
        assets/ has the content of assets, by checksum. manifest.json is written last. The data comes into
        FOLDER.part, which gets its name when all of it is there, so a FOLDER is always complete; an
        interruption removes what has come. Only its owner may read it. Encrypted values stay encrypted.

        Examples:
          rpcctl users export --as alice --to alice-data
          rpcctl users export alice --to /srv/exports/alice
        """
    ),
    dryRun: .byItself,
    run: { invocation in
      let operands = invocation.arguments.operands
      guard operands.count <= 1 else { throw UsageError("'\(operands[1])' is not expected here") }
      guard let path = invocation.arguments[to], !path.isEmpty else {
        throw UsageError("--to FOLDER is needed: where to write the data")
      }
      try UserDataFolder.check(path)
      let user = operands.first ?? ""
      if invocation.wouldOnly("export the data of a user to '\(path)'") { return .success }
      Interruption.heed()
      let begun = JSONValue.timestamp(wallClock())
      let transport = try await invocation.connect().transport
      let pages = UserDataPages(
        administration: .init(transport),
        user: user,
        options: invocation.callOptions
      )
      var export = UserDataExport(pages, transport, invocation.output)
      let folder = try await export.run(to: path)
      let manifest = try folder.place(
        user: export.name,
        server: invocation.settings.client.endpoint,
        begun: begun
      )
      invocation.output.write(.object(manifest))
      return .success
    }
  )
}

/// Copies a user's data page by page, and after each page the assets that it names.
private struct UserDataExport {
  private let pages: UserDataPages
  private let transport: any ClientTransport
  private let progress: Progress
  /// Whose data it is, as the server says.
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
      // Only now, so that a server that refuses leaves nothing.
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
    guard let folder else { throw LocalFailure("the server sent nothing: try again") }
    return folder
  }

  private func transfer(_ database: TidingsV1.DatabaseID?) -> AssetTransfer {
    AssetTransfer(transport, in: database, options: pages.options, userName: pages.user)
  }
}
