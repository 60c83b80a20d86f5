internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  static let markNotificationsRead = Verb(
    command: Command(
      "mark-notifications-read", "Marks notifications read, for all devices of the user.",
      operands: "ID…",
      discussion: """
        Example:
          rpcctl fetch-notification-changes -o json | jq -r '.notifications[].notificationId' \\
            | xargs rpcctl mark-notifications-read
        """),
    run: { invocation in
      let request = TidingsV1.MarkNotificationsReadRequest(
        container: invocation.settings.client.container,
        environment: invocation.settings.client.environment,
        notificationIDs: try invocation.requireOperands("ID"))
      let transport = try await invocation.connect().transport
      let response = try await TidingsV1.NotificationService.Client(transport)
        .markNotificationsRead(request, options: invocation.callOptions)
      var results = Results(columns: ["NOTIFICATION", "RESULT"])
      for result in response.results {
        let id = result.notificationID
        switch result.outcome {
        case .markedRead:
          results.append(
            .object(["notificationId": .string(id), "markedRead": .bool(true)]), [id, "read"])
        case .error(let error):
          results.appendFailure(
            .object(["notificationId": .string(id), "error": error.json]), [id, error.text])
        case nil:
          results.appendFailure(.object(["notificationId": .string(id)]), [id, "no outcome"])
        }
      }
      return results.finish(invocation.output)
    })
}
