/// A binary heap: the least element is first.
struct Heap<Element: Comparable> {
  private var elements: [Element]

  /// A heap of elements in any order.
  init(_ elements: [Element]) {
    self.elements = elements
    for parent in (0..<elements.count / 2).reversed() { siftDown(from: parent) }
  }

  /// The least element.
  var first: Element? { elements.first }

  /// Puts another element in the place of the first; `nil` only removes it.
  ///
  /// The heap must not be empty.
  mutating func replaceFirst(with element: Element?) {
    if let element {
      elements[0] = element
    } else {
      elements.swapAt(0, elements.count - 1)
      elements.removeLast()
    }
    siftDown(from: 0)
  }

  /// Adds an element.
  mutating func insert(_ element: Element) {
    elements.append(element)
    var child = elements.count - 1
    while child > 0, elements[child] < elements[(child - 1) / 2] {
      elements.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Changes all elements, whose order stays the same.
  mutating func update(_ change: (inout Element) -> Void) {
    for index in elements.indices { change(&elements[index]) }
  }

  private mutating func siftDown(from start: Int) {
    var parent = start
    while true {
      let (left, right) = (2 * parent + 1, 2 * parent + 2)
      guard left < elements.count else { return }
      let least = right < elements.count && elements[right] < elements[left] ? right : left
      guard elements[least] < elements[parent] else { return }
      elements.swapAt(parent, least)
      parent = least
    }
  }
}

extension Heap: Sendable where Element: Sendable {}
