internal import TidingsMemory
internal import TidingsModel

/// A channel that has subscribers: all subscriptions that always fire together with the same content.
///
/// There may be a million: only what is needed to find it and to count its events is held here, the
/// rest is `ChannelRegistry.content(of:)`.
final class ChannelEntry {
  let number: Int64
  /// The number of its database.
  let databaseNumber: Int64
  /// What it watches.
  let kind: Subscription.Kind
  /// The number of the zone that its predicate is about, for the index; 0: none.
  var zoneNumber: Int64 = 0
  /// The number of its newest event.
  var head: Int64
  /// How many subscriptions are active.
  var members: Int64
  /// An estimate of the bytes that it takes in memory, with its part of the index.
  let memoryBytes: Int
  /// The head moved in this transaction and is not written.
  var isDirty = false
  /// This transaction changed something about it.
  var isTouched = false

  init(
    number: Int64,
    databaseNumber: Int64,
    kind: Subscription.Kind,
    head: Int64,
    members: Int64,
    watchBytes: Int
  ) {
    memoryBytes = MemoryShares.subscriptionCost(count: 1, bytes: watchBytes)
    self.number = number
    self.databaseNumber = databaseNumber
    self.kind = kind
    self.head = head
    self.members = members
  }
}

/// What the events of a channel are made of, and where they are published.
struct ChannelContent {
  /// The database that it watches.
  var database: DatabaseEntry
  /// The topic of its pushes.
  var topic: [UInt8]
  /// What its subscriptions ask for; they have names besides, this has none.
  var definition: Subscription
  /// The encoded `EventSource`: what all events have in common.
  var source: [UInt8]
}

/// The contents of the channels that fired lately, as many as fit.
struct ChannelContents {
  private struct Generation {
    var contents: [Int64: ChannelContent] = [:]
    var bytes = 0
  }

  /// What a content takes besides its definition, about.
  private static let contentBytes = 1_024

  private let bytesMax: Int
  private var young = Generation()
  private var old = Generation()

  /// Room for contents that take so many bytes together, about.
  init(bytesMax: Int) { self.bytesMax = bytesMax }

  /// The content of a channel, if it is still here.
  func content(_ channel: Int64) -> ChannelContent? {
    if let content = young.contents[channel] { return content }
    return old.contents[channel]
  }

  /// Keeps a content, whose definition is stored in so many bytes, and forgets those that were kept
  /// long before.
  mutating func keep(_ content: ChannelContent, of channel: Int64, bytes: Int) {
    if young.bytes >= bytesMax / 2 {
      old = young
      young = Generation()
    }
    young.contents[channel] = content
    // In memory a definition is larger than its bytes.
    young.bytes += bytes * 2 + Self.contentBytes
  }

  /// Forgets the content of a channel, which may have changed.
  mutating func forget(_ channel: Int64) {
    young.contents[channel] = nil
    old.contents[channel] = nil
  }

  /// Forgets all.
  mutating func forgetAll() {
    young = Generation()
    old = Generation()
  }
}
