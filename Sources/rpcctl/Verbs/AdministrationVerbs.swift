extension Verb {
  /// What is done with a server as a whole: its services, schema, users, keys, health.
  static let administrationVerbs: [Verb] =
    reflectVerbs + schemaReviewVerbs + [assetStat] + keyRotationVerbs + grantVerbs + serverVerbs + [bench]
}
