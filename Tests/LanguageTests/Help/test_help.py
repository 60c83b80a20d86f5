"""All examples of rpcctl's help are run in a shell, and succeed.

The examples of a verb have a folder and a container of their own, with what examples name. What is made only once, as shares and
zones, is made for each example.
"""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Web"))
from programs import PROGRAMS, Program  # noqa: E402

# What is not run, and why. That its words are right is tested elsewhere.
SKIPPED = {
    "server drain": "it ends the server",
    "tcp://10.0.0.2": "it is about another machine",
    "--to-endpoint": "it is about another server",
    "rpcctl top": "it needs a terminal",
    "top --batch": "it shows nothing before it is interrupted",
    "rpcctl zones purge drafts": "it asks on a terminal",
    "targets resend": "nothing has failed to be delivered",
    "web-tokens approve": "nobody signs in",
    "context test": "it says whether the machine and the server are as they should be",
    "doctor": "it says whether the machine and the server are as they should be",
}
# What runs until it is interrupted.
ENDLESS = re.compile(r"--follow|--stream|--watch|\bwatch\b|changes tail|rpcctl.* work |--for gone")
# Answers that are reported with the exit code.
REPORTED = {"records diff": 3, "changes compare-checksum": 3, "notifications unread-count": 3}

# Users and their keys are the server's: each verb, or example, has an alice of its own.
KEY = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"

SETUP = r"""
zones create notes drafts old archive sales family board
modify-records --save '[{"recordType":"Houses","recordName":"h2","fields":{"city":"Bonn","price":250000}},{"recordType":"Houses","recordName":"h7"},{"recordType":"Houses","recordName":"h8"},{"recordType":"Jobs","recordName":"j1","fields":{"state":"done"}},{"recordType":"Houses","recordName":"h9","fields":{"location":{"location":{"latitude":52.5,"longitude":13.4}}}}]'
modify-records --zone notes --save '{"recordType":"Note","recordName":"n1","fields":{"text":"a"}}'
modify-records --zone family --save '{"recordType":"List","recordName":"list1","fields":{"text":"a"}}'
"""
PRICEY = "subscriptions create --query Houses --where 'price > 100000' --id pricey\n"
HOUSES = r"""
records set h1 --type Houses city=Berlin price:=350000
records set h3 --type Houses price:=200000
records set h4 --type Houses price:=200000
"""
# Their first examples make the house, or the subscription.
MAKERS = ("modify-records", "subscriptions create", "assets put", "records put")


def examples(text):
    """The commands of a help text, with the lines that continue them."""
    found, is_open = [], False
    for line in text.split("\n"):
        line = line.lstrip(" ")
        if line.startswith("rpcctl "):
            found.append(line)
        elif is_open:
            found[-1] += "\n" + line
        else:
            continue
        is_open = found[-1].endswith("\\") or found[-1].count("'") % 2 == 1
    return found


