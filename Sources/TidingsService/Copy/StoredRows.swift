internal import TidingsFiles
internal import TidingsSQL

/// A value as it is stored, without a change.
enum StoredValue: Hashable {
  case null
  case integer(Int64)
  case text(String)
  case bytes([UInt8])

  /// From here on a statement's numbers are cut.
  private static let numberMax: Int64 = 1 << 61

  /// The value in a column; `nil`: text that is not UTF-8, or contains U+0000, which PostgreSQL cannot store.
  init?(_ statement: any SQLStatement, _ column: Int, _ type: SQLType) {
    if statement.isNull(column) {
      self = .null
      return
    }
    switch type {
    case .integer:
      let number = statement.int64(column)
      let isCut = number.magnitude >= Self.numberMax.magnitude
      self = .integer(isCut ? Int64(statement.string(column)) ?? number : number)
    case .bytes: self = .bytes(statement.bytes(column))
    case .text:
      let bytes = statement.bytes(column)
      guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
        return nil
      }
      self = .text(text)
    }
  }

  /// About how many bytes it takes.
  var byteCount: Int {
    switch self {
    case .null: 1
    case .integer: 8
    case .text(let text): text.utf8.count
    case .bytes(let bytes): bytes.count
    }
  }

  /// Binds it to a parameter of a type.
  func bind(to statement: any SQLStatement, at index: Int, _ type: SQLType) {
    switch self {
    case .null: statement.bindNull(of: type, at: index)
    case .integer(let number): statement.bind(number, at: index)
    case .text(let text): statement.bind(text, at: index)
    case .bytes(let bytes): statement.bind(bytes, at: index)
    }
  }

  /// Appends it in a form that no other value has.
  func append(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes.append(0)
    case .integer(let number): Self.append(1, number, to: &bytes)
    case .text(let text):
      Self.append(2, Int64(text.utf8.count), to: &bytes)
      bytes += text.utf8
    case .bytes(let content):
      Self.append(3, Int64(content.count), to: &bytes)
      bytes += content
    }
  }

  private static func append(_ kind: UInt8, _ number: Int64, to bytes: inout [UInt8]) {
    bytes.append(kind)
    withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
  }

  /// In messages.
  var text: String {
    switch self {
    case .null: "null"
    case .integer(let number): "\(number)"
    case .text(let text): "'\(text)'"
    case .bytes(let bytes): bytes.hexadecimal
    }
  }
}

/// Rows of a table that follow each other in the order of its key.
struct StoredRows {
  let table: SQLTable
  /// Row by row, as many for each as the table has columns.
  var values: [StoredValue] = []

  var count: Int { values.count / table.columns.count }

  /// The values of a row.
  subscript(row: Int) -> ArraySlice<StoredValue> {
    values[row * table.columns.count..<(row + 1) * table.columns.count]
  }

  /// The key of the last row; `nil`: there is no row.
  var lastKey: [StoredValue]? {
    guard count > 0 else { return nil }
    let last = (count - 1) * table.columns.count
    return table.key.map { values[last + $0] }
  }
}
