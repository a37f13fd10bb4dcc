// Each page is one step in the browser's history.  Streamlit also adds a step for every later correction of the
// address; until somebody uses the page, a correction here replaces the address instead.
const pageSteps = () => {
  const push = History.prototype.pushState;
  let isNew = true;  // whether nobody has used the page yet
  History.prototype.pushState = function (state, unused, url) {
    const isSamePage = !url || new URL(url, window.location.href).pathname === window.location.pathname;
    const change = isSamePage && isNew ? History.prototype.replaceState : push;
    isNew ||= !isSamePage;
    return change.call(this, state, unused, url);
  };
  for (const event of ["pointerdown", "keydown", "popstate"])
    window.addEventListener(event, () => { isNew = false; }, true);
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
