/// Elements that wait, taken from their callers in turn: one caller's many do not keep another's few
/// waiting.
///
/// A value without clock or lock. The elements of a caller keep their order. Inlinable, since each call of a busy server
/// passes through one: where it is used it is made for its types.
public struct FairQueue<Caller: Hashable, Element> {
  /// What may wait, and be at work.
  public struct Bounds: Sendable {
    /// Most elements.
    public var countMax: Int
    /// Most bytes that they hold.
    public var bytesMax: Int
    /// Most elements of one caller.
    public var countPerCallerMax: Int
    /// Most bytes that these hold.
    public var bytesPerCallerMax: Int
    /// Most elements of one caller that are taken and not `ended`.
    public var takenPerCallerMax: Int
    /// A caller's second element and later ones have room up to this part of what is free: `4` is a quarter.
    ///
    /// So however many callers hold as much as they can, the next one still has room.
    public var freePartPerCaller: Int?

    /// Limits; by default none for a caller.
    public init(
      countMax: Int,
      bytesMax: Int,
      countPerCallerMax: Int = .max,
      bytesPerCallerMax: Int = .max,
      takenPerCallerMax: Int = .max,
      freePartPerCaller: Int? = nil
    ) {
      self.countMax = countMax
      self.bytesMax = bytesMax
      self.countPerCallerMax = countPerCallerMax
      self.bytesPerCallerMax = bytesPerCallerMax
      self.takenPerCallerMax = takenPerCallerMax
      self.freePartPerCaller = freePartPerCaller
    }
  }

  /// What became of an element.
  public enum Addition: Equatable, Sendable {
    /// It waits.
    case added
    /// Too much of this caller waits.
    case callerIsFull
    /// Too much waits.
    case isFull
  }

  @usableFromInline
  struct Line {
    @usableFromInline var elements = FIFO<(element: Element, bytes: Int)>()
    @usableFromInline var bytes = 0
    @usableFromInline var takenCount = 0

    @inlinable
    init() {}

    @inlinable var isUnused: Bool { elements.isEmpty && takenCount == 0 }
  }

  @usableFromInline let bounds: Bounds
  @usableFromInline var lines: [Caller: Line] = [:]
  /// The callers of whom something waits, next first; each once.
  @usableFromInline var turns = FIFO<Caller>()
  @usableFromInline var held = (count: 0, bytes: 0)

  /// An empty queue.
  @inlinable
  public init(_ bounds: Bounds) { self.bounds = bounds }

  /// How many elements wait.
  @inlinable public var count: Int { held.count }
  /// How many bytes they hold.
  @inlinable public var bytes: Int { held.bytes }
  /// Nothing waits.
  @inlinable public var isEmpty: Bool { count == 0 }

  /// Lets an element wait.
  ///
  /// - Parameters:
  ///   - element: What waits.
  ///   - caller: Whose turn it takes.
  ///   - elementBytes: How many bytes it holds.
  /// - Returns: Whether it waits; if not, nothing was changed.
  @inlinable
  public mutating func add(
    _ element: Element,
    of caller: Caller,
    bytes elementBytes: Int = 0
  ) -> Addition {
    guard count < bounds.countMax, elementBytes <= bounds.bytesMax - bytes else { return .isFull }
    var line = lines.removeValue(forKey: caller) ?? Line()
    defer { lines[caller] = line.isUnused ? nil : line }
    guard line.elements.count < bounds.countPerCallerMax,
      elementBytes <= bounds.bytesPerCallerMax - line.bytes,
      leavesRoom(line, elementBytes)
    else { return .callerIsFull }
    if line.elements.isEmpty { turns.append(caller) }
    line.elements.append((element, elementBytes))
    line.bytes += elementBytes
    held.count += 1
    held.bytes += elementBytes
    return .added
  }

  @inlinable
  func leavesRoom(_ line: Line, _ elementBytes: Int) -> Bool {
    guard let part = bounds.freePartPerCaller, !line.elements.isEmpty else { return true }
    return line.elements.count < (bounds.countMax - count) / part
      && elementBytes <= (bounds.bytesMax - bytes) / part - line.bytes
  }

  /// Removes the first element of the caller whose turn it is.
  ///
  /// - Returns: The element and its caller, for whom `ended` is to be called if there is a bound on what
  ///   is taken; `nil` when nothing waits, or only for such a bound.
  @inlinable
  public mutating func takeNext() -> (element: Element, caller: Caller)? {
    for _ in 0..<turns.count {
      guard let caller = turns.removeFirst(), var line = lines.removeValue(forKey: caller) else {
        return nil
      }
      defer { lines[caller] = line.isUnused ? nil : line }
      guard line.takenCount < bounds.takenPerCallerMax else {
        turns.append(caller)
        continue
      }
      guard let (element, elementBytes) = line.elements.removeFirst() else { return nil }
      line.bytes -= elementBytes
      held.count -= 1
      held.bytes -= elementBytes
      if bounds.takenPerCallerMax < .max { line.takenCount += 1 }
      if !line.elements.isEmpty { turns.append(caller) }
      return (element, caller)
    }
    return nil
  }

  /// An element that was taken is done with.
  @inlinable
  public mutating func ended(_ caller: Caller) {
    guard var line = lines.removeValue(forKey: caller) else { return }
    precondition(line.takenCount > 0, "more elements ended than were taken")
    line.takenCount -= 1
    lines[caller] = line.isUnused ? nil : line
  }

  /// Removes all that waits, in the order in which it would be taken.
  @inlinable
  public mutating func takeAll() -> [(element: Element, caller: Caller)] {
    var all: [(element: Element, caller: Caller)] = []
    while let caller = turns.removeFirst() {
      guard var line = lines.removeValue(forKey: caller) else { continue }
      if let (element, _) = line.elements.removeFirst() { all.append((element, caller)) }
      if !line.elements.isEmpty { turns.append(caller) }
      line.bytes = 0
      lines[caller] = line.isUnused ? nil : line
    }
    held = (0, 0)
    return all
  }
}
