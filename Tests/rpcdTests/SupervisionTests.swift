import Foundation
import TestSupport
import Testing
import TidingsClient
import TidingsProto

@testable import rpcd

/// rpcd shows who started it how it fares, as systemd wants it reported.
@Suite(.endsServers) struct SupervisionTests {
  private func start(
    in folder: TemporaryFolder,
    rpc: String = "tcp://127.0.0.1:0",
    _ environment: [String: String]
  ) throws -> ServerProcess {
    try ServerProcess(
      arguments: [
        "--rpc", rpc, "--push", "tcp://127.0.0.1:0", "--data", folder.file("data"),
      ],
      environment: environment
    )
  }

  @Test(
    "READY comes when both endpoints answer, STOPPING before the end",
    arguments: [true, false]
  )
  func readyAndStopping(hasFile: Bool) async throws {
    let folder = try TemporaryFolder()
    // Names of sockets are short: the folder's own may be too long.
    let short = "\(NSTemporaryDirectory())/tidings-\(UUID().uuidString.prefix(8))"
    defer { unlink(short) }
    let name = hasFile ? short : "@tidings-\(UUID().uuidString)"
    let socket = try SupervisorSocket(name: name)
    let process = try start(in: folder, ["NOTIFY_SOCKET": name])
    let messages = try await socket.messages.wait("READY=1") { messages in
      messages.contains { $0.hasPrefix("READY=1\n") }
    }
    #expect(messages.count == 2)
    #expect(messages.first == "STATUS=opening \(folder.file("data"))")
    // The line was written before.
    let words = try await process.waitForReadyLine().split(separator: "=", maxSplits: 2)
    let rpc = words[1].split(separator: " ")[0]
    let status = "STATUS=serving calls at \(rpc), pushes at \(words[2]), in development mode"
    #expect(messages.last == "READY=1\n" + status)
    let client = try await Client(ClientConfiguration(endpoint: String(rpc)))
    #expect(try await client.health.check(.init()).status == .serving)
    await client.close()
    process.send(15)
    #expect(try await process.waitForExit() == .code(0))
    try await socket.messages.wait("STOPPING=1") {
      $0.last?.hasPrefix("STOPPING=1\nSTATUS=") == true
    }
    #expect(socket.messages.value.count == 3)
  }

  @Test("a server that cannot start never says that it is ready")
  func neverReady() async throws {
    let folder = try TemporaryFolder()
    let name = "@tidings-\(UUID().uuidString)"
    let socket = try SupervisorSocket(name: name)
    let process = try start(in: folder, rpc: "tcp://0.0.0.0:0", ["NOTIFY_SOCKET": name])
    #expect(try await process.waitForExit() == .code(1))
    // What was sent before the end has arrived: the queue is the kernel's, in order.
    try await socket.messages.wait("the status") { !$0.isEmpty }
    #expect(socket.messages.value.count == 1)
  }

  @Test("the loop's pings come for as long as it runs, if they are wanted of this process")
  func watchdog() async throws {
    let folder = try TemporaryFolder()
    let name = "@tidings-\(UUID().uuidString)"
    let socket = try SupervisorSocket(name: name)
    let variables = ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "20000"]
    let process = try start(in: folder, variables)
    try await socket.messages.wait("pings") { $0.filter { $0 == "WATCHDOG=1" }.count >= 5 }
    #expect(socket.messages.value.firstIndex(of: "WATCHDOG=1") == 2)
    process.send(15)
    #expect(try await process.waitForExit() == .code(0))

    let other = "@tidings-\(UUID().uuidString)"
    let quiet = try SupervisorSocket(name: other)
    let unwatched = try start(
      in: try TemporaryFolder(),
      ["NOTIFY_SOCKET": other, "WATCHDOG_USEC": "20000", "WATCHDOG_PID": "1"]
    )
    let line = try await unwatched.waitForReadyLine()
    let rpc = String(line.split(separator: " ")[2].dropFirst("rpc=".count))
    let client = try await Client(ClientConfiguration(endpoint: rpc))
    _ = try await client.health.check(.init())
    await client.close()
    unwatched.send(15)
    #expect(try await unwatched.waitForExit() == .code(0))
    try await quiet.messages.wait("STOPPING=1") { $0.last?.hasPrefix("STOPPING=1") == true }
    #expect(!quiet.messages.value.contains("WATCHDOG=1"))
  }

  @Test(
    "a supervisor that does not listen is notified of in the log, and keeps nobody from serving",
    arguments: [
      ("relative/path", "takes a path or @NAME"),
      ("@" + String(repeating: "x", count: 200), "takes a path or @NAME of at most 107 bytes"),
      ("@tidings-nobody-listens-here", "does not take notice: Connection refused"),
      ("/nonexistent/notify", "does not take notice: No such file"),
    ]
  )
  func badSocket(name: String, words: String) async throws {
    let process = try start(in: try TemporaryFolder(), ["NOTIFY_SOCKET": name])
    _ = try await process.waitForReadyLine()
    process.send(15)
    #expect(try await process.waitForExit() == .code(0))
    let errors = process.seen.value.errors
    #expect(errors.contains("warning NOTIFY_SOCKET") && errors.contains(words), "\(errors)")
  }

  @Test("a loop that hangs is asked once, and says nothing")
  func hangingLoop() throws {
    let watchdog = try #require(Watchdog(microseconds: "1000", watched: nil, process: 7))
    let (asked, reported) = (Observed(0), Observed(0))
    let held = Observed<[@Sendable () -> Void]>([])
    func ask(isTaken: Bool) {
      watchdog.ask(
        submit: { job in
          asked.update { $0 += 1 }
          if isTaken { held.update { $0.append(job) } }
          return isTaken
        },
        ping: { reported.update { $0 += 1 } }
      )
    }
    ask(isTaken: false)
    for _ in 0..<3 { ask(isTaken: true) }
    #expect(asked.value == 2 && reported.value == 0)
    held.value[0]()
    #expect(reported.value == 1)
    ask(isTaken: true)
    #expect(asked.value == 3)
  }

  @Test("what the environment asks of the watchdog")
  func interval() {
    #expect(Watchdog(microseconds: "30000000", watched: "7", process: 7)?.interval == .seconds(15))
    #expect(Watchdog(microseconds: "1", watched: nil, process: 7)?.interval == .microseconds(1))
    for (microseconds, watched) in [
      (nil, nil), ("0", nil), ("-5", nil), ("soon", nil), ("1000", "8"), ("1000", ""),
    ] as [(String?, String?)] {
      #expect(Watchdog(microseconds: microseconds, watched: watched, process: 7) == nil)
    }
  }
}
