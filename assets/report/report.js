"use strict";
/* Draws every figure of the page in the colours of the page's theme, and again when the theme changes. */
(function () {
  /* plotly.js writes a few styles as attributes, which the policy forbids; the object model it allows */
  const setAttribute = Element.prototype.setAttribute;
  Element.prototype.setAttribute = function (name, value) {
    if (name === "style") { this.style.cssText = value; } else { setAttribute.call(this, name, value); }
  };

  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  /* under a finger plotly.js takes each swipe for a zoom, and its buttons, over the first marks, never go away */
  const touched = window.matchMedia("(hover: none)").matches;
  const config = {
    displaylogo: false,
    responsive: true,
    displayModeBar: touched ? false : "hover",
    /* an image of a chart would be a blob, which the policy of this page does not let in */
    modeBarButtonsToRemove: ["lasso2d", "select2d", "toImage"],
  };
  /* plotly.js takes numbers that stand for colours of a scale for colours, warns of them, and goes on */
  Plotly.setPlotConfig({ logging: 0 });
  const nodes = Array.from(document.querySelectorAll(".plot"));

  function theme() {
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue(name).trim();
    const axis = { color: color("--ink"), gridcolor: color("--grid"), linecolor: color("--line"),
      zerolinecolor: color("--line"), title: { standoff: 10 } };
    return { layout: {
      font: { color: color("--ink"), family: color("--sans"), size: 12 },
      hoverlabel: { bgcolor: color("--soft"), bordercolor: color("--line"), font: { color: color("--ink") } },
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      modebar: { bgcolor: "rgba(0,0,0,0)", color: color("--muted"), activecolor: color("--accent") },
      xaxis: axis, yaxis: axis, coloraxis: { colorbar: { outlinewidth: 0 } },
    } };
  }

  function fitted(node) {
    /* on paper a figure has the width of the page: its drawing scales, because it knows its own size */
    for (const svg of node.querySelectorAll(".main-svg")) {
      svg.setAttribute("viewBox", "0 0 " + svg.getAttribute("width") + " " + svg.getAttribute("height"));
    }
    const size = node.getBoundingClientRect();
    node.style.setProperty("--ratio", size.width + " / " + size.height);
  }

  function draw(node) {
    const figure = JSON.parse(document.getElementById(node.dataset.figure).textContent);
    const layout = Object.assign({}, figure.layout, { template: theme(), height: Number(node.dataset.height), autosize: true },
      touched ? { dragmode: false } : {});
    return Plotly.react(node, figure.data, layout, config).then(function () {
      fitted(node);
      node.on("plotly_afterplot", function () { fitted(node); });
      node.dataset.drawn = dark.matches ? "dark" : "light";
    });
  }

  function drawFrom(place) {
    if (place === nodes.length) {
      document.documentElement.dataset.drawn = String(nodes.length);
      return;
    }
    draw(nodes[place]).then(function () { setTimeout(drawFrom, 0, place + 1); });
  }

  for (const node of nodes) { node.style.setProperty("--height", node.dataset.height + "px"); }
  drawFrom(0);
  dark.addEventListener("change", function () { drawFrom(0); });
})();
