internal import Testing
internal import TidingsModel

@testable internal import TidingsEngine

@Suite struct TypeRightsTests {
  private func rights(
    _ grants: [String: Schema.Rights]?,
    isUser: Bool = true,
    _ roles: Set<String> = []
  ) -> TypeRights {
    TypeRights(grants, of: "T", isUser: isUser) { roles.contains($0) }
  }

  @Test("who has no account reads what anyone may read, and no more")
  func anonymous() {
    let all: Schema.Rights = [.read, .create, .write]
    let world = rights(["_world": all, "_icloud": all, "_creator": all], isUser: false, ["r"])
    #expect(world.onAny == .read && world.onOwn == [])
    #expect(rights(["_icloud": all, "r": all], isUser: false, ["r"]).readable == .none)
    #expect(!world.mayCreate && !world.mayWrite(isCreator: true))
  }

  @Test("a type that nobody knows yet has the defaults")
  func defaults() {
    #expect(rights(nil) == rights(Schema.defaultGrants))
    #expect(rights(nil).readable == .all && rights(nil).mayCreate)
    #expect(rights(nil).mayWrite(isCreator: true) && !rights(nil).mayWrite(isCreator: false))
    #expect(rights([:]).readable == .none && !rights([:]).mayCreate)
  }

  @Test("roles add up; those that every container has cannot be given")
  func roles() {
    let grants: [String: Schema.Rights] = ["a": .read, "b": .write, "_creator": .create]
    #expect(rights(grants, ["a", "b"]).mayWrite(isCreator: false))
    #expect(!rights(grants, ["b"]).mayWrite(isCreator: false), "who may not read may not write")
    #expect(rights(["_creator": [.read, .write]], ["_creator"]).readable == .own)
    #expect(!rights(["_creator": .create]).mayCreate, "nobody created what is not there")
  }

  @Test("only creators read: the creator is asked about only then")
  func creators() {
    let own = rights(["_creator": [.read, .write]])
    #expect(own.readable == .own && own.mayRead { true } && !own.mayRead { false })
    #expect(own.mayWrite(isCreator: true) && !own.mayWrite(isCreator: false))
    var isAsked = false
    _ = rights(["_world": .read]).mayRead {
      isAsked = true
      return false
    }
    #expect(!isAsked)
    #expect(!TypeRights.isOpen(["a": .read, "_creator": .read], of: "T"))
    #expect(TypeRights.isOpen(nil, of: "T"))
    #expect(TypeRights.isOpen(["_icloud": .read], of: "T"))
  }
}
