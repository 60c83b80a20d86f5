/// What happens without an answer where nobody can be asked.
enum UnaskedConduct: Sendable { case goesOn, refuses }

extension Invocation {
  func confirm(_ question: String, unasked: UnaskedConduct = .goesOn) throws {}
}
