/// The keys of a user's encrypted values: one seals, all open.
public struct KeyRing: Hashable, Sendable {
  /// What a key is there for.
  public enum Use: String, Hashable, Sendable {
    /// To seal, while it is the newest of these, and to open.
    case seal
    /// To open what others sealed, or what was sealed long ago.
    case open
  }

  /// A key with its use.
  public struct Entry: Hashable, Sendable {
    /// The key.
    public let key: EncryptionKey
    /// What for.
    public let use: Use

    /// A key with its use.
    public init(_ key: EncryptionKey, _ use: Use) {
      self.key = key
      self.use = use
    }
  }

  /// Most keys of a ring.
  public static let keysMax = 1_000

  /// The keys, oldest first, each once.
  public private(set) var entries: [Entry] = []

  /// A ring without keys.
  public init() {}

  /// A ring with keys, oldest first.
  public init(_ entries: [Entry]) { for entry in entries { add(entry) } }

  /// The key that seals: the newest that is there for it.
  public var sealingKey: EncryptionKey? { entries.last { $0.use == .seal }?.key }

  /// The key with a name, 8 bytes; `nil`: it is not in the ring.
  public func key(_ id: [UInt8]) -> EncryptionKey? { entries.last { $0.key.id == id }?.key }

  /// Adds a key, as the newest.
  ///
  /// - Returns: `false` when it is there already, or the ring is full: then nothing changes.
  @discardableResult
  public mutating func add(_ entry: Entry) -> Bool {
    guard entries.count < Self.keysMax, !entries.contains(where: { $0.key.id == entry.key.id })
    else { return false }
    entries.append(entry)
    return true
  }
}
