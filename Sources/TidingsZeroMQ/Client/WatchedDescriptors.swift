/// What a client's thread waits for: the inbox, then the sockets and the events of its connections.
///
/// Those of a connection that there is not are negative, which `poll` skips.
struct WatchedDescriptors {
  /// How many there are.
  static let count = 5
  /// Where the events of the connection are.
  static let events = 2

  private var numbers: InlineArray<5, CInt>

  init(inbox: CInt, link: (socket: CInt, events: CInt)) {
    numbers = [inbox, link.socket, link.events, -1, -1]
  }

  var indices: Range<Int> { 0..<Self.count }

  subscript(index: Int) -> CInt { numbers[index] }

  mutating func watch(_ link: (socket: CInt, events: CInt)) {
    (numbers[1], numbers[Self.events]) = link
  }

  /// Watches the connection before, too; `nil`: there is none any more.
  mutating func watch(previous link: (socket: CInt, events: CInt)?) {
    (numbers[3], numbers[4]) = link ?? (-1, -1)
  }
}
