internal import TidingsModel

/// In which zones all items of a call succeed, or none does.
struct Atomicity {
  /// What the call says for all its zones; `nil`: custom zones are atomic, default zones are not.
  let requested: Bool?
  /// Of the database that has the zones.
  let scope: DatabaseScope

  /// Whether the items of a zone succeed or fail together.
  func covers(_ zone: ZoneID) -> Bool {
    requested ?? (scope != .public && zone.zoneName != ZoneID.default.zoneName)
  }
}
