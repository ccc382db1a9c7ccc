/** A text as a cell: neither its bars nor its angle brackets are Markdown's. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
}

/** A table in Markdown, line by line. In a cell of `code` marks, angle brackets are left as they are. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [
    line(head),
    `|${'---|'.repeat(head.length)}`,
    ...rows.map((row) => line(row.map((text) => text.split('`').map(part).join('`')))),
  ]
}

/** The texts between code marks are at odd places of a cell split at them. */
function part(text: string, index: number): string {
  return index % 2 === 1 ? text.replaceAll('|', '\\|') : cell(text)
}
