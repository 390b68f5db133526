"""Receives Postrider's webhooks with the standard library alone: WEBHOOK_SECRET=whsec_... python3 docs/examples/receiver.py"""

import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["WEBHOOK_SECRET"]
TOLERANCE_SECONDS = 300
seen = set()  # In production: a table with a unique constraint on the event's id.


def is_signed(raw_body: bytes, header: str, secret: str, now: float) -> bool:
    pairs = [item.partition("=")[::2] for item in header.split(",")]
    times = [value for name, value in pairs if name == "t"]
    if len(times) != 1 or not (times[0].isascii() and times[0].isdigit()):
        return False
    signed = times[0].encode() + b"." + raw_body
    expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    matches = [hmac.compare_digest(expected.encode(), value.encode()) for name, value in pairs if name == "v1"]
    return any(matches) and abs(now - int(times[0])) <= TOLERANCE_SECONDS


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        raw_body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not is_signed(raw_body, self.headers.get("X-Service-Signature", ""), SECRET, time.time()):
            self.send_response(400)
            self.end_headers()
            return
        event = json.loads(raw_body)
        if event["id"] not in seen:
            seen.add(event["id"])
            print(f"verified {event['type']} {event['id']}", flush=True)
        self.send_response(204)
        self.end_headers()

    def log_message(self, *args):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("RECEIVER_PORT", "3000"))), Receiver)
    print("listening", flush=True)
    server.serve_forever()
