import Glibc

/// The verbs with which this program starts itself.
enum Subprocesses {
  /// Runs a hidden verb.
  ///
  /// - Returns: Whether there was one.
  static func run(_ arguments: [String]) throws -> Bool {
    let numbers = arguments.dropFirst().compactMap { Int($0) }
    switch (arguments.first, numbers.count) {
    case ("bare-echo", 0): try BareServers.echo()
    case ("bare-curve-echo", 0) where arguments.count == 2:
      try BareServers.curveEcho(secretKey: arguments[1])
    case ("floor-service", 0) where arguments.count == 2:
      try FloorService(folder: arguments[1]).run()
    case ("bare-publisher", 1): try BareServers.publish(byteCount: numbers[0])
    case ("match-index", 2): try MatchCase.measure(count: numbers[0], rounds: numbers[1])
    case ("make-channels", 1): try StartCase.make(path: arguments[1], count: numbers[0])
    case ("open-channels", 2):
      try StartCase.measure(path: arguments[1], count: numbers[0], rounds: numbers[1])
    case ("flood", 0):
      guard arguments.count == 3, let flood = Flood(rawValue: arguments[1]) else { return false }
      try flood.run(arguments[2])
    default: return false
    }
    return true
  }

  /// The environment's variables.
  static func environment() -> [String: String] {
    var variables: [String: String] = [:]
    var next = environ
    while let entry = next.pointee {
      let parts = String(cString: entry).split(separator: "=", maxSplits: 1)
      if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
      next += 1
    }
    return variables
  }
}
