import type { Hex } from '../../../../base/hex.ts'

/** Editable fields of the block. */
export const BLOCK_FIELDS = [
  'number',
  'timestamp',
  'baseFee',
  'gasLimit',
  'coinbase',
  'prevRandao',
  'blobBaseFee',
] as const
export type BlockField = (typeof BLOCK_FIELDS)[number]

/** A change to a transaction that is run again. */
export type Change =
  | { readonly kind: 'data'; readonly data: Hex }
  | { readonly kind: 'value'; readonly wei: bigint }
  | { readonly kind: 'from'; readonly address: Hex }
  | { readonly kind: 'gas'; readonly gas: bigint }
  | { readonly kind: 'slot'; readonly address: Hex; readonly slot: Hex; readonly value: Hex }
  | { readonly kind: 'balance'; readonly address: Hex; readonly wei: bigint }
  | { readonly kind: 'code'; readonly address: Hex; readonly code: Hex }
  /** A number, or the 20 or 32 bytes of `coinbase` and `prevRandao` as one. */
  | { readonly kind: 'block'; readonly field: BlockField; readonly value: bigint }

/** Returns the subject of a change: the last change of a subject wins. */
export function subjectOf(change: Change): string {
  switch (change.kind) {
    case 'slot':
      return `slot ${BigInt(change.slot)} of ${change.address}`
    case 'balance':
    case 'code':
      return `${change.kind} of ${change.address}`
    case 'block':
      return `block ${change.field}`
    default:
      return change.kind
  }
}

/** Adds a change, replacing one of the same subject. */
export function withChange(changes: readonly Change[], change: Change): readonly Change[] {
  return [...withoutChange(changes, subjectOf(change)), change]
}

export function withoutChange(changes: readonly Change[], subject: string): readonly Change[] {
  return changes.filter((each) => subjectOf(each) !== subject)
}

/** Describes a change. */
export function describeChange(change: Change): string {
  switch (change.kind) {
    case 'data':
      return `calldata of ${(change.data.length - 2) / 2} bytes: ${change.data}`
    case 'value':
      return `value ${change.wei} wei`
    case 'from':
      return `sender ${change.address}`
    case 'gas':
      return `gas ${change.gas}`
    case 'slot':
      return `slot 0x${BigInt(change.slot).toString(16)} of ${change.address} is 0x${BigInt(change.value).toString(16)}`
    case 'balance':
      return `balance of ${change.address} is ${change.wei} wei`
    case 'code':
      return `code of ${change.address}: ${(change.code.length - 2) / 2} bytes`
    case 'block':
      return `block.${change.field} is ${formatBlockValue(change.field, change.value)}`
  }
}

/** Hex digits of the fields that are bytes. */
const BYTE_FIELDS: Partial<Record<BlockField, number>> = { coinbase: 40, prevRandao: 64 }

export function formatBlockValue(field: BlockField, value: bigint): string {
  const digits = BYTE_FIELDS[field]
  return digits === undefined ? `${value}` : `0x${value.toString(16).padStart(digits, '0')}`
}
