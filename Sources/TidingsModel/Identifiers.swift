/// Separate data with one schema life cycle.
///
/// The numbers are the wire's.
public enum Environment: Int32, Hashable, Sendable {
  /// Types and fields are learned as records are saved.
  case development = 1
  /// Only declared types and fields are accepted.
  case production = 2
}

/// Whose records a database holds.
///
/// The numbers are those of `CKDatabase.Scope`.
public enum DatabaseScope: Int32, Hashable, Sendable {
  /// One per container, read by anyone.
  case `public` = 1
  /// One per user and container.
  case `private` = 2
  /// What others share with the user.
  case shared = 3
}

/// Names a database within a server.
public struct DatabaseID: Hashable, Sendable {
  /// The container, 1 to 255 bytes of ASCII letters, digits, `.`, `-` and `_`.
  public var container: String
  /// The environment.
  public var environment: Environment
  /// The scope.
  public var scope: DatabaseScope
  /// The user whose it is; empty for the public database.
  public var owner: String

  /// A database by its four parts; the public one forgets the owner.
  public init(container: String, environment: Environment, scope: DatabaseScope, owner: String) {
    self.container = container
    self.environment = environment
    self.scope = scope
    self.owner = scope == .public ? "" : owner
  }
}

/// Names a zone within a database.
public struct ZoneID: Hashable, Sendable {
  /// 1 to 255 bytes of printable ASCII.
  public var zoneName: String
  /// Whose zone it is; empty: the owner's of the database that is meant.
  ///
  /// The store and the engine's tables name no owner: `DatabaseID.place` takes it away.
  public var ownerName: String

  /// A zone by its name and, in a shared database, its owner.
  public init(zoneName: String, ownerName: String = "") {
    self.zoneName = zoneName
    self.ownerName = ownerName
  }

  /// The zone that every database has.
  public static let `default` = Self(zoneName: "_defaultZone")
}

/// Why a zone is gone.
///
/// The numbers are the wire's.
public enum ZoneDeletionReason: Int32, Hashable, Sendable {
  /// A client deleted it.
  case deleted = 1
  /// The user removed the data of the application.
  case purged = 2
  /// The user reset encrypted data.
  case encryptedDataReset = 3
}

/// Names a record within a database.
public struct RecordID: Hashable, Sendable {
  /// 1 to 255 bytes of printable ASCII, not beginning with `_`.
  public var recordName: String
  /// The zone.
  public var zoneID: ZoneID

  /// A record by its name and zone.
  public init(recordName: String, zoneID: ZoneID = .default) {
    self.recordName = recordName
    self.zoneID = zoneID
  }
}

/// Who calls: a user, and one installation of a client.
public struct Caller: Hashable, Sendable {
  /// The user's record name.
  public var user: String
  /// The device, the unit that is excluded as originator; empty when the call named none.
  public var device: String

  /// A caller from the user's and the device's name.
  public init(user: String, device: String) {
    self.user = user
    self.device = device
  }
}
