/// Elements that wait, taken from their callers in turn: one caller's many do not keep another's few
/// waiting.
///
/// A value without clock or lock. The elements of a caller keep their order.
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

    /// Limits; by default none for a caller.
    public init(
      countMax: Int,
      bytesMax: Int,
      countPerCallerMax: Int = .max,
      bytesPerCallerMax: Int = .max,
      takenPerCallerMax: Int = .max
    ) {
      self.countMax = countMax
      self.bytesMax = bytesMax
      self.countPerCallerMax = countPerCallerMax
      self.bytesPerCallerMax = bytesPerCallerMax
      self.takenPerCallerMax = takenPerCallerMax
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

  private struct Line {
    var elements = FIFO<(element: Element, bytes: Int)>()
    var bytes = 0
    var takenCount = 0

    var isUnused: Bool { elements.isEmpty && takenCount == 0 }
  }

  private let bounds: Bounds
  private var lines: [Caller: Line] = [:]
  /// The callers of whom something waits, next first; each once.
  private var turns = FIFO<Caller>()
  /// How many elements wait.
  public private(set) var count = 0
  /// How many bytes they hold.
  public private(set) var bytes = 0

  /// An empty queue.
  public init(_ bounds: Bounds) { self.bounds = bounds }

  /// Nothing waits.
  public var isEmpty: Bool { count == 0 }
  /// No element has room any more.
  public var isFull: Bool { count >= bounds.countMax || bytes >= bounds.bytesMax }

  /// Lets an element wait.
  ///
  /// - Parameters:
  ///   - element: What waits.
  ///   - caller: Whose turn it takes.
  ///   - elementBytes: How many bytes it holds.
  /// - Returns: Whether it waits; if not, nothing was changed.
  public mutating func add(
    _ element: Element,
    of caller: Caller,
    bytes elementBytes: Int = 0
  ) -> Addition {
    guard count < bounds.countMax, elementBytes <= bounds.bytesMax - bytes else { return .isFull }
    var line = lines.removeValue(forKey: caller) ?? Line()
    defer { lines[caller] = line.isUnused ? nil : line }
    guard line.elements.count < bounds.countPerCallerMax,
      elementBytes <= bounds.bytesPerCallerMax - line.bytes
    else { return .callerIsFull }
    if line.elements.isEmpty { turns.append(caller) }
    line.elements.append((element, elementBytes))
    line.bytes += elementBytes
    count += 1
    bytes += elementBytes
    return .added
  }

  /// Removes the first element of the caller whose turn it is.
  ///
  /// - Returns: The element and its caller, for whom `ended` is to be called if there is a bound on what
  ///   is taken; `nil` when nothing waits, or only for such a bound.
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
      count -= 1
      bytes -= elementBytes
      if bounds.takenPerCallerMax < .max { line.takenCount += 1 }
      if !line.elements.isEmpty { turns.append(caller) }
      return (element, caller)
    }
    return nil
  }

  /// An element that was taken is done with.
  public mutating func ended(_ caller: Caller) {
    guard var line = lines.removeValue(forKey: caller) else { return }
    precondition(line.takenCount > 0, "more elements ended than were taken")
    line.takenCount -= 1
    lines[caller] = line.isUnused ? nil : line
  }

  /// Removes all that waits, in the order in which it would be taken.
  public mutating func takeAll() -> [(element: Element, caller: Caller)] {
    var all: [(element: Element, caller: Caller)] = []
    while let caller = turns.removeFirst() {
      guard var line = lines.removeValue(forKey: caller) else { continue }
      if let (element, _) = line.elements.removeFirst() { all.append((element, caller)) }
      if !line.elements.isEmpty { turns.append(caller) }
      line.bytes = 0
      lines[caller] = line.isUnused ? nil : line
    }
    (count, bytes) = (0, 0)
    return all
  }
}

/// A queue that gives its space back as it empties.
private struct FIFO<Element> {
  private var elements: [Element?] = []
  private var head = 0

  var count: Int { elements.count - head }
  var isEmpty: Bool { head == elements.count }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func removeFirst() -> Element? {
    guard head < elements.count else { return nil }
    let element = elements[head]
    elements[head] = nil
    head += 1
    if head == elements.count {
      elements.removeAll(keepingCapacity: elements.count <= 64)
      head = 0
    } else if head >= 256, head * 2 >= elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return element
  }
}
