import type { Body } from './body.ts'
import type { Page } from './signer-store.ts'

const MOST_LISTED = 100

/** As the shape of a page has it. */
export function readPage({ cursor, limit }: Body): Page {
  return {
    cursor: cursor as string | undefined,
    limit: (limit as number | undefined) ?? MOST_LISTED,
  }
}

/** A page, of which one more was read to learn whether another follows. */
export function pageOf(rows: readonly { readonly id: string }[], limit: number): unknown {
  const data = rows.slice(0, limit)
  return { data, next_cursor: rows.length > limit ? (data.at(-1)?.id ?? null) : null }
}
