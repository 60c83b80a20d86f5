# Saves all that rpcctl prints, as it came.
set -euo pipefail

# trip ZONE NAME...: the records of a zone.
trip() {
  local zone="$1"
  shift
  rpcctl records get --zone "$zone" "$@" > records.jsonl
  rpcctl records put --zone "$zone" records.jsonl > /dev/null
}

# all: the subscriptions of a database.
subscriptions() {
  rpcctl subscriptions list > subscriptions.jsonl
  test -s subscriptions.jsonl
  rpcctl subscriptions create -f subscriptions.jsonl > /dev/null
}

cd "$FOLDER"
export RPCCTL_OUTPUT=jsonl
export RPCCTL_AS=ada
eval "$OWN"
subscriptions
rpcctl zones list | jq -r .zoneName | grep -v _defaultZone | xargs rpcctl zones create > /dev/null
rpcctl users published | jq -r '"--display-name", .displayName, "--email", .emailAddress' > entry
mapfile -t entry < entry
rpcctl users publish "${entry[@]}" > /dev/null
export RPCCTL_AS=ben RPCCTL_DATABASE=shared
eval "$SHARED"
subscriptions
