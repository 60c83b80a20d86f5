/// Decides where a page of notifications ends: not within what one call caused, unless that alone does
/// not fit.
struct PageCut {
  private let itemsMax: Int
  private let bytesMax: Int
  private(set) var items: [NotificationPage.Item] = []
  private var bytes = 0
  /// Everything up to this event is in the page or was skipped.
  private(set) var position: Int64
  /// The call that the last item is of, where its items begin, and the position before.
  private var batch: (number: Int64, start: Int, positionBefore: Int64)?
  /// The call that the last item is of goes on behind the page.
  private(set) var isSplit = false

  /// The call that the last item is of; `nil`: there is no item, or it is not known.
  var lastBatch: Int64? { batch?.number }

  /// An empty page.
  ///
  /// - Parameters:
  ///   - position: The last event before it.
  ///   - itemsMax: Most items.
  ///   - bytesMax: Most bytes of bodies; a single one may have more.
  init(after position: Int64, itemsMax: Int, bytesMax: Int) {
    self.position = position
    self.itemsMax = itemsMax
    self.bytesMax = bytesMax
  }

  /// Skips what is not for the client, up to an event.
  mutating func pass(to event: Int64) { position = event }

  /// Adds the next notification, if there is room; otherwise the page is at its end.
  ///
  /// - Parameters:
  ///   - event: Its number among all events.
  ///   - batch: The call that caused it.
  ///   - item: The notification.
  /// - Returns: `false` when the page is at its end.
  mutating func add(_ event: Int64, of batch: Int64, _ item: NotificationPage.Item) -> Bool {
    let isFirst = items.isEmpty
    guard items.count < itemsMax, isFirst || bytes + item.body.count <= bytesMax else {
      if batch == self.batch?.number { endWithinBatch() }
      return false
    }
    if batch != self.batch?.number { self.batch = (batch, items.count, position) }
    items.append(item)
    bytes += item.body.count
    position = event
    return true
  }

  /// Ends the page before all events were looked at.
  ///
  /// - Parameters:
  ///   - event: Up to here they were.
  ///   - batch: The call of which there may be more behind that.
  mutating func endEarly(at event: Int64, within batch: Int64) {
    position = event
    if batch == self.batch?.number { endWithinBatch() }
  }

  private mutating func endWithinBatch() {
    guard let batch else { return }
    guard batch.start > 0 else {
      isSplit = true
      return
    }
    items.removeSubrange(batch.start...)
    position = batch.positionBefore
    self.batch = nil
  }
}
