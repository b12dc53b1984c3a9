"""Looks at the pages of a running cluster as a person would, with a real browser."""

import json
import os
import sys
import time
from pathlib import Path

import axe_core_python
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from cluster import Cluster

PATIENCE_S = 60
AXE = (Path(axe_core_python.__file__).parent / "axe.min.js").read_text()
SCREENSHOTS = os.environ.get("SCREENSHOTS")


def main(program):
    with Cluster(program) as cluster:
        cluster.start_worker("worker-a")
        cluster.start_worker("worker-b")
        browser = start_browser()
        try:
            steps(cluster, browser)
        finally:
            browser.quit()
        without_javascript(cluster)
    print("the pages are as they should be")


def steps(cluster, browser):
    browser.get(cluster.url)
    wait(lambda: "worker-b" in text(browser), "both workers on the home page")
    mark(browser)
    run = create(browser, "count", 20)
    step("a run is created by clicking", f"/runs/{run}" in browser.current_url)
    bar_moves(browser)
    screenshots(browser, "run")
    step("the page of a run is accessible", not serious(browser))
    steer(browser)
    comes_back(cluster, browser)
    cancel(browser)
    boards(cluster, browser)
    answer(cluster, browser)
    browser.get(cluster.url)
    screenshots(browser, "home")
    step("the home page is accessible", not serious(browser))
    by_keyboard(browser)
    quiet(cluster, browser)


def start_browser(javascript=True):
    options = webdriver.ChromeOptions()
    for flag in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]:
        options.add_argument(flag)
    options.add_argument("--window-size=1200,900")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    if not javascript:
        options.add_experimental_option(
            "prefs", {"profile.managed_default_content_settings.javascript": 2}
        )
    return webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))


def create(browser, goal, n):
    Select(browser.find_element(By.NAME, "goal")).select_by_value(goal)
    field = browser.find_element(By.NAME, "n")
    field.clear()
    field.send_keys(str(n))
    browser.find_element(By.CSS_SELECTOR, "form.new button").click()
    wait(lambda: "/runs/" in browser.current_url, "the page of the new run")
    return int(browser.current_url.rsplit("/", 1)[1])


def bar_moves(browser):
    mark(browser)
    first = share(browser)
    wait(lambda: share(browser) > first, "a bar that moves")
    wait(lambda: "Solutions a second" in text(browser), "a rate")
    wait(lambda: browser.find_elements(By.CSS_SELECTOR, "svg.plot"), "a plot")
    step("the bar moves without reload", marked(browser))


def steer(browser):
    mark(browser)
    click(browser, "Pause")
    wait(lambda: "This run is paused" in text(browser), "a paused run")
    click(browser, "Resume")
    wait(lambda: "This run is running" in text(browser), "a run that goes on")
    step("a run is paused and resumed by clicking", True)


def comes_back(cluster, browser):
    mark(browser)
    before = share(browser)
    cluster.kill(cluster.coordinator)
    lost = browser.find_element(By.ID, "lost")
    wait(lost.is_displayed, "a word that the coordinator is lost")
    screenshots(browser, "lost", views=["light"])
    cluster.start_coordinator()
    wait(lambda: not lost.is_displayed(), "a word less once it is back")
    wait(lambda: share(browser) > before, "a bar that moves again")
    step("a lost coordinator shows as lost and comes back", marked(browser))


def cancel(browser):
    fresh(lambda: browser.find_element(By.CSS_SELECTOR, "#cancel summary").click())
    time.sleep(1.5)
    step("what is opened stays open while the page changes", browser.find_element(By.CSS_SELECTOR, "#cancel[open]"))
    click(browser, "End the run without an answer")
    wait(lambda: "This run is cancelled" in text(browser), "a cancelled run")
    step("a run is cancelled by clicking", True)


def boards(cluster, browser):
    browser.get(cluster.url)
    create(browser, "boards", 8)
    wait(lambda: "92 boards" in text(browser), "92 boards")
    click(browser, "Look at the boards")
    wait(lambda: "Board 1 of 92" in text(browser), "the first board")
    click(browser, "Next")
    wait(lambda: "Board 2 of 92" in text(browser), "the second board")
    step("a board has its queens", len(browser.find_elements(By.CSS_SELECTOR, "svg.board use")) == 8)
    screenshots(browser, "board")
    step("the page of a board is accessible", not serious(browser))
    click(browser, "Last")
    wait(lambda: "8 4 1 3 6 2 7 5" in text(browser), "the last board")
    step("boards are paged", not browser.find_elements(By.CSS_SELECTOR, "a[rel=next]"))


