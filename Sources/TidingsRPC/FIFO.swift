/// A queue that gives its space back as it empties.
@usableFromInline
struct FIFO<Element> {
  @usableFromInline var elements: [Element?] = []
  @usableFromInline var head = 0

  @inlinable
  init() {}

  @inlinable var count: Int { elements.count - head }
  @inlinable var isEmpty: Bool { head == elements.count }
  @inlinable var first: Element? { isEmpty ? nil : elements[head] }

  @inlinable
  mutating func append(_ element: Element) { elements.append(element) }

  @inlinable
  @discardableResult
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

extension FIFO: Sendable where Element: Sendable {}
