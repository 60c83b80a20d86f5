/// The value of a record's field.
///
/// Doubles are finite: `Record.validate` refuses NaN and the infinities, so that equality and
/// order are total.
public enum FieldValue: Hashable, Sendable {
  case string(String)
  case int64(Int64)
  case double(Double)
  case bytes([UInt8])
  case timestamp(Timestamp)
  indirect case location(Location)
  indirect case reference(Reference)
  indirect case asset(Asset)
  case stringList([String])
  case int64List([Int64])
  case doubleList([Double])
  case bytesList([[UInt8]])
  case timestampList([Timestamp])
  case locationList([Location])
  case referenceList([Reference])
  case assetList([Asset])
  /// An empty list of undetermined type.
  case unknownList
  /// A value that only clients with the key can read.
  indirect case encrypted(EncryptedValue)

  /// The type of a value, which a field keeps for all its records.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case string = "STRING"
    case int64 = "INT64"
    case double = "DOUBLE"
    case bytes = "BYTES"
    case timestamp = "TIMESTAMP"
    case location = "LOCATION"
    case reference = "REFERENCE"
    case asset = "ASSET"
    case stringList = "LIST<STRING>"
    case int64List = "LIST<INT64>"
    case doubleList = "LIST<DOUBLE>"
    case bytesList = "LIST<BYTES>"
    case timestampList = "LIST<TIMESTAMP>"
    case locationList = "LIST<LOCATION>"
    case referenceList = "LIST<REFERENCE>"
    case assetList = "LIST<ASSET>"
    case unknownList = "UNKNOWN_LIST"
    case encryptedString = "ENCRYPTED STRING"
    case encryptedInt64 = "ENCRYPTED INT64"
    case encryptedDouble = "ENCRYPTED DOUBLE"
    case encryptedBytes = "ENCRYPTED BYTES"
    case encryptedTimestamp = "ENCRYPTED TIMESTAMP"
    case encryptedLocation = "ENCRYPTED LOCATION"
  }

  /// The type of this value.
  public var kind: Kind {
    switch self {
    case .string: .string
    case .int64: .int64
    case .double: .double
    case .bytes: .bytes
    case .timestamp: .timestamp
    case .location: .location
    case .reference: .reference
    case .asset: .asset
    case .stringList: .stringList
    case .int64List: .int64List
    case .doubleList: .doubleList
    case .bytesList: .bytesList
    case .timestampList: .timestampList
    case .locationList: .locationList
    case .referenceList: .referenceList
    case .assetList: .assetList
    case .unknownList: .unknownList
    case .encrypted(let value): value.kind
    }
  }
}

extension FieldValue {
  /// How many members a list has; 0 for what is no list.
  public var memberCount: Int {
    switch self {
    case .stringList(let members): members.count
    case .int64List(let members): members.count
    case .doubleList(let members): members.count
    case .bytesList(let members): members.count
    case .timestampList(let members): members.count
    case .locationList(let members): members.count
    case .referenceList(let members): members.count
    case .assetList(let members): members.count
    default: 0
    }
  }
}

/// A place on Earth.
public struct Location: Hashable, Sendable {
  /// Degrees north, -90 to 90.
  public var latitude: Double
  /// Degrees east, -180 to 180.
  public var longitude: Double
  /// Metres.
  public var horizontalAccuracy: Double?
  /// Metres.
  public var verticalAccuracy: Double?
  /// Metres above sea level.
  public var altitude: Double?
  /// Metres per second.
  public var speed: Double?
  /// Degrees from north, clockwise.
  public var course: Double?
  /// When the place was measured.
  public var timestamp: Timestamp?

  /// A place from its coordinates, in degrees.
  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

/// A relation to another record.
public struct Reference: Hashable, Sendable {
  /// What happens to the source when the target is deleted.
  ///
  /// The numbers are the wire's.
  public enum Action: Int32, Hashable, Sendable {
    /// Nothing: the reference dangles.
    case none = 1
    /// The source is deleted too.
    case deleteSelf = 2
    /// The target must exist when the source is saved, and stays while the source does.
    case validate = 3
  }

  /// The target.
  public var recordID: RecordID
  /// What happens when the target is deleted.
  public var action: Action

  /// A relation to a record.
  public init(recordID: RecordID, action: Action = .none) {
    self.recordID = recordID
    self.action = action
  }
}

/// A file that belongs to a record.
public struct Asset: Hashable, Sendable {
  /// SHA-256 of the content, 32 bytes.
  public var checksum: [UInt8]
  /// Bytes.
  public var size: UInt64

  /// A file from its checksum and size.
  public init(checksum: [UInt8], size: UInt64) {
    self.checksum = checksum
    self.size = size
  }
}
