/// What the engine refuses to exceed. The server advertises these.
public struct Limits: Hashable, Sendable {
  /// Most items in one call, saves and deletions together.
  public var itemsPerCallMax = 400
  /// Largest encoded record, in bytes, without assets.
  public var recordBytesMax = 1_000_000
  /// Most results in one page; also what a limit of 0 means.
  public var pageItemsMax = 400
  /// Most bytes of bodies in one page of notifications; a single larger one is a page of its own.
  public var pageBytesMax = 4 << 20
  /// Most subscriptions of one user in one container.
  public var subscriptionsPerUserMax = 10_000
  /// How long an idempotency key is remembered, in hours.
  public var idempotencyRetentionHours = 24
  /// Longest idempotency key, in bytes.
  public var idempotencyKeyBytesMax = 64
  /// Most rows that one page of a feed looks at, so that a page of skipped rows ends too.
  public var rowsPerPageMax = 4_000

  /// The defaults.
  public init() {}
}
