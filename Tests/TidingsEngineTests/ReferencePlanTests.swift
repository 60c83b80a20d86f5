internal import Testing
internal import TidingsModel

@testable internal import TidingsEngine

/// What references allow, decided without a store.
@Suite struct ReferencePlanTests {
  /// A few records and who refers to whom.
  private struct Graph {
    /// By target.
    var sources: [String: [ReferenceSource]] = [:]
    var records: Set<String> = []

    /// - Parameter links: For example `a>b` (delete-self), `a!b` (validate), `a^b` (parent).
    init(_ links: String...) {
      for link in links {
        let source = String(link.prefix(1))
        records.insert(source)
        guard link.count == 3 else { continue }
        let target = String(link.suffix(1))
        let kinds: [Character: BindingReference.Kind] = [
          ">": .deleteSelf, "!": .validate, "^": .parent,
        ]
        guard let kind = kinds[link.dropFirst().first ?? " "] else { continue }
        sources[target, default: []].append(ReferenceSource(kind: kind, name: source))
      }
    }
  }

  private func id(_ name: String) -> RecordID { RecordID(recordName: name) }

  private func save(
    _ item: Int,
    _ name: String,
    _ references: [BindingReference],
    old: Set<BindingReference> = [],
    exists: Bool = false
  ) -> ReferencePlan.Save {
    .init(item: item, recordID: id(name), references: references, old: old, exists: exists)
  }

  private func decide(
    _ graph: Graph,
    saves: [ReferencePlan.Save] = [],
    delete names: [String] = [],
    failed: [String] = [],
    isAtomic: Bool = false,
    _ change: (inout Limits) -> Void = { _ in }
  ) throws -> ReferencePlan {
    var limits = Limits()
    change(&limits)
    return try ReferencePlan(
      saves: saves,
      deletions: names.enumerated().map { .init(item: 100 + $0, recordID: id($1)) },
      failed: failed.map(id),
      atomicity: Atomicity(requested: isAtomic, scope: .private),
      limits: limits,
      stored: .init(
        owned: { target in
          (graph.sources[target.recordName] ?? []).filter { $0.kind == .deleteSelf }.map(\.name)
        },
        holder: { target, isWanted in
          (graph.sources[target.recordName] ?? []).first {
            $0.kind != .deleteSelf && isWanted($0)
          }
        },
        exists: { graph.records.contains($0.recordName) },
        isReadable: { _ in true }
      )
    )
  }

  @Test("a call whose failures come one after the other, round by round, is refused")
  func rounds() throws {
    // Each of them is held by the next, the last one by a stranger; the first owns many.
    let (chain, owned) = (60, 100)
    var limits = Limits()
    limits.cascadedDeletionsMax = owned
    limits.itemsPerCallMax = chain
    var visits = 0
    let plan = try ReferencePlan(
      saves: [],
      deletions: (0..<chain).map { .init(item: $0, recordID: id("\($0)")) },
      failed: [],
      atomicity: Atomicity(requested: false, scope: .private),
      limits: limits,
      stored: .init(
        owned: { $0.recordName == "0" ? (0..<owned).map { "owned \($0)" } : [] },
        holder: { target, isWanted in
          visits += 1
          guard let number = Int(target.recordName) else { return nil }
          let holder = ReferenceSource(kind: .validate, name: "\(number + 1)")
          return isWanted(holder) ? holder : nil
        },
        exists: { _ in true },
        isReadable: { _ in true }
      )
    )
    #expect(plan.failures.count == chain && plan.cascades.isEmpty)
    #expect(plan.failures[chain - 1]?.code == .referenceViolation)
    #expect(plan.failures[0]?.code == .limitExceeded)
    #expect(visits < 20 * (chain + owned))
  }

  @Test("targets go before their sources, each record once, cycles and diamonds included")
  func cascades() throws {
    let graph = Graph("t", "a>t", "b>t", "c>a", "c>b", "t>c", "d>c", "z>y")
    let plan = try decide(graph, delete: ["t"])
    #expect(plan.failures.isEmpty)
    #expect(plan.cascades.map(\.recordID.recordName) == ["a", "b", "c", "d"])
    #expect(plan.cascades.map(\.target.recordName) == ["t", "t", "a", "c"])
    // What the call deletes itself does not go along.
    let both = try decide(graph, delete: ["t", "c"])
    #expect(both.cascades.map(\.recordID.recordName) == ["a", "b", "d"])
  }

  @Test("a record that stays holds its target, and all that would take it along")
  func blocked() throws {
    let graph = Graph("t", "u", "a>t", "b>a", "b>u", "x^b")
    let plan = try decide(graph, delete: ["t", "u"])
    #expect(plan.failures.keys.sorted() == [100, 101])
    #expect(plan.cascades.isEmpty)
    #expect(plan.failures[100]?.message.contains("'x' still refers to 'b' (as its parent)") == true)
    let freed = try decide(graph, delete: ["t", "u", "x"])
    #expect(freed.failures.isEmpty)
    #expect(freed.cascades.map(\.recordID.recordName) == ["a", "b"])
  }

