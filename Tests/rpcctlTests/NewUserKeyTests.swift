import TestSupport
import Testing
import TidingsKeys
import TidingsProto
import TidingsProtobuf
import TidingsRPC

@testable import rpcctl

@Suite struct NewUserKeyTests {
  @Test("the file of a new key is kept unless the server certainly did not create the user")
  func failures() async throws {
    let folder = try TemporaryFolder()
    for (error, stays) in [
      (RPCError(.alreadyExists, "the user 'ann' exists"), false),
      (RPCError(.permissionDenied, "the role admin is missing"), false),
      (RPCError(.unavailable, "cannot reach tcp://h:1"), false),
      (RPCError(.unavailable, "lost", details: [.errorInfo(reason: "OUTCOME_UNKNOWN")]), true),
      (RPCError(.deadlineExceeded, "timed out after 10 s"), true),
    ] {
      let path = folder.file("ann-\(error.code)-\(stays).key")
      let run = await ProgramRun("users", "create", "ann", "--generate-key", path) {
        call throws(RPCError) in
        // The key is on disk before the call is made.
        let request = try? TidingsV1.CreateUserRequest(decoding: call.request)
        let key = try? KeyFile.pair(path: path).publicKey.description
        #expect(key != nil && request?.publicKey?.key == key)
        throw error
      }
      #expect(run.exitCode == .failedCall(error.code))
      #expect(AtomicFile.exists(path) == stays, "\(error)")
      #expect(run.err.contains("may have been created") == stays, "\(run.err)")
    }
  }

  @Test("options that describe a key require one")
  func usage() async throws {
    let path = try TemporaryFolder().file("a.key")
    for arguments in [
      ["--label", "phone"], ["--expires", "2d"], ["--generate-key", ""],
      ["--generate-key", path, "--public-key", "\(KeyPair().publicKey)"],
    ] {
      let run = await ProgramRun(list: ["users", "create", "ann"] + arguments)
      #expect(run.exitCode == .usage && run.calls.isEmpty, "\(arguments) \(run.err)")
    }
    #expect(!AtomicFile.exists(path))
  }
}
