// Keys for reading; every one of them is also a link on the page.
"use strict";
document.documentElement.classList.add("keyed");
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  if (event.isComposing || event.keyCode === 229 || event.defaultPrevented) return;
  const target = event.target;
  if (target instanceof HTMLElement && (target.isContentEditable || target.closest("input, select, textarea"))) return;
  const open = (selector) => {
    const link = document.querySelector(selector);
    if (!link) return;
    event.preventDefault();
    link.click();
  };
  const rows = Array.from(document.querySelectorAll("a.row"));
  const move = (step) => {
    const at = rows.indexOf(document.activeElement);
    const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : at + step;
    if (next < 0 || next >= rows.length) return;
    event.preventDefault();
    rows[next].focus();
    rows[next].scrollIntoView({ block: "nearest" });
  };
  switch (event.key) {
    case "n": return open("a[rel=next]");
    case "p": return open("a[rel=prev]");
    case "u": return open("a.up");
    case "j": return rows.length ? move(1) : open("a[rel=next]");
    case "k": return rows.length ? move(-1) : open("a[rel=prev]");
  }
});
