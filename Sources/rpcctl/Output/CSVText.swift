internal import TidingsJSON

/// Values as lines of comma-separated values (RFC 4180, with line feeds).
enum CSVText {
  /// A line of cells.
  static func line(_ cells: [String]) -> String {
    cells.map(quoted).joined(separator: ",") + "\n"
  }

  /// A value in a cell: text as it is, null as nothing, all else as JSON.
  static func cell(_ value: JSONValue?) -> String {
    guard let value, value != .null else { return "" }
    return value.string ?? value.description
  }

  private static func quoted(_ cell: String) -> String {
    guard cell.utf8.contains(where: { $0 == 0x2C || $0 == 0x22 || $0 == 0x0A || $0 == 0x0D }) else {
      return cell
    }
    // By bytes: a quote with a combining mark is another character, and still ends a cell.
    var bytes: [UInt8] = [0x22]
    for byte in cell.utf8 {
      if byte == 0x22 { bytes.append(byte) }
      bytes.append(byte)
    }
    bytes.append(0x22)
    return String(decoding: bytes, as: UTF8.self)
  }
}
