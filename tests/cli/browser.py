"""A headless chromium, driven through a pipe by the Chrome DevTools protocol; the standard library is enough.

    with Browser() as browser:
        page = browser.open("file:///...", width=390, dark=True)
        page.run("document.title")      the value of an expression; a promise is awaited
        page.complaints                 what went to the console, and exceptions
"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Failed(Exception):
    pass


class Browser:
    def __init__(self, patience=60):
        self.patience, self.number, self.buffer, self.pages = patience, 0, b"", {}

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        to_read, self.to = os.pipe()
        self.back, to_write = os.pipe()

        def connect():  # chromium reads from 3 and writes to 4
            reading, writing = os.dup(to_read), os.dup(to_write)
            os.dup2(reading, 3)
            os.dup2(writing, 4)

        self.process = subprocess.Popen(  # pylint: disable=consider-using-with,subprocess-popen-preexec-fn
            [PROGRAM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
             "--disable-extensions", "--disable-dev-shm-usage", f"--user-data-dir={self.folder.name}",
             "--remote-debugging-pipe", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            pass_fds=(3, 4), preexec_fn=connect)
        os.close(to_read)
        os.close(to_write)
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
        except (Failed, OSError):
            self.process.kill()
        self.process.wait(timeout=20)
        os.close(self.to)
        os.close(self.back)
        self.folder.cleanup()

    def message(self):
        """The next message of the browser."""
        end = time.monotonic() + self.patience
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.back], [], [], max(0, end - time.monotonic()))
            more = os.read(self.back, 1 << 20) if ready else b""
            if not more:
                raise Failed("the browser does not answer")
            self.buffer += more
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, session=None, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if session:
            request["sessionId"] = session
        os.write(self.to, json.dumps(request).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Failed(f"{method}: {answer['error']}")
                return answer["result"]
            page = self.pages.get(answer.get("sessionId"))
            if page:
                page.hear(answer)

    def open(self, address, width=1280, height=900, dark=False, scripts=True):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = self.pages[session] = Page(self, session, target)
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(f"{domain}.enable")
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        page.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        if not scripts:
            page.call("Emulation.setScriptExecutionDisabled", value=True)
        page.call("Page.navigate", url=address)
        while not page.loaded:
            page.hear(self.message())
        return page


class Page:
    def __init__(self, browser, session, target):
        self.browser, self.session, self.target = browser, session, target
        self.loaded, self.complaints, self.requests = False, [], []

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def hear(self, event):
        params = event.get("params", {})
        if event.get("method") == "Page.loadEventFired":
            self.loaded = True
        elif event.get("method") == "Runtime.consoleAPICalled":
            self.complaints.append(str(params["args"]))
        elif event.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(str(params["exceptionDetails"]))
        elif event.get("method") == "Log.entryAdded":
            self.complaints.append(params["entry"]["text"])
        elif event.get("method") == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def run(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise Failed(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def picture(self, path, top=0, height=None):
        """A PNG file of the page from `top` on; height None: to its end."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        height = height or size["height"] - top
        clip = {"x": 0, "y": top, "width": size["width"], "height": min(height, size["height"] - top), "scale": 1}
        data = self.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)
        del self.browser.pages[self.session]
