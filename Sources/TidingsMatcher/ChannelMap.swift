/// From the numbers of channels to a value of each.
///
/// Numbers are given in order, so most of a page's, 32 in sequence, exist together: loading a million
/// finds each page once, where a dictionary would touch another part of memory for each number.
/// However sparse the numbers become, a value takes one page at most.
public struct ChannelMap<Value> {
  @usableFromInline static var pageBits: Int64 { 5 }

  /// Where a page is.
  @usableFromInline
  struct Page {
    @usableFromInline var key: Int64
    /// Of its first value.
    @usableFromInline var start: Int

    @inlinable
    init(key: Int64, start: Int) {
      self.key = key
      self.start = start
    }
  }

  @usableFromInline var starts: [Int64: Int] = [:]
  @usableFromInline var values: [Value?] = []
  /// How many values each page has.
  @usableFromInline var counts: [UInt8] = []
  /// Starts of pages without values.
  @usableFromInline var free: [Int] = []
  /// The page that was written last.
  @usableFromInline var last = Page(key: .min, start: 0)

  @usableFromInline var valueCount = 0

  /// How many numbers have a value.
  @inlinable
  public var count: Int { valueCount }

  /// A map without values.
  @inlinable
  public init() {}

  /// The values, in no order.
  @inlinable
  public var all: some Sequence<Value> { values.lazy.compactMap { $0 } }

  /// Makes room for so many values in all, before many are set.
  @inlinable
  public mutating func reserveCapacity(_ count: Int) {
    let pageCount = count >> Int(Self.pageBits) + 1
    values.reserveCapacity(pageCount << Int(Self.pageBits))
    counts.reserveCapacity(pageCount)
    starts.reserveCapacity(pageCount)
  }

  /// The value of a number; `nil`: it has none.
  @inlinable
  public subscript(channel: Int64) -> Value? {
    get {
      guard let start = start(of: channel >> Self.pageBits) else { return nil }
      return values[start + Self.offset(of: channel)]
    }
    set {
      if let newValue { set(newValue, of: channel) } else { removeValue(of: channel) }
    }
  }

  @inlinable
  static func offset(of channel: Int64) -> Int { Int(channel & (1 << pageBits - 1)) }

  @inlinable
  func start(of key: Int64) -> Int? { key == last.key ? last.start : starts[key] }

  @inlinable
  mutating func set(_ value: Value, of channel: Int64) {
    let key = channel >> Self.pageBits
    if key != last.key { last = Page(key: key, start: starts[key] ?? makePage(key)) }
    let index = last.start + Self.offset(of: channel)
    if values[index] == nil {
      valueCount += 1
      counts[last.start >> Int(Self.pageBits)] += 1
    }
    values[index] = value
  }

  @inlinable
  mutating func removeValue(of channel: Int64) {
    let key = channel >> Self.pageBits
    guard let start = start(of: key), values[start + Self.offset(of: channel)] != nil else {
      return
    }
    values[start + Self.offset(of: channel)] = nil
    valueCount -= 1
    counts[start >> Int(Self.pageBits)] -= 1
    guard counts[start >> Int(Self.pageBits)] == 0 else { return }
    starts[key] = nil
    free.append(start)
    if last.key == key { last = Page(key: .min, start: 0) }
  }

  @inlinable
  mutating func makePage(_ key: Int64) -> Int {
    let start: Int
    if let reused = free.popLast() {
      start = reused
    } else {
      start = values.count
      for _ in 0..<1 << Self.pageBits { values.append(nil) }
      counts.append(0)
    }
    starts[key] = start
    return start
  }
}
