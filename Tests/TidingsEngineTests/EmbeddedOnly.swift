internal import EngineTestSupport
internal import Testing

extension Trait where Self == ConditionTrait {
  /// What is tested is about SQLite, or about stores of versions that had only that.
  static var embeddedOnly: Self {
    .enabled(if: TestDatabase.isEmbedded, "this is about the embedded store")
  }
}
