import TestSupport
import Testing
import TidingsJSON
import TidingsProto
import TidingsProtobuf
import TidingsRPC

@testable import rpcctl

@Suite struct ReflectVerbTests {
  @Test("services, their methods, and the request of a method")
  func services() async {
    let services = await ProgramRun(
      "reflect",
      "services",
      "-o",
      "table",
      answer: ReflectionVerbTests.server
    )
    #expect(services.out.contains("tidings.rpc.v1.HealthService  2"))
    let methods = await ProgramRun(
      "reflect",
      "methods",
      "HealthService",
      "-o",
      "table",
      answer: ReflectionVerbTests.server
    )
    #expect(
      methods.out == """
        METHOD               REQUEST       RESPONSE              SAFE
        HealthService/Check  CheckRequest  CheckResponse         yes
        HealthService/Watch  WatchRequest  stream WatchResponse  yes

        """
    )
    let template = await ProgramRun(
      "reflect",
      "template",
      "HealthService/Check",
      answer: ReflectionVerbTests.server
    )
    #expect(template.out == "{\n  \"service\": \"\"\n}\n")
  }

  @Test("the template of every message can be sent")
  func templates() async throws {
    let schema = try Contract.schema.get()
    let transcoder = JSONTranscoder(schema: schema)
    let names = schema.messages.values.filter { !$0.isMapEntry }.map(\.name).sorted()
    #expect(names.count > 50)
    for name in names {
      let template = MessageTemplate.json(name, schema)
      #expect(throws: Never.self, "\(name)") { _ = try transcoder.encode(template, as: name) }
    }
  }

  @Test("a template has a member for each field, and the first of a oneof")
  func template() throws {
    let schema = try Contract.schema.get()
    let user = MessageTemplate.json("tidings.v1.UserResult", schema).object
    #expect(user?.members.map(\.name) == ["lookup", "user"])
  }

  @Test("a descriptor set is written to a file, except in a dry run")
  func descriptorSet() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("x.pb")
    let arguments = ["reflect", "descriptor-set", "-O", path]
    let dry = await ProgramRun(list: arguments + ["--dry-run"], answer: ReflectionVerbTests.server)
    #expect(dry.exitCode == .success && !AtomicFile.exists(path))
    let run = await ProgramRun(list: arguments, answer: ReflectionVerbTests.server)
    #expect(run.exitCode == .success)
    let bytes = try Input.system.read(path)
    #expect(try Schema(fileDescriptorSet: bytes).services.count == 2)
  }

  @Test("call accepts its request as an option, and --stream requires a stream")
  func call() async {
    let run = await ProgramRun(
      "call",
      "HealthService/Check",
      "-d",
      "-",
      files: ["-": #"{"service":"x"}"#],
      answer: ReflectionVerbTests.server
    )
    #expect(run.out == #"{"status":"SERVING_STATUS_SERVING"}"# + "\n")
    let both = await ProgramRun("call", "HealthService/Check", "{}", "-d", "{}")
    #expect(both.exitCode == .usage && both.err.contains("cannot be combined"))
    let stream = await ProgramRun(
      "call",
      "HealthService/Check",
      "--stream",
      answer: ReflectionVerbTests.server
    )
    #expect(stream.exitCode == .usage && stream.err.contains("omit --stream"))
  }

  @Test("an unknown message gets a suggestion")
  func unknown() async {
    let run = await ProgramRun(
      "reflect",
      "template",
      "CheckReqest",
      answer: ReflectionVerbTests.server
    )
    #expect(run.exitCode == .usage)
    #expect(run.err.contains("unknown message 'CheckReqest'; did you mean"), "\(run.err)")
  }
}
