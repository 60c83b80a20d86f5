internal import TidingsEngine
internal import TidingsMetrics
internal import TidingsZeroMQ

extension Core: MetricSource {
  /// A copy of what the loop's thread counts.
  func metricFamilies(on loop: LoopContext) -> [MetricFamily] {
    loop.metricFamilies(queues: queueMetrics) + storeFamilies + notificationFamilies + [
      .leader(true)
    ]
  }

  private var storeFamilies: [MetricFamily] {
    let status = store.status
    var families: [MetricFamily] = [
      .histogram(
        "tidings_commit_seconds",
        "Time of the commits of groups that wrote, with the sync.",
        calls.metrics.commits.snapshot
      ),
      .histogram(
        "tidings_group_calls",
        "Calls of a group that wrote: they share its commit.",
        calls.metrics.calls.snapshot
      ),
      .counter(
        "tidings_groups_repeated_total",
        "Groups that were run again.",
        calls.groupsRunAgain
      ),
      .counter("tidings_commits_total", "Commits of groups that wrote.", counters.commits),
      .counter("tidings_records_saved_total", "Records that were saved.", counters.recordsSaved),
      .counter(
        "tidings_records_deleted_total",
        "Records that were deleted.",
        counters.recordsDeleted
      ),
      .counter(
        "tidings_quota_refusals_total",
        "Items that were refused because there was no room for them in a quota.",
        engine.quotaRefusalCount
      ),
      .histogram(
        "tidings_maintenance_seconds",
        "Pieces of the server's own work in the store, between the calls.",
        maintenance.pieces.snapshot
      ),
      .counter(
        "tidings_maintenance_failed_total",
        "Pieces of the server's own work that failed and are repeated.",
        maintenance.failedCount
      ),
    ]
    guard let syncs = status.syncs else { return families }
    families += [
      .histogram(
        "tidings_fsync_seconds",
        "Time of the syncs of the database and its log.",
        syncs
      ),
      .gauge("tidings_log_bytes", "Size of the database's log (WAL).", status.logBytes),
      .gauge(
        "tidings_free_bytes",
        "Bytes of removed rows that later writes use.",
        status.freeBytes
      ),
      .counter(
        "tidings_checkpoints_failed_total",
        "How often the log could not be moved into the database.",
        status.checkpointsFailed
      ),
      .counter(
        "tidings_pages_damaged_total",
        "Pages with a wrong checksum that were read.",
        status.damagedPages
      ),
    ]
    return families
  }

  private var notificationFamilies: [MetricFamily] {
    [
      .counter("tidings_events_total", "Notifications that were stored.", counters.events),
      .counter(
        "tidings_pushes_coalesced_total",
        "Notifications that were published in a push of several.",
        publisher.counters.coalesced
      ),
      .counter(
        "tidings_pushes_pruned_total",
        "Pushes that were pruned because they were too large.",
        publisher.counters.pruned
      ),
      .histogram(
        "tidings_push_delay_seconds",
        "Time from the commit of a notification until its push was handed to the socket.",
        publisher.counters.delay.snapshot
      ),
      .gauge("tidings_channels", "Channels that are watched.", engine.channelCount),
      .counter("tidings_work_leases_total", "Notifications handed out to groups.", counters.leases),
      .counter(
        "tidings_work_redelivered_total",
        "Notifications handed out to groups again, because their lease ended.",
        counters.leasesRepeated
      ),
      .counter(
        "tidings_work_settled_total",
        "Notifications that groups have done.",
        counters.leasesSettled
      ),
    ]
  }

  private var queueMetrics: [Metric] {
    [
      Metric("queue", "readers", reads.jobCount),
      Metric("queue", "store", calls.longCalls.waitingCount),
      Metric("queue", "postponed", calls.postponed.count),
      Metric("queue", "feeds", feeds.count),
      Metric("queue", "events", publisher.unpublishedCount),
    ]
  }
}

extension MetricFamily {
  /// Whether a server has the store.
  static func leader(_ leads: Bool) -> Self {
    .gauge(
      "tidings_leader",
      "1 if this server has the store: it is alone, or the node that leads.",
      leads ? 1 : 0
    )
  }
}
