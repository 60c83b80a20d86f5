/// What one call to a feed may still return and look at, over all its zones.
public struct FeedBudget: Sendable {
  /// Items.
  var items: Int
  /// Bytes of encoded records and names.
  var bytes: Int
  /// Rows, skipped ones too.
  var rows: Int
  private var isUnused = true

  /// What a call may have.
  ///
  /// - Parameters:
  ///   - limit: Most items that the caller wants; 0: as many as a page holds.
  ///   - limits: What calls may not exceed.
  public init(limit: Int, _ limits: Limits) {
    items = limit == 0 ? limits.pageItemsMax : min(limit, limits.pageItemsMax)
    bytes = limits.answerBytesMax
    rows = limits.feedRowsPerCallMax
  }

  /// Takes an item, if there is room.
  ///
  /// The first one always has, if any is allowed.
  mutating func take(bytes count: Int) -> Bool {
    guard items > 0, isUnused || count <= bytes else { return false }
    isUnused = false
    items -= 1
    bytes -= count
    return true
  }
}
