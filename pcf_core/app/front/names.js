// Menus show titles, and the address has names.  Streamlit writes what a menu shows into the address.
export default function ({ data }) {
  const names = data?.names ?? {};
  const nameOf = (key, value) =>
    Object.hasOwn(names, key) && Object.hasOwn(names[key], value) ? names[key][value] : value;
  const withNames = (url) => {
    if (!url) return url;
    const address = new URL(url, window.location.href);
    const before = [...address.searchParams], after = before.map(([key, value]) => [key, nameOf(key, value)]);
    if (after.every(([, value], index) => value === before[index][1])) return url;
    address.search = new URLSearchParams(after);
    return address.href;
  };
  const changes = ["pushState", "replaceState"].map((name) => [name, (state, unused, url) =>
    History.prototype[name].call(window.history, state, unused, withNames(url))]);
  for (const [name, change] of changes) window.history[name] = change;
  return () => {  // the next page's may be there already
    for (const [name, change] of changes) if (window.history[name] === change) delete window.history[name];
  };
}
