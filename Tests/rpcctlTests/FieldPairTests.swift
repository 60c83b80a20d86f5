import CommandLineTools
import Testing
import TidingsJSON

@testable import rpcctl

@Suite struct FieldPairTests {
  @Test(
    "text, JSON and files",
    arguments: [
      ("city=Berlin", "city", FieldPair.Content.json(.string("Berlin"))),
      ("city=", "city", .json(.string(""))), ("a=b=c", "a", .json(.string("b=c"))),
      ("n:=3", "n", .json(.integer(3))), ("b:=true", "b", .json(.bool(true))),
      ("gone:=null", "gone", .json(.null)),
      ("a:=[1,2]", "a", .json(.array([.integer(1), .integer(2)]))),
      ("mail=a@b:=c", "mail", .json(.string("a@b:=c"))),
      ("photo@house.jpg", "photo", .file(path: "house.jpg")),
      ("photo@a=b.jpg", "photo", .file(path: "a=b.jpg")),
    ]
  )
  func reads(word: String, name: String, content: FieldPair.Content) throws {
    let pair = try FieldPair(word)
    #expect(pair.name == name && pair.content == content)
  }

  @Test(
    "other forms are rejected with the correct ones",
    arguments: [
      ("city", "name=text, name:=JSON or name@FILE"), ("=x", "name=text"), ("a b=c", "name=text"),
      ("a:=Berlin", "for text use a=Berlin"), ("photo@", "use photo@FILE"), ("a:x", "name=text"),
    ]
  )
  func refuses(word: String, advice: String) {
    let error = #expect(throws: UsageError.self) { try FieldPair(word) }
    #expect(error?.description.contains(advice) == true, "\(error?.description ?? "")")
  }
}
