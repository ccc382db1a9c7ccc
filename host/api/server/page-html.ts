import { createHash } from 'node:crypto'
import { lookup } from '../../base/lookup.ts'

// Pages for clients of this machine: HTML of lists and tables, without a script.

const LINE = 'light-dark(#c9ced6, #3b4554)'
const TEXT = 'light-dark(#17202b, #e7ecf3)'
const DIM = 'light-dark(#4c5867, #aab5c4)'
const PAGE = 'light-dark(#fff, #12171e)'
const HEAD = 'light-dark(#f0f3f7, #1c242e)'

const STYLE = `
:root { color-scheme: light dark }
body { margin: 0 auto; max-width: 72rem; padding: 1rem; background: ${PAGE}; color: ${TEXT};
  font: 1rem/1.5 system-ui, sans-serif }
h1 { font-size: 1.5rem; margin: 0.5rem 0 }
h2 { font-size: 1.15rem; margin: 1.5rem 0 0.5rem }
p, dt { color: ${DIM}; margin: 0 }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1rem; margin: 0 }
dd { margin: 0; overflow-wrap: anywhere }
.frame { overflow-x: auto; border: 1px solid ${LINE}; border-radius: 0.4rem }
.frame:focus-visible { outline: 2px solid currentColor }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem }
th, td { padding: 0.4rem 0.7rem; text-align: left; white-space: nowrap; border-bottom: 1px solid ${LINE} }
tr:last-child td { border-bottom: 0 }
th { background: ${HEAD} }
.prose { white-space: normal; min-width: 24rem; overflow-wrap: anywhere }
.number { text-align: right; font-variant-numeric: tabular-nums }
code { font: 0.85em ui-monospace, monospace }
@media (max-width: 36rem) { dl { grid-template-columns: 1fr } dd { margin-bottom: 0.4rem } }
`

/** The page loads nothing and runs nothing, so text from strangers, such as a path, stays text. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; ` +
    // An empty icon: otherwise browsers request one.
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => lookup(ENTITIES, character) as string)
}

export interface Cell {
  readonly text: string
  /** `prose` is wrapped text of any length. */
  readonly kind?: 'number' | 'code' | 'prose'
}

function cellOf({ text, kind }: Cell): string {
  const escaped = escapeHtml(text)
  if (kind === undefined) return `<td>${escaped}</td>`
  return kind === 'code'
    ? `<td><code>${escaped}</code></td>`
    : `<td class="${kind}">${escaped}</td>`
}

/** @param title HTML, already escaped */
export function htmlTable(
  id: string,
  title: string,
  head: readonly (readonly [string, 'number'?])[],
  rows: readonly (readonly Cell[])[],
): string {
  const heading = `<h2 id="${id}">${title}</h2>`
  if (rows.length === 0) return `${heading}<p>Nothing yet.</p>`
  const cells = head.map(
    ([name, kind]) => `<th scope="col"${kind === undefined ? '' : ' class="number"'}>${name}</th>`,
  )
  const lines = rows.map((row) => `<tr>${row.map(cellOf).join('')}</tr>`)
  return (
    // Keyboard users can also scroll a table that is wider than the page.
    `${heading}<div class="frame" role="region" aria-labelledby="${id}" tabindex="0"><table>` +
    `<thead><tr>${cells.join('')}</tr></thead><tbody>${lines.join('')}</tbody></table></div>`
  )
}

/** Renders names (HTML) with their values (plain text). */
export function htmlList(rows: readonly (readonly [string, string])[]): string {
  return `<dl>${rows.map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`).join('')}</dl>`
}

/** Renders a whole page. @param parts HTML */
export function htmlPage(title: string, parts: readonly string[]): string {
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>` +
    `<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><style>${STYLE}</style></head>` +
    `<body><main><h1>${title}</h1>${parts.join('')}</main></body></html>`
  )
}
