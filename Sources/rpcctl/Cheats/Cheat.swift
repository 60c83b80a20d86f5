/// Worked examples on one topic: commands, each with a comment.
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
      # Save a record; its type 'Houses' and its fields are added to the schema.
      rpcctl records set h1 --type Houses city=Rome price:=310000

      # Change one field and keep the others.
      rpcctl records set h1 price:=295000

      # Fetch all of it, or one field.
      rpcctl records get h1
      rpcctl fetch-records h1 --desired-keys price -o table

      # Query: sorted, the first ten.
      rpcctl query Houses --where 'price < 300000 AND city == "Rome"' --sort price --limit 10

      # Show the query plan: is an index used?
      rpcctl explain Houses --where 'price < 300000'

      # Create a zone, whose records are saved atomically.
      rpcctl zones create sales
      rpcctl modify-records --zone sales --save @houses.json

      # Delete a record, then a zone with all its records.
      rpcctl records delete h1
      rpcctl zones delete sales --yes
      """
  )

  static let subscriptions = Cheat(
    topic: "subscriptions",
    summary: "get notified when records change",
    text: """
      # Subscribe to houses that are or become cheaper than 300000, with their price.
      rpcctl modify-subscriptions --id cheap --query Houses --where 'price < 300000' \\
        --on create,update --desired-keys price

      # Watch: first the notifications in the log, then new ones.
      rpcctl --device laptop watch

      # For a script: wait for one new notification.
      rpcctl --device laptop watch --since now --count 1 --timeout 30s -o json

      # Run a command for each; --state resumes after a restart.
      rpcctl --device mailer watch --state mailer.state --exec 'mail -s Changes ada'

      # Share the notifications of a user among several workers.
      rpcctl --device w1 work --group mailers --exec 'mail -s Changes ada'

      # Which subscriptions would match this change, and why not the others?
      rpcctl explain-subscriptions --record '{"recordType":"Houses","fields":{"price":90000}}'

      # Are the subscriptions healthy?
      rpcctl fetch-subscriptions --health -o table
      """
  )

  static let sharing = Cheat(
    topic: "sharing",
    summary: "share records and zones with other users",
    text: """
      # Share a zone with bob; he accepts the link that is printed.
      rpcctl shares create --zone sales --invite bob:read-write
      rpcctl --as bob shares accept tidings://share/home/development/AbCdEf

      # List participants and permissions.
      rpcctl shares show --zone sales -o table

      # As bob, list shared zones; they are named OWNER/ZONE.
      rpcctl --as bob --database shared zones list -o table
      rpcctl --as bob --database shared query Houses --zone ada/sales

      # Stop sharing; the records are kept.
      rpcctl shares end --zone sales
      """
  )

  static let keys = Cheat(
    topic: "keys",
    summary: "authorize, replace and revoke users' keys",
    text: """
      # The user generates a key pair; the secret key never leaves the file.
      rpcctl keys generate -O ada.key

      # Both compare the fingerprint, for example by telephone.
      rpcctl keys fingerprint ada.key

      # An administrator creates the user with the public key.
      rpcctl --context admin users create ada --public-key 'Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID'

      # Or creates user and key pair together, and hands over the file.
      rpcctl --context admin users create bob --generate-key bob.key

      # The user saves the connection as a context, and checks it.
      rpcctl context add work --endpoint tcp://db.example:5570 --server-key server.pub --key-file ada.key
      rpcctl --context work doctor

      # Rotate the key once a year; the old key stays valid for a week.
      rpcctl --context admin keys rotate ada.key -O ada-2.key --overlap 7d

      # A device was lost: revoke its key permanently.
      rpcctl --context admin keys list ada -o table
      rpcctl --context admin keys revoke 'Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID'

      # What may a user do with records of the public database, and why?
      rpcctl --context admin grants check ada write Houses
      """
  )

  static let feeds = Cheat(
    topic: "feeds",
    summary: "follow changes of zones and databases",
    text: """
      # Fetch all records of a zone, then the changes since.
      rpcctl fetch-zone-changes sales --all
      rpcctl fetch-zone-changes sales --token AQIDBAUG

      # Then follow new changes.
      rpcctl fetch-zone-changes sales --token AQIDBAUG --follow

      # Which zones changed?
      rpcctl fetch-database-changes

      # List notifications.
      rpcctl fetch-notification-changes

      # How fast can all changes be read?
      rpcctl bench catchup --records 5000
      """
  )

  static let offline = Cheat(
    topic: "offline",
    summary: "export, import, and commands without a server",
    text: """
      # Export a zone as JSON lines; --resume continues an interrupted run.
      rpcctl export --zone sales -O sales.jsonl

      # Import into another container; write failed records to a file.
      rpcctl --container copy import houses.jsonl --errors refused.jsonl

      # Without a server: check a schema, a key, this machine.
      rpcctl schema validate houses.ckdb
      rpcctl schema lint houses.ckdb
      rpcctl keys fingerprint ada.key
      rpcctl doctor --local

      # Preview a command without changes.
      rpcctl --dry-run records delete h1
      """
  )

  static let schema = Cheat(
    topic: "schema",
    summary: "change the schema, from development to production",
    text: """
      # Get the schema of development, which saves extend.
      rpcctl schema get > houses.ckdb

      # After editing: validate it, lint it, show its differences, check compatibility.
      rpcctl schema validate houses.ckdb
      rpcctl schema lint houses.ckdb
      rpcctl schema diff houses.ckdb
      rpcctl schema breaking houses.ckdb --against production

      # Apply to development, then deploy to production.
      rpcctl schema apply houses.ckdb
      rpcctl schema deploy --dry-run
      rpcctl schema deploy
      """
  )

  static let scripts = Cheat(
    topic: "scripts",
    summary: "exit codes, outputs and calls for programs",
    text: """
      # One JSON object per line, with selected members.
      rpcctl query Houses -o jsonl --fields recordName,fields.price

      # 3: condition not met; 4: some items failed; 64+N: the call failed with status N.
      rpcctl doctor --quiet || echo "exit code $?"

      # Apply once, however often the script runs.
      rpcctl --idempotency-key monday records set h1 price:=1

      # Call any method; a template shows its request.
      rpcctl reflect template RecordService/FetchRecords
      rpcctl call RecordService/FetchRecords -d '{"recordIds":[{"recordName":"h1"}]}'

      # Metrics for Prometheus.
      rpcctl server metrics
      """
  )
}
