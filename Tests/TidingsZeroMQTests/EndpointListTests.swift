import Testing
import TidingsZeroMQ

@Suite struct EndpointListTests {
  @Test("a text is split at commas, and blanks around items do not count")
  func split() {
    #expect(EndpointList.split("tcp://a:1") == ["tcp://a:1"])
    #expect(EndpointList.split(" tcp://a:1 ,\ttcp://b:2") == ["tcp://a:1", "tcp://b:2"])
    #expect(EndpointList.split("") == [""])
    #expect(EndpointList.split("tcp://a:1,, tcp://b:2,") == ["tcp://a:1", "", "tcp://b:2", ""])
  }

  @Test("a list that can be used has no problem")
  func good() {
    #expect(EndpointList.problem(in: ["tcp://127.0.0.1:5570"]) == nil)
    #expect(EndpointList.problem(in: ["tcp://[fe80::1%eth0]:5570"]) == nil)
    #expect(
      EndpointList.problem(in: ["tcp://a.example:1", "tcp://[::1]:2", "ipc:///run/x"]) == nil
    )
  }

  @Test(
    "an empty list, a blank item, a malformed one, and one that is there twice are reported",
    arguments: [
      ([], "the list of endpoints is empty"),
      (["tcp://a:1", " "], "item 2 of the list of endpoints is blank"),
      (["", "tcp://a:1"], "item 1 of the list of endpoints is blank"),
      (["tcp://a:1", "a:2"], "'a:2' in the list of endpoints is malformed"),
      (["nonsense"], "'nonsense' is malformed"),
      ([""], "'' is malformed"),
      (
        ["tcp://[nonsense]:1"], "'tcp://[nonsense]:1' is malformed: brackets are for IPv6 addresses"
      ),
      (["tcp://[::1:1"], "'tcp://[::1:1' is malformed: brackets"),
      (["tcp://[a.example]:1", "ipc:///x"], "'tcp://[a.example]:1' in the list of endpoints is"),
      (["tcp://a:1", "tcp://a b:2"], "'tcp://a b:2' in the list of endpoints is malformed"),
      (["tcp://a:0", "tcp://b:1"], "'tcp://a:0' in the list of endpoints is malformed"),
      (["tcp://a:1", "tcp://b:1", "tcp://a:1"], "'tcp://a:1' is in the list of endpoints twice"),
    ] as [([String], String)]
  )
  func bad(endpoints: [String], problem: String) async {
    #expect(EndpointList.problem(in: endpoints)?.hasPrefix(problem) == true)
    await #expect(throws: TransportError.self) {
      _ = try await ClientConnection(ConnectionConfiguration(endpoints: endpoints))
    }
  }
}
