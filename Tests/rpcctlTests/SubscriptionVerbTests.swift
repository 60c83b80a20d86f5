import Testing
import TidingsProto
import TidingsProtobuf

@testable import rpcctl

@Suite struct SubscriptionVerbTests {
  @Test("the options describe a query subscription")
  func query() async throws {
    let run = await ProgramRun(
      "modify-subscriptions",
      "--query",
      "Houses",
      "--where",
      "city == %@",
      "--arg",
      #""Berlin""#,
      "--on",
      "create,update",
      "--id",
      "s1",
      "--alert-body",
      "x",
      "--desired-keys",
      "a,b",
      "--badge",
      "--once",
      "--delete",
      "old"
    )
    let request = try TidingsV1.ModifySubscriptionsRequest(decoding: run.calls[0].request)
    #expect(
      request.subscriptionsToSave == [
        .init(
          subscriptionID: "s1",
          type: .query,
          recordType: "Houses",
          predicate: .init(text: "city == %@", arguments: [.init(value: .stringValue("Berlin"))]),
          firesOnRecordCreation: true,
          firesOnRecordUpdate: true,
          firesOnce: true,
          notificationInfo: .init(alertBody: "x", desiredKeys: ["a", "b"], shouldBadge: true)
        )
      ]
    )
    #expect(request.subscriptionIDsToDelete == ["old"])
  }

  @Test("without --on all changes fire; without --id one is generated")
  func defaults() async throws {
    let run = await ProgramRun("modify-subscriptions", "--query", "T")
    let request = try TidingsV1.ModifySubscriptionsRequest(decoding: run.calls[0].request)
    let subscription = try #require(request.subscriptionsToSave.first)
    #expect(subscription.firesOnRecordDeletion && subscription.firesOnRecordUpdate)
    #expect(subscription.subscriptionID.count == 18)
    #expect(subscription.predicate == nil && subscription.notificationInfo == nil)
  }

  @Test("an equivalent subscription is named in the error")
  func existing() async {
    let response = TidingsV1.ModifySubscriptionsResponse(results: [
      .init(
        subscriptionID: "s",
        outcome: .error(
          .init(code: .serverRejectedRequest, message: "is there", existingSubscriptionID: "e")
        )
      )
    ])
    let run = await ProgramRun("modify-subscriptions", "--delete", "s") { _ in
      [response.encoded()]
    }
    #expect(
      run.out
        == #"{"subscriptionId":"s","error":{"code":15,"name":"SERVER_REJECTED_REQUEST","message":"is there","existingSubscriptionId":"e"}}"#
        + "\n"
    )
    #expect(run.exitCode == .itemsFailed)
  }
}
