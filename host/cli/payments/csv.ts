/** What a spreadsheet takes a cell that begins so for: a formula. */
const FORMULA = /^[=+\-@\t\r]/

/**
 * A row of RFC 4180. A text that a spreadsheet would run has an apostrophe before it, which spreadsheets do not show:
 * paths and queries are what payers make of them.
 */
export function csvRow(cells: readonly (string | number | boolean | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

function csvCell(value: string | number | boolean | null): string {
  if (value === null) return ''
  const text = String(value)
  const inert = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}
