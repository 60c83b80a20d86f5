/// What records of a container look like: their types, with fields, indexes and grants, and roles.
///
/// The text of the schema language is another form of the same: `init(text:)` and `text`.
public struct Schema: Hashable, Sendable {
  /// The record types by name.
  public var recordTypes: [String: RecordType]
  /// The roles besides those that every container has.
  public var roles: Set<String>

  /// A schema from its parts; without them an empty one.
  public init(recordTypes: [String: RecordType] = [:], roles: Set<String> = []) {
    self.recordTypes = recordTypes
    self.roles = roles
  }
}

extension Schema {
  /// A record type.
  public struct RecordType: Hashable, Sendable {
    /// The fields by name; those that every record has (`SystemField`) only with an index.
    public var fields: [String: Field]
    /// What each role may do; a role without rights is left out.
    public var grants: [String: Rights]

    /// A record type from its parts.
    public init(fields: [String: Field] = [:], grants: [String: Rights] = [:]) {
      self.fields = fields
      self.grants = grants
    }
  }

  /// A field of a record type.
  public struct Field: Hashable, Sendable {
    /// What it holds.
    public var type: FieldType
    /// Whether its values are encrypted.
    public var isEncrypted: Bool
    /// How it can be found.
    public var indexes: Indexes

    /// A field from its parts.
    public init(_ type: FieldType, isEncrypted: Bool = false, indexes: Indexes = []) {
      self.type = type
      self.isEncrypted = isEncrypted
      self.indexes = indexes
    }
  }

  /// The type of a field.
  public enum FieldType: Hashable, Sendable {
    /// The values of a kind; never `unknownList`, nor an encrypted kind: the field says that.
    case values(FieldValue.Kind)
    /// INT64 or DOUBLE: the first value that is saved decides, unless one of them is preferred.
    case number(preferred: Number?)
  }

  /// A kind of number.
  public enum Number: String, Hashable, Sendable {
    case int64 = "INT64"
    case double = "DOUBLE"

    /// The kind of values.
    public var kind: FieldValue.Kind {
      switch self {
      case .int64: .int64
      case .double: .double
      }
    }
  }

  /// The declared indexes of a field.
  ///
  /// The numbers are the store's.
  public struct Indexes: OptionSet, Hashable, Sendable {
    /// The sum.
    public let rawValue: Int

    /// Indexes from their sum.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Finds values.
    public static let queryable = Self(rawValue: 1)
    /// Orders by values.
    public static let sortable = Self(rawValue: 2)
    /// Finds words.
    public static let searchable = Self(rawValue: 4)

    /// Finds values and orders by them: one index is for both.
    public var isOrdered: Bool { !isDisjoint(with: [.queryable, .sortable]) }
  }

  /// What a role may do with records of a type in the public database.
  ///
  /// The numbers are the store's.
  public struct Rights: OptionSet, Hashable, Sendable {
    /// The sum.
    public let rawValue: Int

    /// Rights from their sum.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Fetches and queries.
    public static let read = Self(rawValue: 1)
    /// Creates records.
    public static let create = Self(rawValue: 2)
    /// Changes and deletes records.
    public static let write = Self(rawValue: 4)
  }

  /// Whether a name in a type is that of a system field, which is there in any case.
  static func isSystemField(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: "_") }

  /// Roles that every container has: anyone, users, the creator of a record.
  public static let builtInRoles: Set<String> = ["_world", "_icloud", "_creator"]

  /// What a type has that records brought along.
  public static let defaultGrants: [String: Rights] = [
    "_world": .read, "_icloud": .create, "_creator": .write,
  ]

  /// What a type of this name has that records brought along.
  public static func defaultGrants(of recordType: String) -> [String: Rights] {
    recordType == UserRecord.recordType ? ["_world": .read, "_creator": .write] : defaultGrants
  }

  /// What the grants of a type mean.
  ///
  /// Of the grants on `Users` only READ counts: each user creates, reads and changes the own record, and no other.
  ///
  /// - Parameters:
  ///   - declared: The grants in the schema; `nil`: it does not have the type.
  ///   - recordType: The type.
  /// - Returns: The rights of each role.
  public static func effectiveGrants(
    _ declared: [String: Rights]?,
    of recordType: String
  ) -> [String: Rights] {
    var grants = declared ?? defaultGrants(of: recordType)
    guard recordType == UserRecord.recordType else { return grants }
    grants = grants.mapValues { $0.intersection(.read) }
    grants["_icloud", default: []].insert(.create)
    grants["_creator", default: []].formUnion([.read, .write])
    return grants
  }
}
