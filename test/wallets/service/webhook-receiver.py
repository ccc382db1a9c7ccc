"""Receives events and verifies them with the published package standardwebhooks.

The first line of standard input is the secret. It writes its port, and then a line of JSON for each request. It answers
500 to the first request of each event whose type is in the arguments, 400 if the signature is invalid, otherwise 204.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

from standardwebhooks import Webhook

FAILING = set(sys.argv[1:])
seen = set()
secrets = []


def say(value):
    print(json.dumps(value), flush=True)


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if not secrets:
            secrets.append(sys.stdin.readline().strip())
        name = self.headers["webhook-id"]
        try:
            event = Webhook(secrets[0]).verify(body, dict(self.headers))
        except Exception as error:  # whatever the package throws is its verdict
            self.answer(400)
            say({"id": name, "error": repr(error)})
            return
        fails = event["type"] in FAILING and name not in seen
        seen.add(name)
        self.answer(500 if fails else 204)
        say({"id": name, "event": event, "status": 500 if fails else 204})

    def answer(self, status):
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Handler)
say({"port": server.server_port})
server.serve_forever()
