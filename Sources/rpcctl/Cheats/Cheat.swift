/// Short worked examples about one topic: commands, each under a line that says what it does.
struct Cheat: Sendable {
  let topic: String
  /// One line.
  let summary: String
  /// Lines of a shell script.
  let text: String

  static let all = [records, subscriptions, sharing, keys, feeds, offline, schema, scripts]

  static let records = Cheat(
    topic: "records",
    summary: "save, fetch, query, change and delete records",
    text: """
      # Save a record: 'Houses' is learned with its fields.
      rpcctl records set h1 --type Houses city=Rome price:=310000

      # Change one field; the others stay.
      rpcctl records set h1 price:=295000

      # Fetch it, all of it or one field.
      rpcctl records get h1
      rpcctl fetch-records h1 --desired-keys price -o table

      # Which houses are cheap? Sorted, the first ten.
      rpcctl query Houses --where 'price < 300000 AND city == "Rome"' --sort price --limit 10

      # How is the query answered: does it need an index?
      rpcctl explain Houses --where 'price < 300000'

      # A zone of its own, whose records change together or not at all.
      rpcctl zones create sales
      rpcctl modify-records --zone sales --save @houses.json

      # Delete a record, then a zone with all that is in it.
      rpcctl records delete h1
      rpcctl zones delete sales --yes
      """
  )

  static let subscriptions = Cheat(
    topic: "subscriptions",
    summary: "be told when records change",
    text: """
      # Tell me of houses that are new or get cheaper than 300000, with their price.
      rpcctl modify-subscriptions --id cheap --query Houses --where 'price < 300000' \\
        --on create,update --desired-keys price

      # Watch: what waits in the log first, then what comes.
      rpcctl --device laptop watch

      # Only once, for a script; without what waits.
      rpcctl --device laptop watch --since now --count 1 --timeout 30s -o json

      # Run a command for each; after a restart it goes on where it was.
      rpcctl --device mailer watch --state mailer.state --exec 'mail -s News ada'

      # Several workers share the notifications of a user.
      rpcctl --device w1 work --group mailers --exec 'mail -s News ada'

      # Which subscriptions would this change fire, and why not the others?
      rpcctl explain-subscriptions --record '{"recordType":"Houses","fields":{"price":90000}}'

      # Do they work? Who heard of what?
      rpcctl fetch-subscriptions --health -o table
      """
  )

  static let sharing = Cheat(
    topic: "sharing",
    summary: "share records and zones with other users",
    text: """
      # Share a zone with bob; the link that is printed is what he accepts.
      rpcctl shares create --zone sales --invite bob:read-write
      rpcctl --as bob shares accept tidings://share/home/development/AbCdEf

      # Who takes part, and what may they do?
      rpcctl shares show --zone sales -o table

      # As bob, what is shared with me: zones are written OWNER/ZONE.
      rpcctl --as bob --database shared zones list -o table
      rpcctl --as bob --database shared query Houses --zone ada/sales

      # Stop sharing; the records stay mine.
      rpcctl shares end --zone sales
      """
  )

  static let keys = Cheat(
    topic: "keys",
    summary: "give users keys, replace and revoke them",
    text: """
      # The user makes a pair; the secret part never leaves the file.
      rpcctl keys generate -O ada.key

      # Both compare this, by telephone for example.
      rpcctl keys fingerprint ada.key

      # An administrator admits the public part.
      rpcctl --context admin users create ada --public-key 'Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID'

      # Or makes user and pair at once, and hands the file over.
      rpcctl --context admin users create bob --generate-key bob.key

      # The user names the file once, in a context, and checks that all is well.
      rpcctl context add work --endpoint tcp://db.example:5570 --server-key server.pub --key-file ada.key
      rpcctl --context work doctor

      # Once a year: a new pair; the old one is good for another week.
      rpcctl --context admin keys rotate ada.key -O ada-2.key --overlap 7d

      # A device was lost: its key is refused from now on, for ever.
      rpcctl --context admin keys list ada -o table
      rpcctl --context admin keys revoke 'Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID'

      # What may a user do with records of the public database, and why?
      rpcctl --context admin grants check ada write Houses
      """
  )

  static let feeds = Cheat(
    topic: "feeds",
    summary: "follow what changes in zones and databases",
    text: """
      # All that is in a zone, then what changed since.
      rpcctl fetch-zone-changes sales --all
      rpcctl fetch-zone-changes sales --token AQIDBAUG

      # And go on with what comes.
      rpcctl fetch-zone-changes sales --token AQIDBAUG --follow

      # Which zones changed?
      rpcctl fetch-database-changes

      # Which notifications came, read ones too.
      rpcctl fetch-notification-changes

      # How fast can all of it be read?
      rpcctl bench catchup --records 5000
      """
  )

  static let offline = Cheat(
    topic: "offline",
    summary: "take data along: export, import, what needs no server",
    text: """
      # All records of a zone as JSON lines; a run that broke off goes on with --resume.
      rpcctl export --zone sales -O sales.jsonl

      # Into another container; what is refused is written to a file.
      rpcctl --container copy import houses.jsonl --errors refused.jsonl

      # Without a server: a schema, a key, this machine.
      rpcctl schema validate houses.ckdb
      rpcctl schema lint houses.ckdb
      rpcctl keys fingerprint ada.key
      rpcctl doctor --local

      # What would a command do? Nothing is changed.
      rpcctl --dry-run records delete h1
      """
  )

  static let schema = Cheat(
    topic: "schema",
    summary: "from development to production",
    text: """
      # What development learned from saves.
      rpcctl schema get > houses.ckdb

      # After editing: is it a schema, is it sound, what would change, whom would it break?
      rpcctl schema validate houses.ckdb
      rpcctl schema lint houses.ckdb
      rpcctl schema diff houses.ckdb
      rpcctl schema breaking houses.ckdb --against production

      # Into development, then into production.
      rpcctl schema apply houses.ckdb
      rpcctl schema deploy --dry-run
      rpcctl schema deploy
      """
  )

  static let scripts = Cheat(
    topic: "scripts",
    summary: "exit codes, outputs and calls for programs",
    text: """
      # One JSON object a line, only these members.
      rpcctl query Houses -o jsonl --fields recordName,fields.price

      # 3: something was found; 4: some items failed; 64 + status: the call failed.
      rpcctl doctor --quiet || echo "exit code $?"

      # Do it once, however often the script runs.
      rpcctl --idempotency-key monday records set h1 price:=1

      # Any method of the server; a template shows what it takes.
      rpcctl reflect template RecordService/FetchRecords
      rpcctl call RecordService/FetchRecords -d '{"recordIds":[{"recordName":"h1"}]}'

      # Counters for Prometheus.
      rpcctl server metrics
      """
  )
}
