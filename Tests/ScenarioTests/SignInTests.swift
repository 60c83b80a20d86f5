import TestSupport
import Testing
import TidingsClient
import TidingsProto
import TidingsRPC

/// A user signs in on the web by a code that is approved with a key.
@Suite(.endsServers) struct SignInTests {
  private func begin(_ world: WebTokenWorld) async throws -> TidingsV1.BeginSignInResponse {
    try await world.gatewayCalls.beginSignIn(.init(apiToken: world.apiToken, keepSignedIn: true))
  }

  @Test("a code that its user approves begins a session, once")
  func flow() async throws {
    let world = try await WebTokenWorld.make()
    let signIn = try await begin(world)
    let letters = Set("BCDFGHJKLMNPQRSTVWXZ")
    #expect(signIn.userCode.count == 8 && signIn.userCode.allSatisfy(letters.contains))
    let accounts = world.accounts(world.ada)
    let shown = try await accounts.approveSignIn(
      .init(userCode: signIn.userCode, validateOnly: true)
    )
    #expect(shown.container == "default" && shown.label == "website" && shown.keepSignedIn)
    #expect(try await world.gatewayCalls.completeSignIn(.init(secret: signIn.secret)).pending)
    let typed =
      signIn.userCode.prefix(4).lowercased() + "-" + signIn.userCode.suffix(4).lowercased()
    let approved = try await accounts.approveSignIn(.init(userCode: typed))
    #expect(approved == shown)
    // Nobody else can take it over.
    let other = try await world.secure.client(try await world.secure.createUser("ben"))
    let taken = await failure {
      _ = try await world.accounts(other).approveSignIn(.init(userCode: signIn.userCode))
    }
    #expect(taken?.itemCode == .unknownItem)
    let completed = try await world.gatewayCalls.completeSignIn(.init(secret: signIn.secret))
    #expect(!completed.pending)
    #expect(try await world.user(world.session(completed.webAuthToken)) == "ada")
    #expect(try await world.list(.session).first?.keepSignedIn == true)
    let repeated = await failure {
      _ = try await world.gatewayCalls.completeSignIn(.init(secret: signIn.secret))
    }
    #expect(repeated?.itemCode == .unknownItem)
  }

  @Test("ten wrong codes within an hour are the most")
  func wrongCodes() async throws {
    let clock = try ClockFault()
    let world = try await WebTokenWorld.make(environment: clock.environment)
    let accounts = world.accounts(world.ada)
    for _ in 0..<10 {
      let error = await failure {
        _ = try await accounts.approveSignIn(.init(userCode: "BBBBBBBB"))
      }
      #expect(error?.itemCode == .unknownItem)
    }
    let signIn = try await begin(world)
    let limited = await failure {
      _ = try await accounts.approveSignIn(.init(userCode: signIn.userCode))
    }
    #expect(limited?.itemCode == .requestRateLimited)
    let root = TidingsV1.AccountService.Client(try await world.secure.client().transport)
    _ = try await root.approveSignIn(.init(userCode: signIn.userCode, validateOnly: true))
    try clock.setTimeOfDay(ahead: .seconds(61 * 60))
    let next = try await begin(world)
    _ = try await accounts.approveSignIn(.init(userCode: next.userCode))
  }

  @Test("a sign-in ends after ten minutes, and with its API token")
  func expiry() async throws {
    let clock = try ClockFault()
    let world = try await WebTokenWorld.make(environment: clock.environment)
    let late = try await begin(world)
    try clock.setTimeOfDay(ahead: .seconds(11 * 60))
    for error in [
      await failure { _ = try await world.gatewayCalls.completeSignIn(.init(secret: late.secret)) },
      await failure {
        _ = try await world.accounts(world.ada).approveSignIn(.init(userCode: late.userCode))
      },
    ] { #expect(error?.itemCode == .unknownItem) }
    let signIn = try await begin(world)
    _ = try await world.accounts(world.ada).approveSignIn(.init(userCode: signIn.userCode))
    _ = try await world.root.revokeWebToken(.init(id: world.token.id))
    let revoked = await failure {
      _ = try await world.gatewayCalls.completeSignIn(.init(secret: signIn.secret))
    }
    #expect(revoked?.wrongCredential == "API_TOKEN")
    let begun = await failure { _ = try await begin(world) }
    #expect(begun?.wrongCredential == "API_TOKEN")
  }

  @Test("sign-ins that anybody begins end those of the same address and API token, not others")
  func floods() async throws {
    let world = try await WebTokenWorld.make()
    func begin(_ address: String, _ token: String) async throws -> TidingsV1.BeginSignInResponse {
      try await world.gatewayCalls.beginSignIn(.init(apiToken: token, clientAddress: address))
    }
    func isOver(_ signIn: TidingsV1.BeginSignInResponse) async -> Bool {
      let error = await failure {
        _ = try await world.gatewayCalls.completeSignIn(.init(secret: signIn.secret))
      }
      return error?.itemCode == .unknownItem
    }
    let other = try await world.root.createWebToken(
      .init(label: "other", credential: .apiToken(.init()))
    )
    let ofOther = try await begin("10.0.0.1", other.apiToken)
    let approved = try await begin("10.0.0.1", world.apiToken)
    _ = try await world.accounts(world.ada).approveSignIn(.init(userCode: approved.userCode))
    let first = try await begin("10.0.0.1", world.apiToken)
    let elsewhere = try await begin("10.0.0.2", world.apiToken)
    var last = first
    for _ in 0..<100 { last = try await begin("10.0.0.1", world.apiToken) }
    #expect(await isOver(first))
    for signIn in [ofOther, elsewhere, last] { #expect(await !isOver(signIn)) }
    // From many addresses.
    for number in 0..<1_100 { last = try await begin("10.1.\(number % 20).1", world.apiToken) }
    for signIn in [ofOther, elsewhere, last] { #expect(await !isOver(signIn)) }
    let completed = try await world.gatewayCalls.completeSignIn(.init(secret: approved.secret))
    #expect(!completed.webAuthToken.isEmpty)
    let next = try await begin("10.0.0.3", other.apiToken)
    #expect(await !isOver(next))
  }

  @Test("callers with a web credential cannot approve, and gateways cannot complete in their name")
  func ownKeysOnly() async throws {
    let world = try await WebTokenWorld.make()
    let signIn = try await begin(world)
    let session = world.session(try await world.issue().webAuthToken)
    let options = CallOptions(metadata: session)
    for error in [
      await failure {
        _ = try await world.accounts(world.gateway).approveSignIn(
          .init(userCode: signIn.userCode),
          options: options
        )
      },
      await failure {
        _ = try await world.gatewayCalls.completeSignIn(
          .init(secret: signIn.secret),
          options: options
        )
      },
    ] { #expect(error?.itemCode == .permissionFailure) }
  }
}
