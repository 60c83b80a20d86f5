/// Whether the lines of a head ended as they must, with a carriage return and a line feed.
///
/// libmicrohttpd also takes a line feed alone, and joins lines that continue: another server before it may see other
/// headers. It puts a zero in the place of each character that ends a line, and hands out pointers into what it
/// received; so two zeros are between what a line has and the next line.
struct LineEnds {
  /// Where the content of the line before ends.
  private var end: UnsafePointer<CChar>?
  private(set) var areValid = true

  /// - Parameter end: Of the request line.
  init(afterRequestLine end: UnsafePointer<CChar>?) { self.end = end }

  /// Adds a line that begins with a name and ends with a value.
  mutating func add(name: UnsafePointer<CChar>?, end next: UnsafePointer<CChar>?) {
    guard let end, let name, areValid, end < name, name - end <= Self.gapMax else {
      areValid = false
      return
    }
    var gap = UnsafeBufferPointer(start: end, count: name - end)[...]
    // Space at the end of a value belongs to none.
    while gap.first == 0x20 || gap.first == 0x09 { gap = gap.dropFirst() }
    areValid = gap.count == 2 && gap.allSatisfy { $0 == 0 }
    self.end = next
  }

  /// Checks the last line and the empty one behind it; the head has ended, so that as many bytes are there.
  mutating func finish() {
    guard var end, areValid else { return }
    while end.pointee == 0x20 || end.pointee == 0x09 { end += 1 }
    areValid = (0..<4).allSatisfy { end[$0] == 0 }
  }

  private static let gapMax = 32 << 10
}
