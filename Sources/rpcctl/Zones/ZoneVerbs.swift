extension Verb {
  /// The verbs that are only `zones …`; others are aliases of operations.
  static let zoneVerbs = [createZones, deleteZones, zoneStatistics, copyZone, purgeZone]
}
