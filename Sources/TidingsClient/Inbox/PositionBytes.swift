/// Encodes numbers as varints; strings and bytes are preceded by their length.
struct PositionWriter {
  var bytes: [UInt8] = []

  mutating func add(_ progress: InboxProgress) {
    add(progress.token)
    add(UInt64(progress.numbers.count))
    for (channel, number) in progress.numbers.sorted(by: { $0.key < $1.key }) {
      add(channel)
      add(number)
    }
    add(UInt64(progress.readMarks.count))
    for id in progress.readMarks.sorted() { add(id) }
  }

  mutating func add(_ number: UInt64) {
    var rest = number
    while rest > 0x7f {
      bytes.append(UInt8(rest & 0x7f) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func add(_ more: [UInt8]) {
    add(UInt64(more.count))
    bytes += more
  }

  mutating func add(_ text: String) { add(Array(text.utf8)) }
}

/// Decodes what `PositionWriter` encoded; `nil`: it ended too early.
struct PositionReader {
  var bytes: ArraySlice<UInt8>

  mutating func progress() -> InboxProgress? {
    guard let token = blob(), let numberCount = number() else { return nil }
    var numbers: [String: UInt64] = [:]
    for _ in 0..<numberCount {
      guard let channel = text(), let number = number() else { return nil }
      numbers[channel] = number
    }
    guard let readCount = number() else { return nil }
    var readMarks: Set<String> = []
    for _ in 0..<readCount {
      guard let id = text() else { return nil }
      readMarks.insert(id)
    }
    return InboxProgress(token: token, numbers: numbers, readMarks: readMarks)
  }

  mutating func number() -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: 0, to: 64, by: 7) {
      guard let byte = bytes.popFirst() else { return nil }
      value |= UInt64(byte & 0x7f) << UInt64(shift)
      if byte < 0x80 { return value }
    }
    return nil
  }

  private mutating func blob() -> [UInt8]? {
    guard let count = number(), count <= bytes.count else { return nil }
    defer { bytes = bytes.dropFirst(Int(count)) }
    return Array(bytes.prefix(Int(count)))
  }

  mutating func text() -> String? { blob().map { String(decoding: $0, as: UTF8.self) } }
}
