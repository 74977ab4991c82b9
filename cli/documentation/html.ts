// Documentation as one page that needs nothing else: no network, no second file. Search works on the page's own text; without scripts everything is shown.
import type { DocEntry } from "../../compiler/index.ts";
import type { Documentation, DocumentedFile } from "../commands/doc.ts";

export function renderPage({ title, files }: Documentation): string {
  const shown = files.filter(({ entries }) => entries.length > 0);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API — ${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>API — ${escapeHtml(title)}</h1>
<input id="search" type="search" placeholder="Search names and text (press /)" aria-label="Search" autocomplete="off">
<p id="count" role="status"></p>
</header>
<nav aria-label="Contents"><ul>${shown.map(contentsOf).join("")}</ul></nav>
<main>
${shown.map(sectionOf).join("\n")}
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

function contentsOf({ heading }: DocumentedFile): string {
  return `<li><a href="#${anchor(heading)}">${escapeHtml(heading)}</a></li>`;
}

function sectionOf({ heading, entries }: DocumentedFile): string {
  return `<section id="${anchor(heading)}"><h2>${escapeHtml(heading)}</h2>\n${entries.map(entryOf).join("\n")}\n</section>`;
}

function entryOf({ kind, name, signature, doc, members }: DocEntry): string {
  const text = doc === "" ? "" : `<div class="doc">${paragraphs(doc)}</div>`;
  const list = members
    .map(
      (member) =>
        `<li><code>${escapeHtml(member.signature)}</code>${member.doc === "" ? "" : ` — ${escapeHtml(member.doc.replaceAll("\n", " "))}`}</li>`,
    )
    .join("");
  return `<article id="${anchor(name)}"><h3><a href="#${anchor(name)}">${escapeHtml(name)}</a> <small>${kind}</small></h3>
<pre><code>${escapeHtml(signature)}</code></pre>
${text}${list === "" ? "" : `<ul>${list}</ul>`}</article>`;
}

/** Doc text: paragraphs, and fenced blocks as they are. */
function paragraphs(doc: string): string {
  return doc
    .split(/^```.*$/m)
    .map((part, position) => (position % 2 === 1 ? `<pre><code>${escapeHtml(part.trim())}</code></pre>` : prose(part)))
    .join("");
}

function prose(part: string): string {
  return part
    .split(/\n\s*\n/)
    .filter((paragraph) => paragraph.trim() !== "")
    .map((paragraph) => `<p>${escapeHtml(paragraph.trim()).replace(/`([^`]+)`/g, "<code>$1</code>")}</p>`)
    .join("");
}

function anchor(name: string): string {
  return encodeURIComponent(name.replaceAll("::", ".").replaceAll(" ", "-")).replaceAll("'", "%27");
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8882; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 0 1rem 4rem; font: 16px/1.5 system-ui, sans-serif; }
header { position: sticky; top: 0; padding: .5rem 0; background: Canvas; border-bottom: 1px solid var(--line); }
h1 { margin: 0 0 .5rem; font-size: 1.3rem; }
#search { width: 100%; padding: .5rem; font: inherit; }
#count { margin: .25rem 0 0; font-size: .85rem; min-height: 1.3em; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem .75rem; padding: 0; list-style: none; }
section, article { scroll-margin-top: 8rem; }
article { border-top: 1px solid var(--line); padding: .5rem 0; overflow-wrap: anywhere; }
h3 { margin: .25rem 0; } h3 a { color: inherit; text-decoration: none; } small { font-weight: normal; opacity: .7; }
pre { margin: .5rem 0; padding: .5rem; background: var(--soft); white-space: pre-wrap; }
code { font-family: ui-monospace, monospace; font-size: .92em; }
[hidden] { display: none; }`;

const SCRIPT = `
const search = document.getElementById("search"), count = document.getElementById("count");
const articles = [...document.querySelectorAll("article")].map((node) => ({ node, text: node.textContent.toLowerCase() }));
function filter() {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let found = 0;
  for (const { node, text } of articles) {
    node.hidden = !words.every((word) => text.includes(word));
    if (!node.hidden) found++;
  }
  for (const section of document.querySelectorAll("section")) section.hidden = !section.querySelector("article:not([hidden])");
  count.textContent = words.length === 0 ? "" : found + " of " + articles.length;
}
search.addEventListener("input", filter);
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== search) { event.preventDefault(); search.focus(); }
  if (event.key === "Escape") { search.value = ""; filter(); }
});
filter();`;
