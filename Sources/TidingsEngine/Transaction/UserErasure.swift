public import TidingsModel

/// The erasure of a user, while it runs and as a receipt.
public struct UserErasure: Sendable {
  /// What becomes of records that the user created in public databases.
  ///
  /// The numbers are the contract's.
  public enum PublicRecords: Int64, Sendable {
    /// They are deleted.
    case delete = 1
    /// They stay, without the user's name.
    case keep = 2
  }

  /// Who created and changed what an erased user did: no user has such a name.
  public static let erasedName = "_erased"

  /// Its row.
  let number: Int64
  /// Names it: 32 hexadecimal digits.
  public let id: String
  /// Whom; empty: it is finished, and the name is not known any more.
  public internal(set) var user: String
  /// The administrator who wanted it.
  public let requestedBy: String
  /// When it was wanted.
  public let requested: Timestamp
  /// When the last of it was removed; `nil`: it is going on.
  public internal(set) var finished: Timestamp?
  /// What becomes of records in public databases.
  public let publicRecords: PublicRecords
  var step: ErasureStep
  /// How far the step is; what it counts depends on the step.
  var position: Int64
  /// What was removed or changed so far.
  public internal(set) var counts: ErasureCounts
  /// Until when tombstones remain that the feeds need; `nil`: it is not finished.
  public internal(set) var tombstonesUntil: Timestamp?
  /// Until when notifications of others remain; `nil`: it is not finished.
  public internal(set) var notificationsUntil: Timestamp?
}

/// What is removed, one after the other: what would bring something back comes before it.
enum ErasureStep: Int64, Sendable {
  /// The user's channels get their last topics, so that they have no subscribers.
  case access
  case subscriptions
  /// Shares of others are left.
  case memberships
  /// Private zones, with the shares in them.
  case zones
  /// Records of public databases, and the name in those of others.
  case records
  /// Values that notifications carry.
  case contents
  /// Notifications that the user caused.
  case events
  /// Ended subscriptions, and channels that nobody else has.
  case channels
  case ancestors
  case assets
  /// All else that names the user.
  case rows
  case account

  var next: ErasureStep? { ErasureStep(rawValue: rawValue + 1) }
}

/// How many things of each kind an erasure removed.
public struct ErasureCounts: Sendable, Equatable {
  /// By kind, for example `records`.
  public private(set) var byKind: [String: Int64] = [:]

  init() {}

  /// Reads what `text` wrote.
  init(_ text: String) {
    for part in text.split(separator: ",") {
      let sides = part.split(separator: "=")
      guard sides.count == 2, let count = Int64(sides[1]) else { continue }
      byKind[String(sides[0])] = count
    }
  }

  /// `kind=count`, sorted, with commas between them.
  var text: String {
    byKind.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
  }

  mutating func add(_ count: Int, _ kind: String) {
    if count > 0 { byKind[kind, default: 0] += Int64(count) }
  }
}
