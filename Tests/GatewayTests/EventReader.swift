internal import Foundation
internal import TestSupport
internal import TidingsJSON

/// Reads server-sent events on a connection of its own.
final class EventReader: Sendable {
  struct Event: Sendable {
    var name = ""
    /// The position behind the event.
    var id: String?
    var data = ""

    /// The name of the record that a notification is about.
    var recordName: String? {
      (try? JSONValue(parsing: data))?.object?["ck"]?.object?["qry"]?.object?["rid"]?.string
    }
  }

  struct Seen: Sendable {
    var status = 0
    var events: [Event] = []
    var isEnded = false
    /// Of the last event, or of a line that only shows the position.
    var position = ""

    /// The stream has ended with an error; its connection stays.
    var hasFailed: Bool { events.last?.name == "error" }
    var names: [String] { events.compactMap(\.recordName) }
    /// What was sent of the badge.
    var badges: [Int64] {
      events.filter { $0.name == "badge" }.compactMap {
        (try? JSONValue(parsing: $0.data))?.object?["badge"]?.number?.exactly(Int64.self)
      }
    }
  }

  let seen = Observed(Seen())

  /// Reads the events of a user of a server in development mode.
  convenience init(
    _ port: UInt16,
    user: String = "ada",
    after position: String = "",
    query: String = ""
  ) throws {
    try self.init(port, tokens: "ckAPIToken=x\(GatewayWorld.token(user))\(query)", position)
  }

  /// Reads the events of whoever has these tokens.
  convenience init(_ port: UInt16, tokens: String, _ position: String = "") throws {
    try self.init(port, path: "\(Self.path)?\(tokens)", headers: [], position)
  }

  static let path = "/events/app/development"

  /// Reads the events of whoever sends these headers.
  init(
    _ port: UInt16,
    path: String = path,
    headers: [String],
    _ position: String = ""
  ) throws {
    let connection = Lent(try HTTPConnection(port))
    var head = "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n"
    for header in headers { head += header + "\r\n" }
    if !position.isEmpty { head += "Last-Event-ID: \(position)\r\n" }
    connection.value.send(head + "\r\n")
    let seen = seen
    Thread.detachNewThread {
      var bytes: [UInt8] = []
      while true {
        let more = connection.value.read()
        bytes += more
        let all = bytes
        seen.update { seen in
          seen.isEnded = more.isEmpty
          guard let answer = HTTPAnswer(all) else { return }
          seen.status = answer.status
          seen.events = []
          Self.read(answer.text, into: &seen)
        }
        if more.isEmpty { break }
      }
    }
  }

  private static func read(_ text: String, into seen: inout Seen) {
    for block in text.components(separatedBy: "\n\n").dropLast() {
      var event = Event()
      for line in block.split(separator: "\n") {
        if line.hasPrefix("event: ") { event.name = String(line.dropFirst("event: ".count)) }
        if line.hasPrefix("data: ") { event.data += line.dropFirst("data: ".count) }
        if line.hasPrefix("id: ") { event.id = String(line.dropFirst("id: ".count)) }
      }
      if let id = event.id { seen.position = id }
      if !event.name.isEmpty { seen.events.append(event) }
    }
  }
}
