internal import TidingsSQL

/// The values that are bound to a statement, as libpq sends them.
struct Parameters {
  private enum Value {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
  }

  private var values: [Value]
  private var types: [SQLType?]

  /// The types of all parameters, which decide what the statement means; `nil`: the server infers it.
  var signature: [SQLType?] { types }

  /// Parameters that are null.
  ///
  /// - Parameter numbers: Those that the statement contains. The server cannot infer the type of others.
  init(_ numbers: [Int]) {
    let count = numbers.last ?? 0
    values = Array(repeating: .null, count: count)
    types = (0..<count).map { numbers.contains($0 + 1) ? nil : .integer }
  }

  mutating func bind(_ value: Int64, at index: Int) { set(.integer(value), .integer, at: index) }
  mutating func bind(_ value: String, at index: Int) { set(.text(value), .text, at: index) }
  mutating func bind(_ value: [UInt8], at index: Int) { set(.bytes(value), .bytes, at: index) }

  /// A null keeps the type that the parameter had, so that the statement is not prepared again.
  mutating func bindNull(of type: SQLType?, at index: Int) { set(.null, type, at: index) }

  private mutating func set(_ value: Value, _ type: SQLType?, at index: Int) {
    precondition(values.indices.contains(index - 1), "a parameter that the statement does not have")
    values[index - 1] = value
    if let type { types[index - 1] = type }
  }

  /// All values behind each other, in PostgreSQL's binary format, and where each is; `nil`: null.
  func encoded(into bytes: inout [UInt8]) -> [Range<Int>?] {
    bytes.removeAll(keepingCapacity: true)
    let ranges = values.map { value -> Range<Int>? in
      let start = bytes.count
      switch value {
      case .null: return nil
      case .integer(let number):
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
      case .text(let text): bytes.append(contentsOf: text.utf8)
      case .bytes(let content): bytes.append(contentsOf: content)
      }
      return start..<bytes.count
    }
    // So that the address of an empty value is not null.
    bytes.append(0)
    return ranges
  }
}

extension SQLType {
  /// PostgreSQL's number of the type.
  var oid: UInt32 {
    switch self {
    case .integer: 20
    case .text: 25
    case .bytes: 17
    }
  }
}
