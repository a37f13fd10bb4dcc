export default function ({ parentElement }) {
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
  document.addEventListener("keydown", press);
  return () => document.removeEventListener("keydown", press);
}
