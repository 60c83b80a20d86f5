/// A table of what can be looked up again, or be done without: all of them are within the share `tables`.
public struct MemoryTable: Hashable, Sendable {
  /// Entries with the default memory; with more memory there are more, with less fewer.
  public let count: Int
  /// What an entry takes, about.
  public let entryBytes: Int
  /// How many such tables there are.
  public let tables: Int

  private init(_ count: Int, bytes: Int, tables: Int = 1) {
    (self.count, entryBytes, self.tables) = (count, bytes, tables)
  }

  /// What all entries take with the default memory.
  public var bytes: Int { count * entryBytes * tables }

  /// Databases and zones, and as many shares and rights in them.
  public static let remembered = Self(50_000, bytes: 400)
  /// Devices of users.
  public static let devices = Self(25_000, bytes: 250)
  /// Channels of which the loop and each thread that reads know whether they increment badges.
  public static let badges = Self(20_000, bytes: 40, tables: 5)
  /// Channels of which these know what they watch.
  public static let visibility = Self(10_000, bytes: 250, tables: 5)
  /// Users whose quotas are known.
  public static let quotas = Self(10_000, bytes: 150)
  /// Callers of public databases whose rights are known, each on up to 50 types.
  public static let publicAccesses = Self(512, bytes: 8_000)
  /// Callers whose calls in a second are counted.
  public static let callRates = Self(25_000, bytes: 160)
  /// Callers whose bounds are known.
  public static let callerBounds = Self(25_000, bytes: 160)
  /// Channels whose newest number is repeated, and users to whom it is repeated that channels changed.
  public static let beacons = Self(20_000, bytes: 300, tables: 2)
  /// Channels whose pushes are counted.
  public static let pacing = Self(20_000, bytes: 250)
  /// Notifications whose publication a trace can show.
  public static let publications = Self(50_000, bytes: 120)

  /// All of them.
  public static let all = [
    remembered, devices, badges, visibility, quotas, publicAccesses, callRates, callerBounds,
    beacons, pacing,
    publications,
  ]
}
