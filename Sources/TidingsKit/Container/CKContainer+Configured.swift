extension CKContainer {
  /// Lends the container with a configuration for its operations and its databases.
  ///
  /// - Parameters:
  ///   - configuration: How operations are run that do not say so themselves; `nil`: as without.
  ///   - group: The group of operations that have none.
  ///   - body: Uses the container that it is lent.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws.
  @discardableResult
  public func configuredWith<R>(
    configuration: CKOperation.Configuration? = nil,
    group: CKOperationGroup? = nil,
    body: (CKContainer) throws -> R
  ) rethrows -> R {
    try body(CKContainer(link, configuration, group))
  }

  /// Lends the container with a configuration for its operations and its databases.
  ///
  /// - Parameters:
  ///   - configuration: How operations are run that do not say so themselves; `nil`: as without.
  ///   - group: The group of operations that have none.
  ///   - body: Uses the container that it is lent.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws.
  @discardableResult
  public func configuredWith<R>(
    configuration: CKOperation.Configuration? = nil,
    group: CKOperationGroup? = nil,
    body: (CKContainer) async throws -> R
  ) async rethrows -> R {
    try await body(CKContainer(link, configuration, group))
  }
}
