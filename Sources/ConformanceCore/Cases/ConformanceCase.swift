internal import TidingsProto

/// One thing that a client must do right.
struct ConformanceCase {
  /// For example `save_conflict`, or `vector/records/save_every_type`.
  let name: String
  /// What a client must be able to do; otherwise the case is skipped.
  let needs: [TidingsConformanceV1.Feature]
  /// Throws `CaseFailure` or what the client did instead.
  let body: (Stage) async throws -> Void

  init(
    _ name: String,
    needs: TidingsConformanceV1.Feature...,
    body: @escaping (Stage) async throws -> Void
  ) {
    self.name = name
    self.needs = needs
    self.body = body
  }

  /// All cases, in the order in which they run.
  static func all() throws -> [Self] {
    try vectors() + calls() + streams() + connections() + records() + feeds() + inbox() + keys()
  }
}
