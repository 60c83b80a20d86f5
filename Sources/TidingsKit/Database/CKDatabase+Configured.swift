extension CKDatabase {
  /// Lends the database with a configuration for the functions that need no operation.
  ///
  /// - Parameters:
  ///   - configuration: How long calls may take; `nil`: as without.
  ///   - group: Kept for compatibility.
  ///   - body: Uses the database that it is lent.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws.
  @discardableResult
  public func configuredWith<R>(
    configuration: CKOperation.Configuration? = nil,
    group: CKOperationGroup? = nil,
    body: (CKDatabase) throws -> R
  ) rethrows -> R {
    try body(configured(configuration))
  }

  /// Lends the database with a configuration for the functions that need no operation.
  ///
  /// - Parameters:
  ///   - configuration: How long calls may take; `nil`: as without.
  ///   - group: Kept for compatibility.
  ///   - body: Uses the database that it is lent.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws.
  @discardableResult
  public func configuredWith<R>(
    configuration: CKOperation.Configuration? = nil,
    group: CKOperationGroup? = nil,
    body: (CKDatabase) async throws -> R
  ) async rethrows -> R {
    try await body(configured(configuration))
  }

  private func configured(_ configuration: CKOperation.Configuration?) -> CKDatabase {
    configuration.map { CKDatabase(link, databaseScope, Patience($0)) } ?? self
  }
}
