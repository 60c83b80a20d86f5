import Testing

@testable import TidingsService

@Suite("GrantedMemory") struct GrantedMemoryTests {
  private static let machine = "MemTotal:        2097152 kB\nMemFree:  1 kB\n"

  private func bytes(_ groups: String, _ files: [String: String]) -> Int? {
    GrantedMemory.bytes(controlGroups: groups) { path in
      path == "/proc/meminfo" ? Self.machine : files[path]
    }
  }

  @Test("without a control group it is what the machine has")
  func machine() {
    #expect(bytes("", [:]) == 2 << 30)
    #expect(bytes("0::/\n", ["/sys/fs/cgroup/memory.max": "max\n"]) == 2 << 30)
    #expect(GrantedMemory.bytes(controlGroups: "0::/a\nnonsense") { _ in nil } == nil)
  }

  @Test("the least of a group and those above it counts, of version 2")
  func tree() {
    let files = [
      "/sys/fs/cgroup/system.slice/rpcd.service/memory.max": "536870912\n",
      "/sys/fs/cgroup/system.slice/memory.max": "268435456\n",
    ]
    #expect(bytes("0::/system.slice/rpcd.service\n", files) == 256 << 20)
  }

  @Test("of version 1 it is the tree with the controller, also where the path is the host's")
  func firstVersion() {
    let groups = "5:cpu,cpuacct:/docker/1\n4:memory:/docker/1\n1:name=systemd:/docker/1\n"
    #expect(
      bytes(groups, ["/sys/fs/cgroup/memory/memory.limit_in_bytes": "134217728\n"]) == 128 << 20
    )
    #expect(
      bytes(groups, ["/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"])
        == 2 << 30
    )
  }
}
