import TestSupport
import Testing
import TidingsKeys
import TidingsProto
import TidingsProtobuf
import TidingsRPC

@testable import rpcctl

@Suite struct KeyRotationTests {
  private let folder: TemporaryFolder
  private let old = KeyPair()
  private var oldKey: String { "\(old.publicKey)" }

  init() throws {
    folder = try TemporaryFolder()
    try KeyFile.pair(old).write(to: folder.file("old.key"), title: "x")
  }

  /// A server that has authorized the old key, with a label, for ann.
  private func answer(expires: GoogleProtobuf.Timestamp? = nil) -> ScriptedTransport.Answer {
    let account = TidingsV1.Account(
      name: "ann",
      keys: [.init(key: oldKey, expires: expires, label: "laptop")]
    )
    return { call throws(RPCError) in
      switch call.method.name {
      case "ListUsers": return [TidingsV1.ListUsersResponse(accounts: [account]).encoded()]
      case "AuthorizeKey": return [TidingsV1.AuthorizeKeyResponse(account: account).encoded()]
      case "RevokeKey": return [TidingsV1.RevokeKeyResponse(account: account).encoded()]
      default: throw RPCError(.unimplemented, call.method.name)
      }
    }
  }

  private func rotate(
    _ more: [String] = [],
    expires: GoogleProtobuf.Timestamp? = nil
  ) async -> ProgramRun {
    await ProgramRun(
      list: ["keys", "rotate", folder.file("old.key"), "-O", folder.file("new.key")] + more,
      answer: answer(expires: expires)
    )
  }

  @Test("the new key is authorized first, then the old one expires after the overlap")
  func overlap() async throws {
    let run = await rotate(["--overlap", "7d"])
    #expect(run.exitCode == .success, "\(run.err)")
    #expect(run.calls.map(\.method.name) == ["ListUsers", "AuthorizeKey", "AuthorizeKey"])
    let new = try KeyFile.pair(path: folder.file("new.key")).publicKey
    let requests = try run.calls.dropFirst().map {
      try TidingsV1.AuthorizeKeyRequest(decoding: $0.request)
    }
    #expect(requests[0] == .init(userName: "ann", publicKey: .init(key: "\(new)", label: "laptop")))
    #expect(requests[1].userName == "ann" && requests[1].publicKey?.key == oldKey)
    #expect(requests[1].publicKey?.label == "laptop")
    let left = try #require(requests[1].publicKey?.expires).since(wallClock())
    #expect(left <= .seconds(7 * 86_400) && left > .seconds(7 * 86_400 - 3_600))
  }

  @Test("a key that expires before the end of the overlap still does")
  func expiresBefore() async throws {
    var soon = wallClock()
    soon.seconds += 60
    let run = await rotate(["--overlap", "7d"], expires: soon)
    let request = try TidingsV1.AuthorizeKeyRequest(decoding: try #require(run.calls.last).request)
    #expect(request.publicKey?.expires == soon)
  }

  @Test("a compromised key is revoked")
  func revoke() async throws {
    let run = await rotate(["--revoke"])
    #expect(run.calls.map(\.method.name) == ["ListUsers", "AuthorizeKey", "RevokeKey"])
    #expect(
      try TidingsV1.RevokeKeyRequest(decoding: run.calls[2].request).publicKey == oldKey
    )
  }

  @Test("a dry run writes nothing and authorizes nothing")
  func dryRun() async {
    let run = await rotate(["--dry-run"])
    #expect(run.exitCode == .success && run.calls.map(\.method.name) == ["ListUsers"])
    #expect(!AtomicFile.exists(folder.file("new.key")))
    #expect(run.err.contains("authorize it for 'ann'"))
  }

  @Test("an unknown key is not replaced")
  func unknown() async throws {
    let other = "\(KeyPair().publicKey)"
    let run = await ProgramRun(
      list: ["keys", "rotate", "-O", folder.file("new.key"), "--", other],
      answer: answer()
    )
    #expect(run.exitCode == .notFound && run.err.contains("unknown key"))
    #expect(!AtomicFile.exists(folder.file("new.key")))
  }

  @Test("the fingerprints of a key and of its file are equal, and differ from others")
  func fingerprint() async throws {
    let file = await ProgramRun("keys", "fingerprint", folder.file("old.key"), format: .table)
    let key = await ProgramRun(list: ["keys", "fingerprint", "--", oldKey], format: .table)
    #expect(file.out == key.out && file.out.count == 8 * 5 && file.configuration == nil)
    #expect(file.out != Verb.fingerprint(KeyPair().publicKey) + "\n")
  }
}
