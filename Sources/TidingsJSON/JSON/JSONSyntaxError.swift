/// Text that is not JSON.
public struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong.
  public let reason: String
  /// The line, from 1.
  public let line: Int
  /// The column, from 1, in Unicode scalars.
  public let column: Int

  /// An error at a byte of a text.
  init(_ reason: String, at offset: Int, in text: [UInt8]) {
    self.reason = reason
    let before = text.prefix(offset)
    line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    column = before[start...].count { $0 & 0xC0 != 0x80 } + 1
  }

  /// What is wrong and where.
  public var description: String { "\(reason) at line \(line), column \(column)" }
}
