internal import TidingsHTTP
internal import TidingsWeb

/// The files of the dashboard, which are in the program: modules as they were written, without a build step.
enum DashboardFiles {
  /// What `/` shows.
  static let page = "index.html"

  static func answer(_ head: HTTPHead, _ name: String) throws(WebFailure) -> HTTPResponse {
    guard let content = contents[name] else {
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

  private static func script(_ bytes: [UInt8]) -> StaticContent {
    StaticContent(bytes: bytes, type: "text/javascript; charset=utf-8")
  }

  private static let contents: [String: StaticContent] = [
    page: StaticContent(bytes: PackageResources.index_html, type: "text/html; charset=utf-8"),
    "dashboard.css": StaticContent(
      bytes: PackageResources.dashboard_css,
      type: "text/css; charset=utf-8"
    ),
    "icon.svg": StaticContent(bytes: PackageResources.icon_svg, type: "image/svg+xml"),
    "app.js": script(PackageResources.app_js),
    "server.js": script(PackageResources.server_js),
    "element.js": script(PackageResources.element_js),
    "format.js": script(PackageResources.format_js),
    "values.js": script(PackageResources.values_js),
    "editors.js": script(PackageResources.editors_js),
    "dialog.js": script(PackageResources.dialog_js),
    "grid.js": script(PackageResources.grid_js),
    "location.js": script(PackageResources.location_js),
    "predicate.js": script(PackageResources.predicate_js),
    "chart.js": script(PackageResources.chart_js),
    "records.js": script(PackageResources.records_js),
    "record.js": script(PackageResources.record_js),
    "conflict.js": script(PackageResources.conflict_js),
    "query.js": script(PackageResources.query_js),
    "zones.js": script(PackageResources.zones_js),
    "shares.js": script(PackageResources.shares_js),
    "schema.js": script(PackageResources.schema_js),
    "subscriptions.js": script(PackageResources.subscriptions_js),
    "notifications.js": script(PackageResources.notifications_js),
    "live.js": script(PackageResources.live_js),
    "users.js": script(PackageResources.users_js),
    "tokens.js": script(PackageResources.tokens_js),
    "audit.js": script(PackageResources.audit_js),
    "cluster.js": script(PackageResources.cluster_js),
    "metrics.js": script(PackageResources.metrics_js),
    "samples.js": script(PackageResources.samples_js),
    "deliveries.js": script(PackageResources.deliveries_js),
  ]
}
