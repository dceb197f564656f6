"""Debian's headless Chromium over the DevTools protocol: opens pages from disk and reports what happened in them."""

import asyncio
import base64
import json
import shutil
import tempfile
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import aiohttp

Result = TypeVar("Result")

NAMES = ("chromium", "chromium-browser", "google-chrome")
START_S = 20.0
ANSWER_S = 60.0
"""The longest that one answer takes on a machine that is busy: axe-core reads a large page in seconds."""
KEYS = {"Enter": 13, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38, "Home": 36, "End": 35, "Tab": 9, "/": 191}

PLACE = """(() => {{
    const part = document.querySelector({selector!r});
    part.scrollIntoView();
    const box = part.getBoundingClientRect();
    return {{ x: 0, y: box.y + scrollY, width: innerWidth, height: box.height }};
}})()"""
"""Where an element stands on its page, over the page's whole width; it is scrolled to, as far parts are not drawn."""


def browser_path() -> str | None:
    """Where a browser is installed; None where there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@dataclass
class Page:
    """One tab. Events pile up: `problems` are whatever the console shows, `requests` what was asked for."""

    socket: aiohttp.ClientWebSocketResponse
    problems: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    _answers: dict[int, "asyncio.Future[Any]"] = field(default_factory=dict)
    _loaded: asyncio.Event = field(default_factory=asyncio.Event)
    _count: int = 0

    async def listen(self) -> None:
        async for message in self.socket:
            reply = json.loads(message.data)
            if "id" in reply:
                answer = self._answers.pop(reply["id"])
                if not answer.done():
                    answer.set_result(reply)
            else:
                self._hear(reply["method"], reply.get("params", {}))

    def _hear(self, method: str, about: Mapping[str, Any]) -> None:
        if method == "Runtime.exceptionThrown":
            self.problems.append(str(about["exceptionDetails"].get("exception", about["exceptionDetails"])))
        elif method == "Runtime.consoleAPICalled":
            self.problems.append(f"console: {about}")
        elif method == "Log.entryAdded":
            self.problems.append(about["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])
        elif method == "Page.loadEventFired":
            self._loaded.set()

    async def call(self, method: str, **parameters: Any) -> Any:
        self._count += 1
        answer = self._answers[self._count] = asyncio.get_running_loop().create_future()
        await self.socket.send_json({"id": self._count, "method": method, "params": parameters})
        reply = await asyncio.wait_for(answer, ANSWER_S)
        assert "error" not in reply, f"{method}: {reply['error']}"
        return reply["result"]

    async def open(self, path: Path, fragment: str = "") -> None:
        """Loads a page from disk; earlier problems and requests are forgotten."""
        self.problems.clear()
        self.requests.clear()
        self._loaded.clear()
        # Another query each time: a mere change of the fragment would load nothing.
        await self.call("Page.navigate", url=f"{path.as_uri()}?{self._count}{fragment}")
        await asyncio.wait_for(self._loaded.wait(), ANSWER_S)
        await self.call("Page.bringToFront")

    async def run(self, script: str) -> Any:
        """The value of an expression in the page; frames are waited for, so that the page has caught up."""
        frames = "await new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)));"
        wrapped = f"(async () => {{ {frames} return {script}; }})()"
        reply = await self.call("Runtime.evaluate", expression=wrapped, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in reply, f"{script}: {reply['exceptionDetails']}"
        return reply["result"].get("value")

    async def press(self, key: str) -> None:
        code = KEYS.get(key, ord(key[0].upper()))
        about = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        await self.call("Input.dispatchKeyEvent", type="keyDown", **about, **text)
        await self.call("Input.dispatchKeyEvent", type="keyUp", **about)

    async def click(self, selector: str) -> None:
        """Presses the mouse where an element stands, after scrolling to it; the page decides what lies on top there."""
        middle = (
            f"(() => {{ const part = document.querySelector({selector!r}); part.scrollIntoView({{block: 'center'}}); "
            "const box = part.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        x, y = await self.run(middle)
        for kind in ("mousePressed", "mouseReleased"):
            await self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    async def show(self, width: int, height: int = 800, *, dark: bool = False, media: str = "") -> None:
        """A window of this size; `media` is "print" or empty."""
        await self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        await self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])

    async def drawn(self, selector: str) -> bool:
        """True where an element of the page takes room; asked without running anything in it."""
        root = (await self.call("DOM.getDocument"))["root"]["nodeId"]
        node = (await self.call("DOM.querySelector", nodeId=root, selector=selector))["nodeId"]
        if not node:
            return False
        box = (await self.call("DOM.getBoxModel", nodeId=node))["model"]
        return bool(box["width"] * box["height"])

    async def without_script(self, off: bool) -> None:
        await self.call("Emulation.setScriptExecutionDisabled", value=off)

    async def picture(self, *, whole: bool = False, of: str = "", most: int = 0) -> bytes:
        """A PNG of the window, of the whole page, or of what a selector finds, at `most` so many pixels high."""
        clip = await self._clip(whole, of)
        if most:
            clip["clip"]["height"] = min(most, clip["clip"]["height"])
        reply = await self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole or bool(of), **clip)
        return base64.b64decode(reply["data"])

    async def printed(self) -> bytes:
        """A PDF as the print stylesheet makes it."""
        reply = await self.call("Page.printToPDF", printBackground=True)
        return base64.b64decode(reply["data"])

    async def _clip(self, whole: bool, of: str) -> dict[str, Any]:
        if of:
            return {"clip": {**await self.run(PLACE.format(selector=of)), "scale": 1}}
        if not whole:
            return {}
        size = (await self.call("Page.getLayoutMetrics"))["cssContentSize"]
        return {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}


@asynccontextmanager
async def browsing(program: str) -> AsyncIterator[Page]:
    """A browser with one tab, and a profile of its own that is removed again."""
    with tempfile.TemporaryDirectory(prefix="browser-", ignore_cleanup_errors=True) as folder:
        process = await asyncio.create_subprocess_exec(
            *[program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-extensions", "--disable-background-networking", "--disable-component-update",
             "--remote-debugging-port=0", f"--user-data-dir={folder}", "about:blank"],
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        try:
            port = await _port(Path(folder))
            async with aiohttp.ClientSession() as session:
                async with session.get(f"http://127.0.0.1:{port}/json/list") as answer:
                    tabs = [tab for tab in await answer.json() if tab["type"] == "page"]
                async with session.ws_connect(tabs[0]["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                    page = Page(socket)
                    listening = asyncio.create_task(page.listen())
                    for domain in ("Page", "Runtime", "Log", "Network"):
                        await page.call(f"{domain}.enable")
                    await page.call("Emulation.setFocusEmulationEnabled", enabled=True)
                    yield page
                    listening.cancel()
        finally:
            process.terminate()
            await process.wait()


async def _port(folder: Path) -> int:
    for _ in range(int(START_S / 0.05)):
        try:
            return int((folder / "DevToolsActivePort").read_text().splitlines()[0])
        except (OSError, ValueError, IndexError):
            await asyncio.sleep(0.05)
    raise TimeoutError("the browser did not start")


class Browser:
    """A tab for tests that do not run in an event loop of their own."""

    def __init__(self, program: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._opened = browsing(program)
        self.page = self._loop.run_until_complete(self._opened.__aenter__())

    def do(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Waits for one step of the page."""
        return self._loop.run_until_complete(work)

    def close(self) -> None:
        self._loop.run_until_complete(self._opened.__aexit__(None, None, None))
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()
