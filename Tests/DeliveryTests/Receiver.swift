internal import Foundation
internal import TestSupport
internal import TidingsJSON

/// A process that receives deliveries as services do (`receiver.py`), and what it has received.
final class Receiver: Sendable {
  struct Seen: Sendable {
    fileprivate var rest = ""
    fileprivate(set) var entries: [JSONObject] = []
    fileprivate(set) var ports: [Int] = []

    /// What came to a path.
    func at(_ path: String) -> [JSONObject] { entries.filter { $0["path"]?.string == path } }
  }

  let folder: TemporaryFolder
  let seen = Observed(Seen())
  private let process = Process()
  /// The process ends when it is closed.
  private let input = Pipe()
  let port: Int
  let http2Port: Int

  init() async throws {
    folder = try TemporaryFolder()
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/bin/python3")
    process.arguments = [script.appendingPathComponent("receiver.py").path, folder.path]
    process.standardInput = input
    process.standardOutput = output
    output.fileHandleForReading.readabilityHandler = { [seen] handle in
      let data = handle.availableData
      guard !data.isEmpty else {
        handle.readabilityHandler = nil
        return
      }
      seen.update { Self.take(String(decoding: data, as: UTF8.self), into: &$0) }
    }
    try process.run()
    let ready = try await seen.wait("the receiver's ports") { $0.ports.count == 2 }
    (port, http2Port) = (ready.ports[0], ready.ports[1])
  }

  deinit { process.terminate() }

  /// A URL of a webhook.
  func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  /// The secret of a number that it knows, 0 to 2.
  static func secret(_ number: UInt8) -> String {
    "whsec_" + Base64.encode([UInt8](repeating: number, count: 32))
  }

  private static func take(_ text: String, into seen: inout Seen) {
    seen.rest += text
    var lines = seen.rest.split(separator: "\n", omittingEmptySubsequences: false)
    seen.rest = String(lines.removeLast())
    for line in lines {
      if line.hasPrefix("ready ") {
        seen.ports = line.split(separator: " ").dropFirst().compactMap { Int($0) }
      } else if let entry = (try? JSONValue(parsing: Array(line.utf8)))?.object {
        seen.entries.append(entry)
      }
    }
  }
}