  @Test("a deletion that is held holds what it refers to, and the message names the first cause")
  func heldChain() throws {
    let graph = Graph("p", "c^p", "g^c")
    let plan = try decide(graph, delete: ["p", "c"])
    #expect(plan.failures.count == 2)
    #expect(plan.failures[101]?.message.contains("'g' still refers to 'c'") == true)
    #expect(plan.failures[100]?.message.contains("'c' still refers to 'p'") == true)
    #expect(plan.failures[100]?.message.contains("fix 'c'") == true)
  }

  @Test("a save that fails leaves the record's old references in force")
  func failedSave() throws {
    // a stops referring to t, but its save fails for a parent that is missing.
    let old: Set = [BindingReference(kind: .deleteSelf, target: "t")]
    let bad = save(0, "a", [.init(kind: .parent, target: "none")], old: old, exists: true)
    let good = save(0, "a", [], old: old, exists: true)
    let graph = Graph("t", "a>t")
    #expect(try decide(graph, saves: [good], delete: ["t"]).cascades.isEmpty)
    let plan = try decide(graph, saves: [bad], delete: ["t"])
    #expect(plan.failures.keys.sorted() == [0])
    #expect(plan.cascades.map(\.recordID.recordName) == ["a"])
    // In an atomic call nothing happens at all.
    let atomic = try decide(graph, saves: [bad], delete: ["t"], isAtomic: true)
    #expect(atomic.failures.keys.sorted() == [0])
    #expect(atomic.cascades.isEmpty)
  }

  @Test("a record that goes along after all, because its save failed, holds nothing")
  func failedSaveHoldsNothing() throws {
    let links: [BindingReference] = [
      .init(kind: .deleteSelf, target: "t"), .init(kind: .parent, target: "t"),
    ]
    let kept = save(0, "a", links, old: Set(links), exists: true)
    let plan = try decide(Graph("t", "a>t", "a^t"), saves: [kept], delete: ["t"])
    #expect(plan.failures.keys.sorted() == [0])
    #expect(plan.cascades.map(\.recordID.recordName) == ["a"])
  }

  @Test("what failed before fails what needs it, unless the record is there anyway")
  func failedBefore() throws {
    let child = save(0, "c", [.init(kind: .parent, target: "p")])
    let grandchild = save(1, "g", [.init(kind: .validate, target: "c")])
    let plan = try decide(Graph(), saves: [grandchild, child], failed: ["p"])
    #expect(plan.failures.keys.sorted() == [0, 1])
    #expect(plan.failures.values.allSatisfy { $0.message.contains("fix 'p'") })
    #expect(try decide(Graph("p"), saves: [grandchild, child], failed: ["p"]).failures.isEmpty)
  }

  @Test("a call takes few along; deletions that take none are not concerned")
  func cascadeLimit() throws {
    let graph = Graph("t", "a>t", "b>a", "c>b", "u", "d>u", "lone")
    let all = try decide(graph, delete: ["t", "u", "lone"]) { $0.cascadedDeletionsMax = 4 }
    #expect(all.failures.isEmpty && all.cascades.count == 4)
    let few = try decide(graph, delete: ["t", "u", "lone"]) { $0.cascadedDeletionsMax = 3 }
    #expect(few.failures.keys.sorted() == [100, 101])
    #expect(few.failures[100]?.code == .limitExceeded)
    #expect(few.failures[100]?.message.contains("'t'") == true)
    #expect(few.failures[100]?.message.contains("more than 3") == true)
    #expect(few.cascades.isEmpty)
  }

  @Test("the room at a target is what leaves it with the call, first come first served")
  func owners() throws {
    let graph = Graph("t", "a>t", "b>t")
    let reference = BindingReference(kind: .deleteSelf, target: "t")
    let saves = ["x", "y", "z"].enumerated().map { save($0, $1, [reference]) }
    func failing(_ more: [ReferencePlan.Save] = [], delete names: [String] = []) throws -> [Int] {
      try decide(graph, saves: saves + more, delete: names) { $0.owningReferencesMax = 3 }
        .failures.keys.sorted()
    }
    #expect(try failing() == [1, 2])
    #expect(try failing(delete: ["a"]) == [2])
    #expect(try failing([save(3, "b", [], old: [reference], exists: true)]) == [2])
    #expect(
      try failing([save(3, "b", [reference], old: [reference], exists: true)]) == [1, 2]
    )
  }

  @Test("the references that bind are found once each, parent last")
  func bindingReferences() {
    var record = Record(recordID: id("r"), recordType: "T")
    record.fields["b"] = .reference(Reference(recordID: id("x"), action: .deleteSelf))
    record.fields["a"] = .referenceList([
      Reference(recordID: id("y"), action: .validate), Reference(recordID: id("n")),
      Reference(recordID: id("y"), action: .validate),
      Reference(recordID: id("x"), action: .deleteSelf),
    ])
    record.parent = Reference(recordID: id("x"))
    #expect(
      record.bindingReferences == [
        .init(kind: .validate, target: "y"), .init(kind: .deleteSelf, target: "x"),
        .init(kind: .parent, target: "x"),
      ]
    )
    #expect(Record(recordID: id("r"), recordType: "T").bindingReferences.isEmpty)
  }
}
