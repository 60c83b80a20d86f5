internal import TidingsHTTP
internal import TidingsWeb

/// The files of the dashboard, which are in the program: modules as they were written, without a build step.
enum DashboardFiles {
  /// What `/` shows.
  static let page = "index.html"

  static func answer(_ head: HTTPHead, _ name: String) throws(WebFailure) -> HTTPResponse {
    guard let content = WebFiles.contents["dashboard/\(name)"] else {
      throw WebFailure(.notFound, "there is nothing at this path")
    }
    guard head.method == "GET" || head.method == "HEAD" else {
      throw .badRequest("\(name) takes GET, not \(head.method)")
    }
    // The modules of one version belong together: browsers ask each time, and get 304.
    return content.answer(
      head,
      adding: [("Cache-Control", "no-cache")] + DashboardAnswer.pageHeaders
    )
  }
}
