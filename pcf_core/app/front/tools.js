// Each page, and each use of it, is one step in the browser's history.  Streamlit also adds a step for every later
// correction of the address; until somebody uses the page again, a correction here replaces the address instead.  In a slow browser the
// correction of a page that a link opens comes before the page itself, and would be a step of the page that is
// left, so it is held back until then.
const pageSteps = () => {
  const push = History.prototype.pushState;
  let isNew = true;  // whether nobody has used the page since the last step
  let isLeft = false, held = null;  // whether a link to another page was clicked, and the address meant for it
  const here = () => window.location.pathname;
  History.prototype.pushState = function (state, unused, url) {
    const address = url ? new URL(url, window.location.href) : null;
    const isSamePage = !address || address.pathname === here();
    if (isSamePage && isLeft) {
      held = address ?? held;
      return undefined;
    }
    if (isSamePage && isNew) return History.prototype.replaceState.call(this, state, unused, url);
    isNew = true;
    if (!isSamePage) {
      if (held) address.search = held.search;
      isLeft = false;
      held = null;
    }
    return push.call(this, state, unused, address?.href ?? url);
  };
  for (const event of ["pointerdown", "keydown", "popstate"])
    window.addEventListener(event, () => { isNew = false; }, true);
  window.addEventListener("popstate", () => { isLeft = false; held = null; }, true);
  window.addEventListener("click", (event) => {  // not on a download, which leaves the page open
    const link = event.target.closest?.('a[data-testid="stPageLink-NavLink"], a[data-testid^="stTopNav"]');
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (link && isPlain && link.pathname !== here()) [isLeft, held] = [true, null];
  }, true);
};
if (!window.pcfPageSteps) pageSteps();
window.pcfPageSteps = true;

export default function ({ parentElement, data }) {
  const button = parentElement.querySelector("button"), said = parentElement.querySelector("span");
  button.onclick = async () => {
    const link = window.location.href;
    try {
      await navigator.clipboard.writeText(link);
      said.textContent = "Copied.";
    } catch {  // a page without https may not write there
      window.prompt("Copy this link:", link);
    }
    window.setTimeout(() => { said.textContent = ""; }, 3000);
  };
  const press = (event) => {
    const place = { ArrowLeft: "before", PageUp: "before", ArrowRight: "next", PageDown: "next" }[event.key];
    const typing = event.target.closest?.("input, textarea, select, [role=combobox], [role=grid], canvas");
    if (place && !typing) document.querySelector(`.st-key-present_${place} a`)?.click();
    const presented = document.querySelector(".st-key-present_before, .st-key-present_next");
    if (event.key === "Escape" && presented) document.querySelector(".st-key-present input")?.click();
  };
  // Menus of topics say which have results.  An option's own text is what names.js and the server know it by.
  const marks = data?.topics ?? {};
  const markTopics = () => {
    const options = [...document.querySelectorAll('[role="listbox"] [role="option"]')];
    const are_topics = options.length > 0 && options.every((option) => option.textContent in marks);
    for (const option of options) {
      const text = are_topics ? marks[option.textContent] : undefined;
      if (text === undefined) delete option.dataset.results;
      else if (option.dataset.results !== text) option.dataset.results = text;
    }
  };
  const observer = new MutationObserver(markTopics);
  observer.observe(document.body, { childList: true, subtree: true });
  document.addEventListener("keydown", press);
  return () => {
    observer.disconnect();
    document.removeEventListener("keydown", press);
  };
}