class World:
    """One server for all."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.count = 0
        self.server = Program(
            PROGRAMS / "rpcd", "--development", "--rpc", "tcp://127.0.0.1:0", "--push", "tcp://127.0.0.1:0",
            "--data", f"{folder}/data", "--log-level", "warning", "--limit", "containers-per-user-max=1000",
        )
        self.endpoint = re.search(r"rpc=(\S+)", self.server.first_line()).group(1)
        (self.folder / "bin").mkdir()
        for name in "mail", "code", "make-thumbnail", "mirror", "again":
            program = self.folder / "bin" / name
            program.write_text("#!/bin/sh\ncat > /dev/null\n")
            program.chmod(0o755)


class Workspace:
    """A folder and a container, for the examples of a verb, or one of them."""

    def __init__(self, world, verb, commands):
        world.count += 1
        self.world, self.verb, self.number = world, verb, world.count
        self.text = "\n".join(commands)
        self.noun = verb.split(" ")[0]
        self.folder = world.folder / f"v{self.number}"
        self.folder.mkdir()
        self.environment = {
            **os.environ,
            "PATH": f"{world.folder}/bin:{PROGRAMS}:{os.environ['PATH']}",
            "HOME": str(self.folder),
            "XDG_CONFIG_HOME": f"{self.folder}/.config",
            "XDG_DATA_HOME": f"{self.folder}/.local",
            "TMPDIR": str(self.folder),
            "EDITOR": "true",
            "VISUAL": "true",
            "RPCCTL_ENDPOINT": world.endpoint,
            "RPCCTL_CONTAINER": f"c{self.number}",
            "RPCCTL_AS": "ada",
            "RPCCTL_CONNECT_TIMEOUT": "60s",
        }
        # What stands for names that only a server gives, and for times that an example is not about.
        self.names = {"127.0.0.1:5580": world.endpoint.removeprefix("tcp://"), "/srv/": f"{self.folder}/srv/"}
        self.names |= {"--as realty ": "", "-r 100 ": "-n 20 -r 100 "}
        for option in "--duration 10s", "--duration 30s", "--warmup 2s", "--interval 10s":
            self.names[option] = option.rsplit(" ", 1)[0] + " 100ms"
        self.write_files()
        self.rpcctl(self.setup())
        self.look_up()

    def shell(self, command, text=""):
        return subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder, env=self.environment, capture_output=True, text=True, input=text,
        )

    def rpcctl(self, lines):
        """Runs commands in one process, and returns what they print."""
        run = self.shell("rpcctl repl -o jsonl", lines)
        if run.returncode != 0:
            raise RuntimeError(f"{self.verb}: {run.stderr}")
        return run.stdout

    def write_files(self):
        for name in "make-thumbnail", "mirror", "again":
            (self.folder / name).symlink_to(self.world.folder / "bin" / name)
        # The content whose checksum examples have.
        (self.folder / "test.jpg").write_text("test")
        (self.folder / "house.jpg").write_text("a house")
        (self.folder / "commands.txt").write_text("version\n")
        (self.folder / "houses.json").write_text('{"recordType":"Houses","recordName":"h1","fields":{"city":"Rome"}}')
        (self.folder / "houses.jsonl").write_text('{"recordType":"Houses","recordName":"h6","fields":{"city":"Rome"}}\n')
        (self.folder / "audit-copy").symlink_to(self.world.folder / "data")
        for path in ".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions", "srv/exports":
            (self.folder / path).mkdir(parents=True)

    def setup(self):
        lines = SETUP + (PRICEY if self.verb != "subscriptions create" else "")
        if self.verb not in MAKERS:
            lines += HOUSES
        if "photo" in self.text or "9f86d" in self.text:
            lines += "assets put test.jpg\n"
            if self.verb not in MAKERS:
                lines += "records set h1 photo@test.jpg\n"
        if self.noun == "shares" and self.verb != "shares create":
            root = "--root list1 " if "--root list1" in self.text else ""
            lines += f"shares create --zone family {root}--invite bob:read-write\n"
            lines += f"shares set-requests --zone family {root}on\nshares create --zone board --public read-only\n"
        if self.noun == "context":
            lines += "".join(f"context add {name} --endpoint {self.world.endpoint} --as ada\n" for name in ("home", "old"))
            lines += "context use old\ncontext use home\n"
        if self.verb.startswith("keys ring"):
            lines += "keys ring create from-bob.ring\n"
            lines += "keys ring create ada.ring\n" if self.verb != "keys ring create" else ""
        if self.noun == "users":
            lines += "users publish --display-name Ada --email ada@example.com\n"
        if " ann " in self.text:
            lines += "users create ann --generate-key ann.key\n"
        if "ada.key" in self.text:
            lines += "keys generate -O ada.key\nkeys generate -O server.pub\n"
        # Administration is what the audit log has.
        if "production" in self.text or self.verb in ("audit", "schema breaking"):
            lines += "schema deploy\n"
        return lines

    def look_up(self):
        """Finds what stands for tokens and names that examples cannot know."""
        if ".token" in self.text or "AQIDBAUG" in self.text or "Abo8V" in self.text:
            self.rpcctl("changes list notes --all --save-token notes.token\n")
            zone = (self.folder / "notes.token").read_text().strip()
            self.names |= {"AQIDBAUG": zone, "Abo8V/kNxoLkAQDsHnMElU/Qao+L5XKGHUqK": zone}
        if self.verb == "changes zones":
            self.names["AQIDBAUG"] = json.loads(self.shell("rpcctl changes zones -o json").stdout)["changeToken"]
        if self.noun in ("notifications", "tokens", "subscriptions"):
            log = json.loads(self.shell("rpcctl notifications list -o json").stdout)
            (self.folder / "mailer.state").write_text(log["changeToken"])
            if self.noun == "notifications":
                self.names["AQIDBAUG"] = log["changeToken"]
                self.names[" 1-1"] = " " + log["notifications"][0]["notificationId"]
        if "houses.ckdb" in self.text:
            (self.folder / "houses.ckdb").write_text(self.shell("rpcctl schema get").stdout)
        if self.noun == "web-tokens":
            token = json.loads(self.rpcctl("web-tokens create --label website\n"))
            (self.folder / "api-token").write_text(token["apiToken"])
            self.names["revoke 12"] = f"revoke {token['id']}"
            self.shell("openssl ecparam -name prime256v1 -genkey -noout | openssl ec -pubout > eckey-pub.pem")
        if self.noun == "targets":
            target = self.rpcctl("--device server targets add --webhook https://example.org/tidings\n")
            self.names["0f3a5c719e2b4d6"] = re.search(r'"(?:targetI[dD]|id)":"([^"]+)"', target).group(1)
        if self.noun == "shares" and self.verb != "shares create":
            root = "--root list1 " if "--root list1" in self.text else ""
            url = json.loads(self.rpcctl(f"shares show --zone family {root}\n"))["share"]["url"]
            self.names["tidings://share/home/development/AbCdEf"] = url
            if self.verb in ("shares leave", "shares requests"):
                self.rpcctl(f"shares accept --as bob {url}\nshares set-role --zone family {root}administrator bob\n")
        if self.verb == "notifications settle":
            leases = self.rpcctl("--device w1 notifications lease --group thumbnails --limit 3\n")
            for number, lease in enumerate(re.findall(r'"leaseId":"([^"]+)"', leases), 1):
                self.names[f"LEASE{number}"] = lease

    def run(self, example, number):
        """Runs an example; what is wrong, if anything is."""
        for old, new in self.names.items():
            example = example.replace(old, new)
        if "alice" in example or KEY in example:
            example = self.with_alice(example, number)
        expected = (0, REPORTED.get(self.verb, 0))
        if ENDLESS.search(example):
            run = self.shell(f"timeout -s INT 0.5 bash -c {shlex.quote(example)}")
            expected = (0, 3, 124, 130)
        else:
            run = self.shell(example)
        if run.returncode not in expected:
            return f"{example}\n  {run.returncode}: {run.stdout[-300:]}{run.stderr[-500:]}"

    def with_alice(self, example, number):
        is_alone = self.verb in ("users create", "keys authorize", "keys generate", "keys revoke")
        user = f"alice{self.number}" + (f"-{number}" if is_alone else "")
        key = self.folder / f"{user}.key"
        if self.verb in ("users create", "keys generate"):
            key = self.folder / f"other-{number}.key"
            self.rpcctl(f"keys generate -O {key}\n")
        elif self.verb == "keys authorize":
            self.rpcctl(f"users create {user} --generate-key first-{user}.key\nkeys generate -O {key}\n")
        elif not key.exists():
            self.rpcctl(f"users create {user} --generate-key {key}\n")
        public = json.loads(self.rpcctl(f"keys show {key}\n"))["publicKey"]
        return example.replace("alice", user).replace(KEY, public)


class HelpTests(unittest.TestCase):
    maxDiff = None

    def test_examples(self):
        with tempfile.TemporaryDirectory() as folder:
            world = World(folder)
            try:
                failures, count = self.failures(world)
            finally:
                world.server.stop()
        print(count, "examples were run")
        self.assertEqual("\n\n".join(failures), "")
        self.assertTrue(only or count > 200)

    def failures(self, world):
        failures, count = [], 0
        for verb, found in self.help_texts(world):
            isolated = verb.split(" ")[0] in ("shares", "zones")
            for group in [[one] for one in found] if isolated else [found]:
                group = [one for one in group if not any(part in one for part in SKIPPED)]
                if not group:
                    continue
                try:
                    workspace = Workspace(world, verb, group)
                except (RuntimeError, KeyError, AttributeError, ValueError, IndexError) as error:
                    failures.append(f"{verb}: there is not what its examples name: {error!r}")
                    continue
                count += len(group)
                failures += filter(None, (workspace.run(one, number) for number, one in enumerate(group)))
        return failures, count

    def help_texts(self, world):
        """The verbs, found in the manual, with the examples of their help."""
        pages = world.folder / "pages"
        subprocess.run([PROGRAMS / "rpcctl", "man", "--all", pages], check=True, capture_output=True)
        verbs = []
        for page in sorted(pages.iterdir()):
            name = re.search(r"\\fBrpcctl (.+?)\\fR", page.read_text().partition("SYNOPSIS")[2])
            verb = name.group(1).replace("\\-", "-") if name else ""
            # Operations have pages of their own, that say the same.
            if page.name == f"rpcctl-{verb.replace(' ', '-')}.1":
                verbs.append(verb)
        # In one process.
        lines = "".join(f"help {verb}\nversion\n" for verb in verbs)
        run = subprocess.run([PROGRAMS / "rpcctl", "repl", "-o", "jsonl"], check=True, capture_output=True, text=True, input=lines)
        texts = re.split(r"^.*\bversion\b.*:.*\d+\.\d+\.\d+.*\n", run.stdout, flags=re.MULTILINE)
        self.assertEqual(len(texts), len(verbs) + 1, run.stdout[-500:])
        for verb, text in zip(verbs, texts):
            found = examples("\n".join(re.split(r"\nExamples?:\n", text)[1:]))
            if found and (not only or verb in only):
                yield verb, found


only = set(sys.argv[1:])
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