def answer(cluster, browser):
    browser.get(cluster.url)
    create(browser, "count", 12)
    wait(lambda: "14,200" in text(browser), "Q(12)")
    step("an answer is compared with the published one", "agrees with the published value" in text(browser))
    screenshots(browser, "answer", views=["light"])


def by_keyboard(browser):
    """Reaches the form of the home page with the Tab key alone, past everything that is live."""
    body = browser.find_element(By.TAG_NAME, "body")
    body.send_keys(Keys.TAB)
    step("the first stop skips to the content", "Skip" in browser.switch_to.active_element.text)
    for _ in range(60):
        if browser.switch_to.active_element.get_attribute("name") == "n":
            return step("the form is reached by keyboard", True)
        browser.switch_to.active_element.send_keys(Keys.TAB)
    step("the form is reached by keyboard", False)


def quiet(cluster, browser):
    """No errors on the console but those of the lost connection, and no request to anywhere else."""
    errors = [
        entry["message"]
        for entry in browser.get_log("browser")
        if entry["level"] == "SEVERE" and "ERR_CONNECTION_REFUSED" not in entry["message"]
        and "ERR_INCOMPLETE_CHUNKED_ENCODING" not in entry["message"] and "ERR_CONNECTION_RESET" not in entry["message"]
    ]
    step(f"no errors on the console {errors}", not errors)
    asked = set()
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            asked.add(message["params"]["request"]["url"])
    elsewhere = [url for url in asked if not url.startswith((cluster.url, "data:", "chrome"))]
    step(f"no request to anywhere else {elsewhere}", asked and not elsewhere)


def without_javascript(cluster):
    browser = start_browser(javascript=False)
    try:
        browser.get(cluster.url)
        shown = text(browser)
        step("runs and workers show without JavaScript", "Count 20" in shown and "worker-a" in shown)
        step("JavaScript is off indeed", "Without JavaScript" in shown)
        run = create(browser, "count", 9)
        end = time.monotonic() + PATIENCE_S
        while "Q(9) = 352" not in text(browser) and time.monotonic() < end:
            time.sleep(0.3)
            browser.refresh()
        step(f"run {run} is created and answered without JavaScript", "Q(9) = 352" in text(browser))
    finally:
        browser.quit()


def serious(browser):
    """Returns what axe finds that is serious or critical, in both colour schemes."""
    found = []
    for scheme in ["light", "dark"]:
        colours(browser, scheme)
        browser.execute_script(AXE)
        results = browser.execute_async_script("axe.run().then(arguments[arguments.length - 1])")
        for violation in results["violations"]:
            if violation["impact"] in ("serious", "critical"):
                nodes = [node["html"][:200] for node in violation["nodes"][:3]]
                found.append((scheme, violation["id"], violation["help"], nodes))
    colours(browser, "light")
    for finding in found:
        print("  axe:", finding)
    return found


def screenshots(browser, name, views=("light", "dark", "phone")):
    if not SCREENSHOTS:
        return
    for view in views:
        width = 390 if view == "phone" else 1200
        colours(browser, "dark" if view == "dark" else "light")
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": view == "phone"}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        time.sleep(0.5)
        wide = browser.execute_script("return document.documentElement.scrollWidth")
        step(f"{name} fits a width of {width}", wide <= width)
        browser.save_screenshot(os.path.join(SCREENSHOTS, f"{name}-{view}.png"))
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    colours(browser, "light")


def colours(browser, scheme):
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def mark(browser):
    """Marks the document, so that a reload can be told from a change."""
    browser.execute_script("window.marked = true")


def marked(browser):
    return browser.execute_script("return window.marked === true")


def share(browser):
    return float(fresh(lambda: browser.find_element(By.CSS_SELECTOR, ".big progress").get_attribute("value")))


def text(browser):
    return fresh(lambda: browser.find_element(By.TAG_NAME, "body").text)


def fresh(look):
    """Looks again when the page renewed itself between finding an element and using it."""
    end = time.monotonic() + PATIENCE_S
    while True:
        try:
            return look()
        except StaleElementReferenceException:
            if time.monotonic() > end:
                raise


def click(browser, words):
    wait(lambda: fresh(lambda: clicked(browser, words)), f"something to click that says {words!r}")


def clicked(browser, words):
    for element in browser.find_elements(By.CSS_SELECTOR, "button, a.button"):
        if element.text == words:
            element.click()
            return True
    return False


def wait(ready, what):
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        if ready():
            return
        time.sleep(0.1)
    raise SystemExit(f"never came: {what}")


def step(what, good):
    if not good:
        raise SystemExit(f"not so: {what}")
    print("ok:", what)


if __name__ == "__main__":
    main(sys.argv[1])
