internal import Glibc
internal import TidingsModel

extension Timestamp {
  /// The time for people, `2026-11-21T15:04:05.678Z`, cut to the millisecond.
  var utcText: String {
    func pad(_ number: some BinaryInteger, _ digits: Int) -> String {
      let text = "\(number)"
      return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
    var seconds = time_t(self.seconds)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let date =
      "\(pad(Int(parts.tm_year) + 1900, 4))-\(pad(parts.tm_mon + 1, 2))-\(pad(parts.tm_mday, 2))"
    let time = "\(pad(parts.tm_hour, 2)):\(pad(parts.tm_min, 2)):\(pad(parts.tm_sec, 2))"
    return "\(date)T\(time).\(pad(nanoseconds / 1_000_000, 3))Z"
  }

  /// A time from that text, with 3, 6 or 9 digits of a second; `nil` for any other.
  init?(utcText text: String) {
    let bytes = Array(text.utf8)
    guard [24, 27, 30].contains(bytes.count) else { return nil }
    let digits = bytes.count - 21
    let pattern = Array("0000-00-00T00:00:00.\(String(repeating: "0", count: digits))Z".utf8)
    for (byte, expected) in zip(bytes, pattern) {
      let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      guard expected == UInt8(ascii: "0") ? isDigit : byte == expected else { return nil }
    }
    func number(_ range: Range<Int>) -> Int32 {
      bytes[range].reduce(0) { $0 * 10 + Int32($1 - UInt8(ascii: "0")) }
    }
    var parts = tm()
    parts.tm_year = number(0..<4) - 1900
    parts.tm_mon = number(5..<7) - 1
    parts.tm_mday = number(8..<10)
    parts.tm_hour = number(11..<13)
    parts.tm_min = number(14..<16)
    parts.tm_sec = number(17..<19)
    var fraction = number(20..<(20 + digits))
    for _ in digits..<9 { fraction *= 10 }
    self.init(seconds: Int64(timegm(&parts)), nanoseconds: fraction)
  }
}
