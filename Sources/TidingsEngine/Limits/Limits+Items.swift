public import TidingsModel

extension Limits {
  /// Refuses a call with more items than are allowed.
  public func check(itemCount count: Int) throws(ItemError) {
    guard count <= itemsPerCallMax else {
      throw ItemError(
        .limitExceeded,
        "the call has \(count) items and may have \(itemsPerCallMax): split it in half"
      )
    }
  }
}
