import ConformanceWire
import TidingsProto
import TidingsProtobuf

// A client under test, as the contract in proto/tidings/conformance/v1 asks for: Tidings' own in Swift.
let files = FrameFile.standard
let subject = Subject()
while let frame = files.read() {
  let task = try? TidingsConformanceV1.Task(decoding: frame)
  Fault.strike(task?.action)
  let outcome = await subject.perform(task?.action)
  guard files.write(TidingsConformanceV1.TaskResult(outcome: outcome).encoded()) else { break }
}
await subject.end()
