import Foundation
import TestSupport
import Testing
import TidingsClient
import TidingsJSON
import TidingsKeys
import TidingsProto

@testable import rpcctl

/// Files and folders that are not as they should be: closed, refused, never waited for, and said.
@Suite(.endsServers) struct FilePrivacyTests {
  private func mode(_ path: String) throws -> Int? {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue
  }

  private func setMode(_ mode: Int, _ path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  private func run(
    _ arguments: [String],
    program: String = "rpcd"
  ) async throws -> (ServerProcess.Exit, String) {
    let process = try ServerProcess(program, arguments: arguments)
    let exit = try await process.waitForExit()
    return (exit, process.seen.value.errors)
  }

  private func endpoints(_ folder: TemporaryFolder) -> [String] {
    ["--rpc", "ipc://\(folder.file("rpc"))", "--push", "ipc://\(folder.file("push"))"]
  }

  @Test("a data folder that was open to others is closed at the start, and the log says so")
  func closed() async throws {
    let folder = try TemporaryFolder()
    let data = folder.file("data")
    _ = try await SecureServer.initialize(folder)
    for (file, rights) in [("", 0o777), ("/tidings.sqlite", 0o644), ("/audit.log", 0o666)] {
      if !file.isEmpty, !FileManager.default.fileExists(atPath: data + file) {
        try folder.write([], to: "data" + file)
      }
      try setMode(rights, data + file)
    }
    let server = try await TestServer.start(in: folder)
    #expect(try mode(data) == 0o700)
    for file in ["tidings.sqlite", "audit.log"] { #expect(try mode("\(data)/\(file)") == 0o600) }
    try await server.stop()
    let errors = server.process.seen.value.errors
    #expect(errors.contains("open to other users (mode 777)"), "\(errors)")
    #expect(errors.contains("audit.log, tidings.sqlite"), "\(errors)")
    let again = try await TestServer.start(in: folder)
    try await again.stop()
    #expect(!again.process.seen.value.errors.contains("other users"))
  }

  @Test(
    "a folder with others' files is never closed; with a key it is refused where others may write"
  )
  func foreign() async throws {
    let folder = try TemporaryFolder()
    let data = folder.file("data")
    _ = try await SecureServer.initialize(folder)
    try folder.write([1], to: "data/letters.txt")
    try setMode(0o777, data)
    let (exit, errors) = try await run(["--data", data] + endpoints(folder))
    #expect(exit == .code(1) && errors.contains("chmod 700"), "\(errors)")
    #expect(try mode(data) == 0o777)
    for (rights, arguments) in [(0o755, []), (0o777, ["--development"])] {
      try setMode(rights, data)
      let server = try await TestServer.start(in: folder, arguments: arguments)
      #expect(try mode(data) == rights)
      try await server.stop()
      #expect(server.process.seen.value.errors.contains("a folder of its own"))
    }
  }

  @Test("a link in the data folder does not change what it leads to")
  func links() async throws {
    let folder = try TemporaryFolder()
    let data = folder.file("data")
    _ = try await SecureServer.initialize(folder)
    try folder.write([], to: "other")
    try setMode(0o644, folder.file("other"))
    try FileManager.default.createSymbolicLink(
      atPath: "\(data)/refusals.9.log",
      withDestinationPath: folder.file("other")
    )
    let server = try await TestServer.start(in: folder)
    try await server.stop()
    #expect(try mode(folder.file("other")) == 0o644)
  }

  @Test("the server and its administrator never share a key")
  func sharedKey() async throws {
    for arguments in [
      ["--admin", "server"], ["--admin", "ada", "--admin-key", "DATA/server.key"],
    ] {
      let folder = try TemporaryFolder()
      let data = folder.file("data")
      let words = ["init", "--data", data] + arguments.map { $0.replacing("DATA", with: data) }
      let (exit, errors) = try await run(words)
      #expect(exit == .code(1) && errors.contains("would be the server's"), "\(errors)")
      #expect(!FileManager.default.fileExists(atPath: "\(data)/server.key"))
      // The folder is as good as new.
      #expect(try await run(["init", "--data", data, "--admin", "ada"]).0 == .code(0))
      let key = try KeyFile(path: "\(data)/server.pub").publicKey
      let known = try await run(["init", "--data", data, "--admin-public-key", "\(key)"])
      #expect(known.0 == .code(1))
    }
  }

  @Test("a pipe, a device or a folder as a file is refused at once")
  func pipes() async throws {
    let folder = try TemporaryFolder()
    let pipe = folder.file("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let data = ["--data", folder.file("data")] + endpoints(folder)
    let key = "\(KeyPair().publicKey)"
    for path in [pipe, folder.path, "/dev/zero"] {
      for (program, arguments) in [
        ("rpcd", data + ["--server-key-file", path]),
        ("rpcd", data + ["--config", path]),
        ("rpcd", ["init", "--data", folder.file("new"), "--admin-key", path]),
        ("rpcd", ["restore", path, "--data", folder.file("restored")]),
        ("rpcctl", ["--server-key=\(key)", "--key-file", path, "status"]),
        ("rpcctl", ["--server-key", path, "--key-file", path, "status"]),
        ("rpcctl", ["keys", "show", path]),
        ("rpcctl", ["--key-ring", path, "fetch-records", "a"]),
      ] {
        let (exit, errors) = try await run(arguments, program: program)
        #expect(exit == .code(1) || exit == .code(2) || exit == .code(6), "\(arguments): \(exit)")
        #expect(errors.contains(path), "\(program) \(arguments): \(errors)")
      }
    }
  }

  @Test("a server key that is a link to nothing does not make a server without a key")
  func lostKeyDisk() async throws {
    let folder = try TemporaryFolder()
    let data = folder.file("data")
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: "\(data)/server.key",
      withDestinationPath: folder.file("disk/server.key")
    )
    let (exit, errors) = try await run(["--data", data] + endpoints(folder))
    #expect(exit == .code(1) && errors.contains("is a link to"), "\(errors)")
  }

  @Test("an endpoint that is none is refused: libzmq would take port 99999 for 34463")
  func badEndpoints() async throws {
    let data = try TemporaryFolder().file("data")
    for text in [
      "nonsense", "tcp://127.0.0.1:99999", "tcp://127.0.0.1:12x", "tcp://:1", "tcp://x", "ipc://",
    ] {
      for option in ["--rpc", "--push"] {
        let (exit, errors) = try await run(["--data", data, option, text])
        #expect(exit == .code(2) && errors.contains("\(option) takes"), "\(errors)")
      }
    }
  }

  @Test("a server key comes from the supervisor's credentials, if there is one")
  func credential() async throws {
    let folder = try TemporaryFolder()
    let pair = try await SecureServer.initialize(folder)
    let credentials = folder.file("credentials")
    try FileManager.default.createDirectory(atPath: credentials, withIntermediateDirectories: true)
    try FileManager.default.moveItem(
      atPath: folder.file("data/server.key"),
      toPath: "\(credentials)/tidings.server.key"
    )
    // systemd gives the service's user the right to read by an entry that shows as the group's.
    try setMode(0o440, "\(credentials)/tidings.server.key")
    let environment = ["CREDENTIALS_DIRECTORY": credentials]
    let server = try await TestServer.start(in: folder, environment: environment)
    _ = pair
    let data = folder.file("data")
    let run = await RpcctlRun(
      server,
      ["--server-key", "\(data)/server.pub", "--key-file", "\(data)/root.key", "status"],
      as: nil
    )
    #expect(run.exitCode == .success, "\(run.err)")
    // Without it the server is not opened to everybody.
    try await server.stop()
    let (exit, errors) = try await self.run(["--data", data] + endpoints(folder))
    #expect(exit == .code(1) && errors.contains("put the file back"), "\(errors)")
  }

  @Test("what others wrote commands no terminal and turns no text around, in whatever notation")
  func misleading() async throws {
    let server = try await TestServer.start()
    let ada = try await server.client(as: "ada")
    let text =
      "a\u{202E}txt.exe\u{2066}\u{200F}\u{061C}\u{2028}\u{1B}]0;owned\u{07}\u{9B}31m\u{FEFF}"
    _ = try await ada.save(
      .init(
        recordID: .init(recordName: "a"),
        recordType: "Note",
        fields: ["text": .init(value: .stringValue(text))]
      )
    )
    func isClean(_ text: String) -> Bool {
      !text.unicodeScalars.contains { $0.misleadsReaders && $0 != "\n" }
    }
    for notation in ["table", "wide", "json", "jsonl", "yaml", "name"] {
      let run = await RpcctlRun(server, ["query", "Note", "-o", notation])
      #expect(run.exitCode == .success && !run.out.isEmpty, "\(run.err)")
      #expect(isClean(run.out), "\(notation): \(run.out.debugDescription)")
    }
    // What a program reads is what is stored, as JSON and as CSV.
    let json = await RpcctlRun(server, ["query", "Note", "-o", "jsonl"])
    let fields = try JSONValue(parsing: Array(json.out.utf8.dropLast())).object?["fields"]?.object
    #expect(fields?["text"]?.string == text)
    #expect(await RpcctlRun(server, ["query", "Note", "-o", "csv"]).out.contains(text))
    let missing = await RpcctlRun(server, ["fetch-records", "b\u{202E}c"])
    #expect(isClean(missing.out) && isClean(missing.err), "\(missing.err.debugDescription)")
    let failed = await RpcctlRun(server, ["fetch-zones", "z\u{202E}\u{1B}[31m"])
    #expect(isClean(failed.err) && isClean(failed.out), "\(failed.err.debugDescription)")
  }
}
