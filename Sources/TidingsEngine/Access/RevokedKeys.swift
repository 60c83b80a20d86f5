internal import TidingsKeys
internal import TidingsModel

/// Whose the keys were that are good for nothing any more, in memory: who holds one may go on calling,
/// and must not cost the store anything.
struct RevokedKeys {
  struct Entry {
    /// Empty: a guest.
    let user: String
    let publicKey: PublicKey
    let since: Timestamp
  }

  /// Most keys that are kept; beyond, all are forgotten, and read again when they call.
  static let keysMax = 10_000

  /// By number; `nil`: there is no such key.
  private var known: [Int64: Entry?] = [:]

  /// What is known of a key that is not admitted.
  ///
  /// - Parameters:
  ///   - number: The key's.
  ///   - read: Reads it, if it is not in memory; `nil`: there is no such key.
  /// - Returns: `nil`: there is no such key.
  /// - Throws: What `read` throws.
  mutating func entry(
    of number: Int64,
    _ read: () throws -> Entry?
  ) rethrows -> Entry? {
    if let entry = known[number] { return entry }
    let entry = try read()
    set(entry, for: number)
    return entry
  }

  /// A key is revoked.
  mutating func insert(_ entry: Entry, for number: Int64) { set(entry, for: number) }

  /// There is a key now, or what is known may be wrong.
  mutating func forget(_ number: Int64) { known[number] = nil }

  mutating func forgetAll() { known = [:] }

  private mutating func set(_ entry: Entry?, for number: Int64) {
    if known.count >= Self.keysMax { known = [:] }
    known.updateValue(entry, forKey: number)
  }
}
