internal import Glibc

/// Reads lines of a file that may be larger than memory.
struct LineReader {
  /// Longest line, in bytes: a record of a megabyte fits in any notation.
  static let lineBytesMax = 16 << 20
  private static let chunkBytes = 1 << 20

  /// The result of reading a line.
  enum Line: Equatable {
    /// A line without its end; a slice of `buffer` until the next is read.
    case text(Range<Int>)
    /// A line that is longer than `lineBytesMax`, and was skipped.
    case tooLong
  }

  private let source: any ByteSource
  /// Contains the current line.
  private(set) var buffer: [UInt8]
  private var start = 0
  private var filled = 0
  private var isAtEnd = false
  /// The position of the next line in the file.
  private(set) var offset: Int
  /// The number of the current line, from 1.
  private(set) var number: Int
  /// The current line ends in a line break; only the last of a file may not.
  private(set) var isComplete = true

  /// Reads a source from an offset, after a number of lines.
  init(_ source: any ByteSource, offset: Int = 0, number: Int = 0) {
    self.source = source
    self.offset = offset
    self.number = number
    buffer = [UInt8](repeating: 0, count: Self.chunkBytes)
  }

  /// Reads the next line; `nil` at the end.
  mutating func next() throws -> Line? {
    var searched = 0
    var skippedBytes = 0
    while true {
      if let end = lineEnd(from: start + searched) {
        return take(start..<end, next: end + 1, skippedBytes)
      }
      searched = filled - start
      if isAtEnd {
        guard searched + skippedBytes > 0 else { return nil }
        isComplete = false
        return take(start..<filled, next: filled, skippedBytes)
      }
      if searched > Self.lineBytesMax {
        skippedBytes += searched
        (start, filled, searched) = (0, 0, 0)
      }
      try fill()
    }
  }

  private mutating func take(_ range: Range<Int>, next: Int, _ skippedBytes: Int) -> Line {
    offset += skippedBytes + next - range.lowerBound
    number += 1
    start = next
    return skippedBytes > 0 || range.count > Self.lineBytesMax ? .tooLong : .text(range)
  }

  private func lineEnd(from index: Int) -> Int? {
    buffer.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, index < filled,
        let found = memchr(base + index, CInt(UInt8(ascii: "\n")), filled - index)
      else { return nil }
      return UnsafeRawPointer(found) - base
    }
  }

  private mutating func fill() throws {
    if start > 0 {
      buffer.withUnsafeMutableBytes { bytes in
        _ = bytes.baseAddress.map { memmove($0, $0 + start, filled - start) }
      }
      (start, filled) = (0, filled - start)
    }
    if filled == buffer.count { buffer += [UInt8](repeating: 0, count: buffer.count) }
    let count = try source.read(into: &buffer, from: filled)
    filled += count
    isAtEnd = count == 0
  }
}
