/** Returns a text as a cell, with bars and angle brackets escaped. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
}

/** Returns the lines of a Markdown table. In a cell with `code` marks, angle brackets in the code are not escaped. */
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

/** Texts between code marks have odd indices in a cell split at the marks. */
function part(text: string, index: number): string {
  return index % 2 === 1 ? text.replaceAll('|', '\\|') : cell(text)
}
