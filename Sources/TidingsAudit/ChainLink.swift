internal import TidingsFiles

/// What a line of the audit log begins with: its number, and the checksum of the line before it.
///
/// The bytes `{"number":12,"previous":"…"`, so that lines are checked without being parsed. Lines that
/// were written before there was a chain have none.
public struct ChainLink: Hashable, Sendable {
  /// The line's own number.
  public let number: UInt64
  /// The checksum of the line before it, 32 bytes.
  public let previous: [UInt8]
  /// The checksum of an incomplete line that stands between the two; `nil`: there is none.
  public let torn: [UInt8]?

  /// The link of the line after a head.
  ///
  /// - Parameters:
  ///   - head: The last complete line.
  ///   - torn: The checksum of what a crash left of a line after it.
  public init(after head: ChainHead, torn: [UInt8]? = nil) {
    number = head.number + 1
    previous = head.hash
    self.torn = torn
  }

  /// The members, to be followed by others.
  public var text: [UInt8] {
    let torn = torn.map { ",\"torn\":\"\($0.hexadecimal)\"" } ?? ""
    return Array("{\"number\":\(number),\"previous\":\"\(previous.hexadecimal)\"\(torn),".utf8)
  }

  /// What a line begins with; `nil` for anything else.
  public init?(of line: ArraySlice<UInt8>) {
    var rest = line
    guard rest.take("{\"number\":"), let number = rest.takeNumber(), rest.take(",\"previous\":\""),
      let previous = rest.takeHash()
    else { return nil }
    self.number = number
    self.previous = previous
    torn = rest.take(",\"torn\":\"") ? rest.takeHash() : nil
  }
}

extension ArraySlice<UInt8> {
  fileprivate mutating func take(_ text: StaticString) -> Bool {
    let isThere = text.withUTF8Buffer { starts(with: $0) }
    if isThere { removeFirst(text.utf8CodeUnitCount) }
    return isThere
  }

  fileprivate mutating func takeNumber() -> UInt64? {
    let digits = prefix(20).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    removeFirst(digits.count)
    // Each number has one text only, and the next one is a number too.
    guard digits.first != UInt8(ascii: "0") else { return nil }
    return Int64(String(decoding: digits, as: UTF8.self)).map { UInt64($0) }
  }

  /// A checksum and the quote behind it.
  fileprivate mutating func takeHash() -> [UInt8]? {
    let digits = prefix(2 * ChainHead.hashBytes)
    guard digits.count == 2 * ChainHead.hashBytes,
      dropFirst(digits.count).first == UInt8(ascii: "\"")
    else { return nil }
    removeFirst(digits.count + 1)
    return [UInt8](hexadecimal: String(decoding: digits, as: UTF8.self))
  }
}
