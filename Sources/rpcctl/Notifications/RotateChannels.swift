internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  static let rotateChannels = Verb(
    command: Command(
      "notifications rotate-channels",
      aliases: ["rotate-channels"],
      "Replace the topics and keys of the user's pushes, after the loss of a device.",
      discussion: """
        The user's other devices register again by themselves. The lost device can still read earlier
        pushes, but no later ones.

        Example:
          rpcctl notifications rotate-channels
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let request = TidingsV1.RotateChannelsRequest(
        container: invocation.settings.container,
        environment: invocation.settings.environment
      )
      let transport = try await invocation.connect().transport
      let response = try await TidingsV1.NotificationService.Client(transport)
        .rotateChannels(request, options: invocation.callOptions)
      if invocation.output.format == .table {
        invocation.output.write(
          text: "new topics and keys: \(counted(Int(response.channelCount), "channel"))\n"
        )
      } else {
        invocation.output.write(.object(["channelCount": .integer(response.channelCount)]))
      }
      return .success
    }
  )
}
