import { formatData, type Hex } from '../../../base/hex.ts'
import type { BundleStateRead } from './state-read.ts'

/** A read of unknown state by a changed transaction: it was taken to be empty. */
export type AssumedRead =
  | { readonly kind: 'account'; readonly address: Hex }
  | { readonly kind: 'storage'; readonly address: Hex; readonly slot: Hex }
  | { readonly kind: 'code'; readonly codeHash: Hex }
  | { readonly kind: 'blockHash'; readonly number: number }

/** @internal */
export function assumedRead(read: BundleStateRead): AssumedRead {
  const { kind } = read
  switch (kind) {
    case 'account':
      return { kind, address: formatData(read.address) }
    case 'storage':
      return { kind, address: formatData(read.address), slot: formatData(read.slot) }
    case 'code':
      return { kind, codeHash: formatData(read.codeHash) }
    case 'blockHash':
      return { kind, number: read.number }
  }
}
