/// Memory of a statement for the texts and bytes that are bound to it: SQLite reads them where they are, instead of
/// copying each into memory that it takes and frees.
///
/// What is larger than a piece is not kept, so that the statements of a connection hold little.
struct BoundMemory {
  private static let pieceBytesMax = 4_096
  private static let pieceBytesMin = 64

  private var pieces: [UnsafeMutableRawBufferPointer]

  /// Memory for the parameters of a statement, taken as they are bound.
  init(parameterCount: Int) {
    pieces = Array(
      repeating: UnsafeMutableRawBufferPointer(start: nil, count: 0),
      count: parameterCount
    )
  }

  /// Keeps what is bound until something else is bound to the same parameter, which counts from 1.
  ///
  /// - Returns: Where it is; `nil`: it is too large, or empty, or there is no such parameter.
  mutating func keep(_ bytes: UnsafeRawBufferPointer, at parameter: Int) -> UnsafeRawBufferPointer?
  {
    let index = parameter - 1
    guard pieces.indices.contains(index), !bytes.isEmpty, bytes.count <= Self.pieceBytesMax else {
      return nil
    }
    if pieces[index].count < bytes.count {
      pieces[index].deallocate()
      var size = Self.pieceBytesMin
      while size < bytes.count { size *= 2 }
      pieces[index] = .allocate(byteCount: size, alignment: 1)
    }
    pieces[index].copyMemory(from: bytes)
    return UnsafeRawBufferPointer(rebasing: pieces[index][..<bytes.count])
  }

  /// Gives the memory back; the statement is gone.
  func free() {
    for piece in pieces { piece.deallocate() }
  }
}
