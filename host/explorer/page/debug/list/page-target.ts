/** Returns the row that a key leads to; undefined for other keys. `page` is the number of visible rows. */
export function pageTarget(
  key: string,
  active: number | undefined,
  { rows, page }: { readonly rows: number; readonly page: number },
): number | undefined {
  const target = plainTarget(key, active ?? -1, rows, page)
  if (target === undefined || rows === 0) return undefined
  return Math.max(0, Math.min(rows - 1, target))
}

function plainTarget(key: string, active: number, rows: number, page: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return active + 1
    case 'ArrowUp':
      return active - 1
    case 'PageDown':
      return active + page
    case 'PageUp':
      return active - page
    case 'Home':
      return 0
    case 'End':
      return rows - 1
    default:
      return undefined
  }
}
