/// A type of PostgreSQL that the shared dialect has, and its binary format.
enum ColumnType: Equatable {
  case boolean
  /// Two, four or eight bytes, most significant first.
  case integer
  case float4, float8
  case numeric
  case text
  case bytes

  /// Larger numbers are cut, so that sums of them do not overflow.
  static let numberMax: Int64 = 1 << 61

  /// The type of a number; `nil`: the shared dialect has no such values, and a statement that returns them is wrong.
  init?(oid: UInt32) {
    switch oid {
    case 16: self = .boolean
    case 20, 21, 23: self = .integer
    case 700: self = .float4
    case 701: self = .float8
    case 1700: self = .numeric
    // name, text, unknown, bpchar, varchar, void
    case 19, 25, 705, 1042, 1043, 2278: self = .text
    case 17: self = .bytes
    default: return nil
    }
  }

  /// The value as a number, as SQLite would read it.
  func int64(_ bytes: UnsafeRawBufferPointer) -> Int64 {
    let number: Int64
    switch self {
    case .boolean: number = bytes.first == 1 ? 1 : 0
    case .integer: number = Self.integer(bytes)
    case .float4, .float8: number = Self.rounded(double(bytes))
    case .numeric: number = Numeric(bytes)?.int64 ?? 0
    case .text, .bytes:
      number = Int64(String(decoding: bytes, as: UTF8.self)) ?? 0
    }
    return min(max(number, -Self.numberMax), Self.numberMax)
  }

  /// The value as text, as SQLite would read it.
  func string(_ bytes: UnsafeRawBufferPointer) -> String {
    switch self {
    case .boolean: bytes.first == 1 ? "1" : "0"
    case .integer: String(Self.integer(bytes))
    case .float4, .float8: String(double(bytes))
    case .numeric: Numeric(bytes)?.description ?? ""
    case .text, .bytes: String(decoding: bytes, as: UTF8.self)
    }
  }

  private func double(_ bytes: UnsafeRawBufferPointer) -> Double {
    let bits = UInt64(bitPattern: Self.integer(bytes))
    return self == .float4
      ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))) : Double(bitPattern: bits)
  }

  private static func integer(_ bytes: UnsafeRawBufferPointer) -> Int64 {
    var number: Int64 = bytes.first.map { Int64(Int8(bitPattern: $0)) } ?? 0
    for byte in bytes.dropFirst() { number = number << 8 | Int64(byte) }
    return number
  }

  private static func rounded(_ number: Double) -> Int64 {
    guard !number.isNaN else { return 0 }
    let limit = Double(numberMax)
    return Int64(min(max(number, -limit), limit))
  }
}
