"""A player in another language, written from docs/reference/protocol.md alone. Joins one rain, grabs, waits for the money.

    RAIN_TOKEN=<jwt> python3 player.py ws://127.0.0.1:8687/v1 RAIN [--browser]

Prints what happens as JSON lines, the last of them {"event":"end",…}; exit code 0 when it won and was credited, 1 when it did not.
With --browser the token goes as browsers send it. Needs Debian's python3-websockets, or any `websockets` from 10 on.
"""

import asyncio
import hashlib
import json
import os
import random
import sys
import time

import websockets

ANSWER_S = 5.0
AGAIN_CODES = {"-4"}
FINAL_CLOSES = {1009, 4401, 4403, 4429, 4430}
GATEWAY_REFUSES = {400, 401, 403, 404}


def now_ms():
    return time.monotonic() * 1000


def tell(event, **more):
    print(json.dumps({"event": event, **more}), flush=True)


def solve(challenge):
    """The counter whose key begins as the challenge says."""
    asked = challenge["parameters"]
    nonce, salt, prefix = (bytes.fromhex(asked[name]) for name in ("nonce", "salt", "keyPrefix"))
    for counter in range(1 << 32):
        key = hashlib.pbkdf2_hmac("sha256", nonce + counter.to_bytes(4, "big"), salt, asked["cost"], asked["keyLength"])
        if key.startswith(prefix):
            return {"counter": counter, "derivedKey": key.hex()}


class Player:
    def __init__(self, url, rain_id, token, as_browser):
        self.url, self.rain_id, self.token, self.as_browser = url, rain_id, token, as_browser
        self.rain = self.ticket = self.won = None
        self.credited = False
        self.over = None
        self.ahead_ms, self.best_trip_ms = 0.0, float("inf")
        self.asked, self.ask_at, self.ref = None, None, 0
        self.failures = 0

    def server_now(self):
        return now_ms() + self.ahead_ms

    def done(self):
        return self.over is not None or (self.won and self.credited)

    async def play(self):
        while not self.done():
            try:
                protocols = ["rain.v1"] + (["bearer." + self.token] if self.as_browser else [])
                headers = {} if self.as_browser else {"Authorization": "Bearer " + self.token}
                async with websockets.connect(self.url, subprotocols=protocols, extra_headers=headers, compression=None, open_timeout=5, close_timeout=1) as socket:
                    await self.talk(socket)
            except websockets.exceptions.InvalidStatusCode as refused:
                tell("refused", status=refused.status_code)
                if refused.status_code in GATEWAY_REFUSES:
                    self.over = f"refused with {refused.status_code}"
            except websockets.exceptions.ConnectionClosed as closed:
                tell("closed", code=closed.code)
                if closed.code in FINAL_CLOSES:
                    self.over = f"closed with {closed.code}"
            except (OSError, asyncio.TimeoutError, EOFError, websockets.exceptions.WebSocketException) as lost:
                tell("lost", why=type(lost).__name__)
            if not self.done():
                self.failures += 1
                await asyncio.sleep(min(10, 0.25 * 2 ** (self.failures - 1)) * (0.5 + random.random() / 2))

    async def talk(self, socket):
        self.asked = self.ask_at = None
        joined = False
        while not self.done():
            try:
                message = json.loads(await asyncio.wait_for(socket.recv(), self.wait_s()))
            except asyncio.TimeoutError:
                message = None
            if message and message["type"] == "welcome":
                self.failures = 0
                tell("welcome", userId=message["userId"])
                for _ in range(3):
                    await self.say(socket, type="ping", t=now_ms())
                await self.join(socket)
                joined = True
            elif message:
                await self.hear(socket, message)
            if joined:
                await self.ask_when_due(socket)

    def wait_s(self):
        due = [at for at in (self.ask_at, self.asked and self.asked + ANSWER_S * 1000) if at]
        return max(0.001, (min(due) - now_ms()) / 1000) if due else 1.0

    async def say(self, socket, **message):
        await socket.send(json.dumps({name: value for name, value in message.items() if value is not None}))

    async def join(self, socket):
        await self.say(socket, type="join", rainId=self.rain_id, ticket=self.ticket)

    async def hear(self, socket, message):
        kind = message["type"]
        if message.get("rainId", self.rain_id) != self.rain_id:
            return
        if kind == "pong":
            trip = now_ms() - message["t"]
            if trip < self.best_trip_ms:
                self.best_trip_ms = trip
                self.ahead_ms = message["serverTime"] + trip / 2 - now_ms()
        elif kind == "rain":
            moved = self.rain is not None and self.rain["opensAt"] != message["opensAt"]
            if self.rain is None:
                tell("joined", state=message["state"])
            elif moved:
                tell("moved")
            self.rain = message
            if message["state"] in ("closed", "settled") and not self.won:
                self.over = "the rain is over"
            elif (self.ask_at is None or moved) and self.asked is None and not self.won:
                self.ask_in(max(0, message["opensAt"] - self.server_now()))
        elif kind == "ticket":
            self.ticket = message["ticket"]
            tell("ticket")
        elif kind == "challenge":
            solution = await asyncio.get_running_loop().run_in_executor(None, solve, message["challenge"])
            await self.say(socket, type="solution", rainId=self.rain_id, challenge=message["challenge"], solution=solution)
        elif kind == "result":
            await self.hear_result(socket, message)
        elif kind == "credited":
            self.won = self.won or message["amount"]
            self.credited = True
            tell("credited", amount=message["amount"])
        elif kind == "goodbye":
            await asyncio.sleep(message["reconnectInMs"] / 1000)
        elif kind == "error":
            tell("error", code=message["code"], reason=message["reason"])
            if message["code"] == "not_solved":
                await self.join(socket)

    async def hear_result(self, socket, message):
        code = message["code"]
        tell("result", code=code, ref=message.get("ref"))
        self.asked = None
        if "redPacketId" in message:
            self.won, self.ask_at = message["amount"], None
        elif code == "-9":
            await self.join(socket)
            self.ask_in(200)
        elif code in ("-5", "-7"):
            self.ask_in(message.get("retryInMs", 200 + random.random() * 800))
        elif code == "-2":
            self.ask_in(max(100, self.rain["opensAt"] - self.server_now()))
        elif code in AGAIN_CODES:
            self.ask_in(1000)
        elif "retryInMs" in message:
            self.ask_in(message["retryInMs"])
        else:  # A refusal, known or not, that asks for no other try.
            self.over = message["reason"]

    def ask_in(self, ms):
        self.ask_at = now_ms() + ms

    async def ask_when_due(self, socket):
        lost = self.asked is not None and now_ms() - self.asked >= ANSWER_S * 1000
        due = self.ask_at is not None and now_ms() >= self.ask_at
        if self.won or not (due or lost):
            return
        self.ask_at, self.asked = None, now_ms()
        self.ref += 1
        await self.say(socket, type="grab", rainId=self.rain_id, ref=str(self.ref), ticket=self.ticket)


async def main():
    url, rain_id = sys.argv[1:3]
    player = Player(url, rain_id, os.environ["RAIN_TOKEN"], "--browser" in sys.argv)
    await player.play()
    tell("end", won=player.won, credited=player.credited, why=player.over)
    return 0 if player.won and player.credited else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
