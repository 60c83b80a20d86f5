/// Kept for compatibility: operations end with the process, so none is found again.
extension CKContainer {
  /// None.
  public func allLongLivedOperationIDs() async throws -> [String] { [] }

  /// None.
  public func longLivedOperation(for operationID: String) async throws -> CKOperation? { nil }

  /// Finds none.
  @preconcurrency
  public func fetchAllLongLivedOperationIDs(
    completionHandler: @escaping @Sendable ([String]?, (any Error)?) -> Void
  ) {
    Callback.run {
      ()
    } then: { _ in
      completionHandler([], nil)
    }
  }

  /// Finds none.
  @preconcurrency
  public func fetchLongLivedOperation(
    withID operationID: String,
    completionHandler: @escaping @Sendable (CKOperation?, (any Error)?) -> Void
  ) {
    Callback.run {
      ()
    } then: { _ in
      completionHandler(nil, nil)
    }
  }
}
