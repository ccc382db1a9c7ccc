import { textBytes } from '../../base/writable.ts'
import { WalletError } from '../protocol/wallet-error.ts'

/** Time and id of the last transaction of a page. The next page starts before it. */
export type TransactionCursor = readonly [createdAt: number, id: string]

const NEWEST: TransactionCursor = [Number.MAX_SAFE_INTEGER, '']

/** @throws WalletError invalid_data if `parseCursor` would reject it */
export function formatCursor(createdAt: number, id: string): string {
  const cursor = Buffer.from(textBytes(`${createdAt} ${id}`, 'a cursor')).toString('base64url')
  parseCursor(cursor)
  return cursor
}

/** @throws WalletError invalid_data */
export function parseCursor(text: string | undefined): TransactionCursor {
  if (text === undefined) return NEWEST
  const [, createdAt, id] =
    /^([0-9]{1,15}) (\S{1,64})$/.exec(Buffer.from(text, 'base64url').toString()) ?? []
  if (createdAt === undefined || id === undefined) {
    throw new WalletError('invalid_data', 'cursor: pass next_cursor of the previous page')
  }
  return [Number(createdAt), id]
}
