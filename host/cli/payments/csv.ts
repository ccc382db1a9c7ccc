/** First characters that make a spreadsheet treat a cell as a formula. */
const FORMULA = /^[=+\-@\t\r]/

/**
 * Returns a row of RFC 4180. Payers choose paths and queries, so a text that a spreadsheet would run as a formula
 * gets a leading apostrophe, which spreadsheets hide.
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
