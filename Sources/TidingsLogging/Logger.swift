internal import Glibc
internal import Synchronization
internal import TidingsJSON

/// Writes structured lines to standard error: time, level, message, `key=value` pairs, as text or as JSON.
public struct Logger: Sendable {
  /// How much is said.
  public enum Level: String, CaseIterable, Comparable, Sendable {
    case debug
    case info
    case warning
    case error

    /// Less important is less.
    public static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }

    fileprivate var rank: Int {
      switch self {
      case .debug: 0
      case .info: 1
      case .warning: 2
      case .error: 3
      }
    }
  }

  /// How a line looks.
  public enum Format: String, CaseIterable, Sendable {
    /// `2026-11-25T14:48:39.114Z info store opened data=tidings-data`
    case text
    /// An object of JSON with `time`, `level`, `message` and a member for each pair.
    case json
  }

  /// Lines below this level are not written; all copies of a logger have the same.
  public var level: Level { threshold.level }
  private let threshold: Threshold

  private let format: Format

  /// A logger.
  public init(level: Level = .info, format: Format = .text) {
    threshold = Threshold(level)
    self.format = format
  }

  /// Sets the level, for all copies.
  public func set(_ level: Level) { threshold.level = level }

  /// Writes one line.
  ///
  /// - Parameters:
  ///   - level: How important it is.
  ///   - message: What happened; evaluated only when it is written.
  ///   - facts: Names and values, in order.
  public func log(
    _ level: Level,
    _ message: @autoclosure () -> String,
    _ facts: KeyValuePairs<String, String> = [:]
  ) {
    guard level >= self.level else { return }
    write(level, message(), facts.map { ($0.key, .string($0.value)) })
  }

  /// Writes one line whose values are not all texts.
  public func log(
    _ level: Level,
    _ message: @autoclosure () -> String,
    values: @autoclosure () -> [(String, Value)]
  ) {
    guard level >= self.level else { return }
    write(level, message(), values())
  }

  /// A value of a pair: in JSON numbers are numbers.
  public enum Value: Sendable {
    /// A text.
    case string(String)
    /// A whole number.
    case integer(Int)
    /// A number.
    case double(Double)

    fileprivate var text: String {
      switch self {
      case .string(let text): text
      case .integer(let number): "\(number)"
      case .double(let number): "\(number)"
      }
    }

    fileprivate var json: JSONValue {
      switch self {
      case .string(let text): .string(text)
      case .integer(let number): .integer(number)
      case .double(let number): .double(number)
      }
    }
  }

  /// One write per line, so that lines of several threads do not mix.
  private func write(_ level: Level, _ message: String, _ values: [(String, Value)]) {
    var bytes =
      switch format {
      case .text: Self.line(level, message, values)
      case .json: Self.jsonLine(level, message, values)
      }
    bytes.withUTF8 { _ = Self.write($0) }
  }

  private static func write(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
  }

  /// A line as an object; JSON's escapes keep control characters out of it.
  static func jsonLine(
    _ level: Level,
    _ message: String,
    _ values: [(String, Value)]
  ) -> String {
    var object: JSONObject = [
      "time": .string(timeOfDay()), "level": .string(level.rawValue), "message": .string(message),
    ]
    for (key, value) in values { object.append(key, value.json) }
    return JSONValue.object(object).description + "\n"
  }

  /// A line: what is in the message and the values ends no line and commands no terminal.
  static func line(
    _ level: Level,
    _ message: String,
    _ values: [(String, Value)]
  ) -> String {
    var line = "\(Self.timeOfDay()) \(level.rawValue) \(message.terminalText())"
    for (key, value) in values { line += " \(key)=\(Self.quoted(value.text))" }
    return line + "\n"
  }

  private static func quoted(_ value: String) -> String {
    let isPlain = !value.isEmpty && value.utf8.allSatisfy { $0 > 0x20 && $0 != 0x22 && $0 < 0x7f }
    if isPlain { return value }
    var result = "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\" + String(scalar)
      case _ where scalar.misleadsReaders:
        result += "\\u{" + String(scalar.value, radix: 16) + "}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  private static func timeOfDay() -> String {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    var parts = tm()
    gmtime_r(&now.tv_sec, &parts)
    func pad(_ number: Int, _ digits: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
    let date =
      "\(pad(Int(parts.tm_year) + 1900, 4))-\(pad(Int(parts.tm_mon) + 1, 2))-"
      + pad(Int(parts.tm_mday), 2)
    let time =
      "\(pad(Int(parts.tm_hour), 2)):\(pad(Int(parts.tm_min), 2)):"
      + pad(Int(parts.tm_sec), 2)
    return "\(date)T\(time).\(pad(now.tv_nsec / 1_000_000, 3))Z"
  }
}

/// A level that may change while others log.
private final class Threshold: Sendable {
  private let rank: Atomic<Int>

  init(_ level: Logger.Level) { rank = Atomic(level.rank) }

  var level: Logger.Level {
    get { Logger.Level.allCases[rank.load(ordering: .relaxed)] }
    set { rank.store(newValue.rank, ordering: .relaxed) }
  }
}
