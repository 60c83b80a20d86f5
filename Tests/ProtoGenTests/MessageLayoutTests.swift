import Testing

@testable import ProtoGen

@Suite("Layout")
struct MessageLayoutTests {
  private func layout(_ edges: [String: [String]]) -> MessageLayout {
    MessageLayout(
      edges.reduce(into: [:]) { messages, edge in
        let fields = edge.value.enumerated().map { index, target in
          FieldModel(
            name: "f\(index)",
            fullName: edge.key + ".f\(index)",
            number: Int32(index + 1),
            kind: .message(target),
            coding: .message,
            label: .singular,
            comment: []
          )
        }
        messages[edge.key] = MessageModel(
          fullName: edge.key,
          name: edge.key,
          comment: [],
          fields: fields,
          oneofs: [],
          messages: [],
          enums: []
        )
      }
    )
  }

  @Test("cycles are broken and their depth is checked; so is the depth of what leads to them")
  func findsCycles() {
    let layout = layout(["a": ["b"], "b": ["c"], "c": ["b"], "d": ["e"], "e": []])
    #expect(
      ["a", "b", "c", "d", "e"].map { layout.isIndirect($0) } == [false, true, true, false, false]
    )
    #expect(
      ["a", "b", "c", "d", "e"].map { layout.needsNestingCheck($0) }
        == [true, true, true, false, false]
    )
  }

  @Test("a chain longer than the limit is checked")
  func measuresDepth() {
    var edges: [String: [String]] = ["m64": []]
    for index in 0..<64 { edges["m\(index)"] = ["m\(index + 1)"] }
    let layout = layout(edges)
    #expect(layout.needsNestingCheck("m0"))
    #expect(!layout.needsNestingCheck("m1"))
  }
}
