import type { EngineMemory } from './memory.ts'

/** A value that a message of the block has left (EIP-7928). `index` is that of the message in the access list. */
export type BlockChange = { readonly index: number; readonly address: Uint8Array } & (
  | { readonly kind: 'storage'; readonly slot: Uint8Array; readonly value: Uint8Array }
  | { readonly kind: 'balance'; readonly balance: Uint8Array }
  | { readonly kind: 'nonce'; readonly nonce: bigint }
  | { readonly kind: 'code'; readonly code: Uint8Array }
)

/** What the messages of a block have accessed and changed. */
export interface BlockAccesses {
  readonly accounts: readonly Uint8Array[]
  readonly slots: readonly (readonly [address: Uint8Array, slot: Uint8Array])[]
  readonly changes: readonly BlockChange[]
}

const ACCOUNT_ROW = 20
const SLOT_ROW = 52
const CHANGE_ROW = 96

/** Kinds of changes by number (assembly/evm/state/access-list.ts). */
const STORAGE = 0
const BALANCE = 1
const NONCE = 2

function readChange(memory: EngineMemory, row: number): BlockChange {
  const kind = memory.u32(row)
  const change = { index: memory.u32(row + 4), address: memory.copy(row + 8, 20) }
  const value = row + 64
  if (kind === STORAGE) {
    return {
      ...change,
      kind: 'storage',
      slot: memory.copy(row + 32, 32),
      value: memory.copy(value, 32),
    }
  }
  if (kind === BALANCE) return { ...change, kind: 'balance', balance: memory.copy(value, 32) }
  if (kind === NONCE) {
    const nonce = new DataView(memory.copy(value + 24, 8).buffer).getBigUint64(0)
    return { ...change, kind: 'nonce', nonce }
  }
  return { ...change, kind: 'code', code: memory.copy(memory.u32(value), memory.u32(value + 4)) }
}

/** Returns the accesses in the tables at `header` (assembly/evm/state/access-list.ts). */
export function readBlockAccesses(memory: EngineMemory, header: number): BlockAccesses {
  const rows = <Row>(table: number, size: number, read: (row: number) => Row): Row[] =>
    Array.from({ length: memory.u32(header + table + 4) }, (_, i) =>
      read(memory.u32(header + table) + i * size),
    )
  return {
    accounts: rows(0, ACCOUNT_ROW, (row) => memory.copy(row, 20)),
    slots: rows(8, SLOT_ROW, (row) => [memory.copy(row, 20), memory.copy(row + 20, 32)] as const),
    changes: rows(16, CHANGE_ROW, (row) => readChange(memory, row)),
  }
}
