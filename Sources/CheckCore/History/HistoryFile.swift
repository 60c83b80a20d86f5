internal import Foundation
internal import TidingsJSON

/// A history as a file: lines of JSON, of which the first has the seed, and each other one a call.
package enum HistoryFile {
  /// The format of the first line.
  private static let format = "tidings-check-1"

  /// Writes a history into a folder.
  ///
  /// - Returns: The path of the file, which is named after the seed and the time.
  /// - Throws: What the file system reports.
  package static func write(_ history: History, to folder: String) throws -> String {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let time = Int(Date.now.timeIntervalSince1970)
    let path = "\(folder)/check-\(time)-\(history.seed).jsonl"
    try Data(text(history).utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  /// Reads a history.
  ///
  /// - Throws: `CheckError` with the line that is wrong.
  package static func read(_ path: String) throws -> History {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw CheckError("cannot read '\(path)'")
    }
    return try history(String(decoding: data, as: UTF8.self))
  }

  /// The lines of a history.
  package static func text(_ history: History) -> String {
    let header = JSONValue.object([
      "format": .string(format), "seed": .string(String(history.seed)),
      "workloads": .array(history.calls.keys.map(\.rawValue).sorted().map { .string($0) }),
      "failures": .object(failures(history)),
    ])
    var lines = [header.description]
    for name in WorkloadName.allCases {
      for call in history.calls[name] ?? [] { lines.append(call.json(name).description) }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func failures(_ history: History) -> JSONObject {
    var failures = JSONObject()
    for name in WorkloadName.allCases {
      if let failure = history.failures[name] { failures.append(name.rawValue, .string(failure)) }
    }
    return failures
  }

  /// Parses the lines of a history.
  package static func history(_ text: String) throws -> History {
    var lines = text.split(separator: "\n")[...]
    let header = try lines.popFirst().map { try JSONValue(parsing: String($0)) }?.object
    guard let header, header["format"]?.string == format,
      let seed = header["seed"]?.string.flatMap({ UInt64($0) })
    else { throw CheckError("line 1 is not the beginning of a history of tidings-check") }
    var history = History(seed: seed)
    for name in header["workloads"]?.array ?? [] {
      if let name = name.string.flatMap(WorkloadName.init) { history.calls[name] = [] }
    }
    for member in header["failures"]?.object?.members ?? [] {
      if let name = WorkloadName(rawValue: member.name) {
        history.failures[name] = member.value.string
      }
    }
    for (index, line) in lines.enumerated() {
      guard let object = (try? JSONValue(parsing: String(line)))?.object,
        let name = object["workload"]?.string.flatMap(WorkloadName.init),
        let call = Call(object)
      else { throw CheckError("line \(index + 2) is not a call") }
      history.calls[name, default: []].append(call)
    }
    return history
  }
}
