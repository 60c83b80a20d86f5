public import TidingsModel

/// One thing that is stored for a user.
public struct UserDataItem: Sendable {
  /// What it is.
  public enum Content: Sendable {
    /// The user's name, and the account if somebody created it.
    case account(name: String, Account?)
    /// What counts for the quota in a container.
    case usage(ContainerUsage)
    /// A device, and the day of its last write.
    case device(name: String, lastWrite: Timestamp)
    /// What the user published in the directory of a container.
    case directoryEntry(DirectoryEntry)
    /// A zone of a private database.
    case zone(ZoneInfo, in: DatabaseID)
    /// An encoded record.
    case record([UInt8])
    /// An encoded subscription.
    case subscription([UInt8])
    /// An encoded notification, without its names for the user, which come first.
    case notification(id: String, subscriptionID: String, body: [UInt8])
    /// A share of another user.
    case share(ShareInfo)
    /// An asset of a private database.
    case asset(Asset)
    /// A web session or a server key.
    case webToken(WebToken)
    /// Where a device's notifications are sent.
    case deliveryTarget(DeliveryTarget)
  }

  /// The database that it is in or about.
  public let database: DatabaseID?
  /// What it is.
  public let content: Content
}

/// Some of what is stored for a user.
public struct UserDataPage: Sendable {
  /// The items; a page may have none and not be the last.
  public internal(set) var items: [UserDataItem] = []
  /// Where the next page begins; empty: this is the last one.
  public internal(set) var continuation: [UInt8] = []
}

/// Where a page begins.
///
/// It says nothing of whose data it is: each page looks for rows of its user only, whatever a caller sends.
struct UserDataPosition {
  /// What is shown, one kind after the other.
  enum Kind: Int, CaseIterable {
    case account, directory, devices, zones, records, publicRecords, subscriptions, notifications,
      shares,
      assets, webTokens, deliveryTargets
  }

  var kind = Kind.account
  /// Meant by the kind: a number of a zone, record, subscription, share or database.
  var number: Int64 = 0
  /// Within that: a name, or a number of an event.
  var name = ""

  init() {}

  /// Reads what `encoded` wrote.
  init(_ bytes: [UInt8]) throws(ItemError) {
    guard !bytes.isEmpty else { return }
    let parts = String(decoding: bytes, as: UTF8.self).split(
      separator: "/",
      maxSplits: 2,
      omittingEmptySubsequences: false
    )
    guard parts.count == 3, let kind = Int(parts[0]).flatMap(Kind.init(rawValue:)),
      let number = Int64(parts[1]), number >= 0
    else {
      throw ItemError(
        .invalidArguments,
        "invalid continuation: use that of the last FetchUserData response, or omit it to restart"
      )
    }
    (self.kind, self.number, name) = (kind, number, String(parts[2]))
  }

  var encoded: [UInt8] { Array("\(kind.rawValue)/\(number)/\(name)".utf8) }

  /// The beginning of the next kind; `nil`: there is none.
  var nextKind: UserDataPosition? {
    guard let next = Kind(rawValue: kind.rawValue + 1) else { return nil }
    var position = UserDataPosition()
    position.kind = next
    return position
  }
}
