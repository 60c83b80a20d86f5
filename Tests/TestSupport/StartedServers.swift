internal import Foundation
internal import Synchronization

/// The servers that a test started.
final class StartedServers: Sendable {
  @TaskLocal static var ofTest: StartedServers?

  private static let shownLinesMax = 30

  private let processes = Mutex<[ServerProcess]>([])
  /// Hashes of logs that a failure has shown.
  private let shown = Mutex<Set<Int>>([])

  /// Refuses what nobody would end before all tests have ended.
  static func check() throws {
    guard RunningTest.isThere, ofTest == nil else { return }
    throw WaitingFailure(description: "the suite needs the trait .endsServers")
  }

  func insert(_ process: ServerProcess) { processes.withLock { $0.append(process) } }

  /// The last lines that each of the servers wrote to standard error, unless they were shown already.
  func newLogEnds() -> [String] {
    processes.withLock { processes in processes }.compactMap { process in
      let errors = process.seen.value.errors
      guard !errors.isEmpty, shown.withLock({ $0.insert(errors.hashValue).inserted }) else {
        return nil
      }
      let lines = errors.split(separator: "\n").suffix(Self.shownLinesMax)
      return "the log of \(process.name) ends with:\n" + lines.joined(separator: "\n")
    }
  }

  func end() async {
    let processes = processes.withLock { processes in
      defer { processes = [] }
      return processes
    }
    for process in processes { process.send(SIGKILL) }
    for process in processes {
      // A port is free when the process has gone.
      _ = try? await process.waitForExit()
      process.seen.value.ports.forEach(TakenPorts.take)
    }
  }
}

/// Ports that no server is given again.
private enum TakenPorts {
  private static let taken = Mutex<[UInt16: Int32]>([:])

  static func take(_ port: UInt16) {
    taken.withLock { taken in
      if taken[port] == nil { taken[port] = bound(to: port) }
    }
  }

  /// A socket that listens to nobody; `nil`: the port is taken otherwise.
  private static func bound(to port: UInt16) -> Int32? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    var yes: Int32 = 1
    // The connections of the server that ended are not quite gone.
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let code = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
  }
}
