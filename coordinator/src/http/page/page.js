// Keeps a page live. The server sends the changing part of the page rendered anew; here it is laid over the old one
// node by node, so that focus, selection and open details stay where they are.

const RETRY_MS = 1000;

const where = document.body.dataset.live;
if (where) listen(where);

function listen(where) {
  const events = new EventSource(where);
  events.addEventListener("page", (event) => {
    lost(false);
    show(event.data);
    if (event.lastEventId === "final") events.close();
  });
  events.onerror = () => {
    lost(true);
    // After an answer that is no stream of events the browser gives up by itself.
    if (events.readyState === EventSource.CLOSED) setTimeout(() => listen(where), RETRY_MS);
  };
}

function lost(isLost) {
  document.getElementById("lost").hidden = !isLost;
}

function show(text) {
  const live = document.getElementById("live");
  const template = document.createElement("template");
  template.innerHTML = text;
  const fresh = template.content.getElementById("live");
  morph(live, fresh);
  document.title = `${live.dataset.title} · nqueens`;
}

function morph(old, fresh) {
  if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName) {
    old.replaceWith(fresh);
  } else if (old.nodeType === Node.ELEMENT_NODE) {
    morphAttributes(old, fresh);
    morphChildren(old, fresh);
  } else if (old.data !== fresh.data) {
    old.data = fresh.data;
  }
}

function morphAttributes(old, fresh) {
  for (const { name } of [...old.attributes]) {
    // Whether details are open is the reader's affair.
    if (name !== "open" && !fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
}

function morphChildren(old, fresh) {
  let at = old.firstChild;
  for (const child of [...fresh.childNodes]) {
    const known = child.id && [...old.children].find((element) => element.id === child.id);
    if (known && known !== at) old.insertBefore(known, at);
    const match = known || (child.id || at?.id ? null : at);
    if (match) {
      at = match.nextSibling;
      morph(match, child);
    } else {
      old.insertBefore(child, at);
    }
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}
