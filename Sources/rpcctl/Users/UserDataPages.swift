internal import TidingsFiles
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

/// Reads the data that a server stores for a user, page by page.
struct UserDataPages: Sendable {
  let administration: TidingsV1.AdminService.Client
  let user: String
  let options: CallOptions

  /// Fetches the page after a token; empty: the first.
  func page(after continuation: [UInt8]) async throws -> TidingsV1.FetchUserDataResponse {
    try await administration.fetchUserData(
      .init(userName: user, continuation: continuation),
      options: options
    )
  }
}

extension TidingsV1.UserDataItem {
  /// Returns the item's file and line; `nil`: a kind that only a newer version knows.
  func line() throws -> (file: String, json: JSONValue)? {
    switch item {
    case .account(let account)?: ("account.jsonl", try Contract.json(account))
    case .usage(let usage)?: ("usage.jsonl", try Contract.json(usage))
    case .device(let device)?: ("devices.jsonl", try Contract.json(device))
    case .directoryEntry(let entry)?: ("directory.jsonl", try placed(Contract.json(entry)))
    case .zone(let zone)?: ("zones.jsonl", try placed(zone.json))
    case .record(let record)?:
      // Encrypted values stay encrypted: anyone may read the file.
      (
        "records/\(databaseName).jsonl",
        EncryptedFields.$sealer.withValue(nil) { RecordJSON.json(record) }
      )
    case .subscription(let subscription)?:
      ("subscriptions.jsonl", try placed(SubscriptionJSON.json(subscription)))
    case .notification(let notification)?:
      (
        "notifications.jsonl",
        try EncryptedFields.$sealer.withValue(nil) { try NotificationJSON.json(notification) }
      )
    case .share(let share)?: ("shares.jsonl", placed(ShareJSON.json(share)))
    case .asset(let asset)?: ("assets.jsonl", placed(.object(asset.members)))
    case .webToken(let token)?: ("web-tokens.jsonl", try Contract.json(token))
    case .deliveryTarget(let target)?:
      ("delivery-targets.jsonl", try placed(Contract.json(target)))
    case nil: nil
    }
  }

  /// The kind of the item, as counted by `users erase` and manifests.
  var kind: String {
    switch item {
    case .account?: "accounts"
    case .usage?: "usage"
    case .device?: "devices"
    case .directoryEntry?: "directory-entries"
    case .zone?: "zones"
    case .record?: databaseID?.scope == .public ? "public-records" : "records"
    case .subscription?: "subscriptions"
    case .notification?: "notifications"
    case .share?: "memberships"
    case .asset?: "assets"
    case .webToken?: "web-tokens"
    case .deliveryTarget?: "delivery-targets"
    case nil: "unknown"
    }
  }

  /// The database as part of a file name, `default.development.private`.
  var databaseName: String {
    let id = databaseID ?? .init()
    return [
      id.container.isEmpty ? "default" : id.container,
      Contract.shortName(id.environment, "ENVIRONMENT_").lowercased(),
      Contract.shortName(id.scope, "DATABASE_SCOPE_").lowercased(),
    ].joined(separator: ".")
  }

  /// The assets that the item references.
  var assets: [TidingsV1.Asset] {
    switch item {
    case .asset(let asset)?: [asset]
    case .record(let record)? where databaseID?.scope == .public:
      record.fields.values.flatMap { value -> [TidingsV1.Asset] in
        switch value.value {
        case .assetValue(let asset)?: return [asset]
        case .assetListValue(let list)?: return list.values
        default: return []
        }
      }
    default: []
    }
  }

  /// Returns a line with the database as first member.
  private func placed(_ json: JSONValue) -> JSONValue {
    var object: JSONObject = ["database": .string(databaseName)]
    for member in json.object?.members ?? [] { object.append(member.name, member.value) }
    return .object(object)
  }
}

extension TidingsV1.Asset {
  fileprivate var members: JSONObject {
    ["checksum": .string(checksum.hexadecimal), "size": .integer(size)]
  }
}
