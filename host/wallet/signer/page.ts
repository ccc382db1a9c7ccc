import type { Body } from './body.ts'
import type { PageBounds } from './signer-store.ts'

const MOST_LISTED = 100

/** Returns cursor and limit of a validated query. */
export function readPage({ cursor, limit }: Body): PageBounds {
  return {
    cursor: cursor as string | undefined,
    limit: (limit as number | undefined) ?? MOST_LISTED,
  }
}

/** Returns a page. `rows` has one row more than the limit if another page follows. */
export function pageAnswer(rows: readonly { readonly id: string }[], limit: number): unknown {
  const data = rows.slice(0, limit)
  return { data, next_cursor: rows.length > limit ? (data.at(-1)?.id ?? null) : null }
}
