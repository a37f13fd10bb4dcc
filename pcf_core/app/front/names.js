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
  for (const change of ["pushState", "replaceState"]) {
    window.history[change] = (state, unused, url) =>
      History.prototype[change].call(window.history, state, unused, withNames(url));
  }
  return () => {
    for (const change of ["pushState", "replaceState"]) delete window.history[change];
  };
}
