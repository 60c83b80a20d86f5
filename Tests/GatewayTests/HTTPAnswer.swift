internal import Glibc
internal import TestSupport
internal import TidingsJSON

/// What came back for a request that was written byte by byte.
struct HTTPAnswer {
  var status: Int
  /// Names in lower case.
  var headers: [String: String]
  var body: [UInt8]

  var text: String { String(decoding: body, as: UTF8.self) }
  var json: JSONValue? { try? JSONValue(parsing: body) }

  /// The code of a failed request.
  var code: String? { json?.object?["serverErrorCode"]?.string }
  /// The records of an answer.
  var records: [JSONObject] { items("records") }

  /// The items of an answer.
  func items(_ name: String) -> [JSONObject] {
    json?.object?[name]?.array?.compactMap(\.object) ?? []
  }

  static func to(
    _ method: String,
    _ path: String,
    at port: UInt16,
    headers: [String] = [],
    body: [UInt8] = []
  ) throws -> HTTPAnswer {
    var head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
    for header in headers { head += header + "\r\n" }
    if !body.isEmpty { head += "Content-Length: \(body.count)\r\n" }
    return try raw(Array((head + "\r\n").utf8) + body, at: port)
  }

  /// Sends bytes and reads until the other side closes.
  static func raw(_ bytes: [UInt8], at port: UInt16) throws -> HTTPAnswer {
    let connection = try HTTPConnection(port)
    connection.send(bytes)
    guard let answer = HTTPAnswer(connection.readAll()) else {
      throw WaitingFailure(description: "no answer came")
    }
    return answer
  }

  init?(_ bytes: [UInt8]) {
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
      .split(separator: "\r\n")
    guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { return nil }
    self.status = status
    headers = [:]
    for line in lines.dropFirst() {
      let sides = line.split(separator: ":", maxSplits: 1)
      guard sides.count == 2 else { continue }
      headers[sides[0].lowercased()] = String(sides[1].drop { $0 == " " })
    }
    body = Array(bytes[end.upperBound...])
    if headers["transfer-encoding"] == "chunked" { body = Self.unchunked(body) }
  }

  static func unchunked(_ bytes: [UInt8]) -> [UInt8] {
    var (rest, result) = (bytes[...], [UInt8]())
    while let end = rest.firstRange(of: Array("\r\n".utf8)) {
      let digits = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
      guard let count = Int(digits, radix: 16), count > 0 else { break }
      rest = rest[end.upperBound...]
      result += rest.prefix(count)
      rest = rest.dropFirst(count + 2)
    }
    return result
  }
}

/// A TCP connection on which a test writes HTTP itself.
final class HTTPConnection {
  private let descriptor: CInt

  init(_ port: UInt16) throws {
    descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let descriptor = descriptor
    let code = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else { throw WaitingFailure(description: "cannot connect to \(port)") }
  }

  deinit { close(descriptor) }

  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Makes the end of the connection a reset: the other side learns at once that nobody reads.
  func resetsAtEnd() {
    var now = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
  }

  /// From now on nothing arrives here, and nothing is confirmed: the other side notices as much as when the network is gone.
  func loseNetwork() {
    // A filter of the socket that keeps 0 bytes of each packet (`BPF_RET`, 0): the system drops it before it looks at it.
    var instruction = (code: UInt16(0x06), onTrue: UInt8(0), onFalse: UInt8(0), operand: UInt32(0))
    withUnsafeMutablePointer(to: &instruction) { instruction in
      var program = (count: UInt16(1), first: UnsafeMutableRawPointer(instruction))
      let size = socklen_t(MemoryLayout.size(ofValue: program))
      setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &program, size)
    }
  }

  /// Nothing more is sent.
  func finish() { shutdown(descriptor, CInt(SHUT_WR)) }

  func send(_ text: String) { send(Array(text.utf8)) }

  /// What has come next; none: the other side has closed.
  func read() -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return count > 0 ? Array(buffer[..<count]) : []
  }

  func readAll() -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let more = read()
      if more.isEmpty { return bytes }
      bytes += more
    }
  }
}
