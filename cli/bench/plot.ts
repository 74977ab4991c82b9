// A picture of samples and history: one SVG, alone or in a page.
import type { HistoryEntry } from "./baseline.ts";

export interface PlottedBenchmark {
  readonly name: string;
  readonly key: string;
  /** Nanoseconds a call. */
  readonly samples: readonly number[];
  readonly median: number;
  /** Of the run that it is compared with. */
  readonly before: readonly number[];
}

const WIDTH = 900;
const LABEL = 10;
const LEFT = 20;
const RIGHT = 880;
const ROW = 190;
const SAMPLES_TOP = 40;
const SAMPLES_HEIGHT = 50;
const HISTORY_TOP = 110;
const HISTORY_HEIGHT = 60;

/** The text of the file: a page when its name ends in `.html`, else the picture alone. */
export function plotFile(
  file: string,
  benchmarks: readonly PlottedBenchmark[],
  history: readonly HistoryEntry[],
): string {
  const picture = plot(benchmarks, history);
  if (!/\.html?$/i.test(file)) return `<?xml version="1.0" encoding="UTF-8"?>\n${picture}`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>hale bench</title>
<style>body { margin: 1rem; } svg { max-width: 100%; height: auto; }</style>
${picture}</html>
`;
}

function plot(benchmarks: readonly PlottedBenchmark[], history: readonly HistoryEntry[]): string {
  const height = Math.max(1, benchmarks.length) * ROW;
  const rows = benchmarks.map((benchmark, index) => row(benchmark, history, index * ROW)).join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="12">
<rect width="${WIDTH}" height="${height}" fill="white"/>
${rows}</svg>
`;
}

function row(
  { name, key, samples, median, before }: PlottedBenchmark,
  history: readonly HistoryEntry[],
  top: number,
): string {
  const all = [...samples, ...before];
  const scale = scaleOf(all);
  const marks = [
    ...before.map((value, index) => dot(scale(value), top + SAMPLES_TOP + 30 + jitter(index), "#999")),
    ...samples.map((value, index) => dot(scale(value), top + SAMPLES_TOP + 8 + jitter(index), "#0366d6")),
  ];
  const low = Math.min(...all);
  const high = Math.max(...all);
  return `<g>
<text x="${LABEL}" y="${top + 18}" font-weight="bold">${escaped(name)}</text>
<text x="${RIGHT}" y="${top + 18}" text-anchor="end">median ${number(median)} ns/op, ${samples.length} samples${before.length > 0 ? "; the baseline's in grey" : ""}</text>
${marks.join("\n")}
<line x1="${scale(median)}" x2="${scale(median)}" y1="${top + SAMPLES_TOP}" y2="${top + SAMPLES_TOP + 20}" stroke="#d73a49" stroke-width="2"/>
<line x1="${LEFT}" x2="${RIGHT}" y1="${top + SAMPLES_TOP + SAMPLES_HEIGHT}" y2="${top + SAMPLES_TOP + SAMPLES_HEIGHT}" stroke="#ccc"/>
<text x="${LEFT}" y="${top + SAMPLES_TOP + SAMPLES_HEIGHT + 13}">${number(low)}</text>
<text x="${RIGHT}" y="${top + SAMPLES_TOP + SAMPLES_HEIGHT + 13}" text-anchor="end">${number(high)}</text>
${historyLine(key, history, top)}</g>
`;
}

/** Medians of earlier runs, the latest at the right. */
function historyLine(key: string, history: readonly HistoryEntry[], top: number): string {
  const points = history.flatMap(({ at, medians }) =>
    medians[key] === undefined ? [] : [{ at, median: medians[key] }],
  );
  if (points.length < 2) return "";
  const highest = Math.max(...points.map(({ median }) => median));
  const coordinates = points.map(({ median, at }, index) => {
    const x = LEFT + ((RIGHT - LEFT) * index) / (points.length - 1);
    const y = top + HISTORY_TOP + HISTORY_HEIGHT * (1 - median / highest);
    return { x, y, title: `${at}: ${number(median)} ns/op` };
  });
  const line = coordinates.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
  const dots = coordinates.map(
    ({ x, y, title }) =>
      `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="3" fill="#28a745"><title>${escaped(title)}</title></circle>`,
  );
  return `<polyline points="${line}" fill="none" stroke="#28a745"/>\n${dots.join("\n")}\n`;
}

/** From nanoseconds to pixels; a single value stands in the middle. */
function scaleOf(values: readonly number[]): (value: number) => number {
  const low = Math.min(...values);
  const width = Math.max(...values) - low;
  return (value) => Math.round((LEFT + (width === 0 ? 0.5 : (value - low) / width) * (RIGHT - LEFT)) * 10) / 10;
}

function dot(x: number, y: number, colour: string): string {
  return `<circle cx="${x}" cy="${y}" r="2.5" fill="${colour}" fill-opacity="0.5"/>`;
}

/** Points beside each other do not hide each other. */
function jitter(index: number): number {
  return (index * 7) % 12;
}

function number(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}
