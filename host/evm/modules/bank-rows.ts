import { keccak_256 } from '@noble/hashes/sha3.js'
import { bigintToBytes, concatBytes } from '../../base/bytes.ts'
import { NATIVE_WEI } from '../chain-types/generated/chain-precompile.ts'
import type { Genesis, GenesisDenomination } from '../chain-types/genesis.ts'
import type { KeyWrite, ModuleWrites } from '../state/changeset.ts'
import { textRows } from './row-text.ts'

/** Rows as defined in assembly/module/denomination.ts. */
const PREFIX = { name: 1, metadata: 2, supply: 3, pointer: 4, balance: 5, count: 6 } as const
const FIELD = { denomination: 0, name: 1, symbol: 2, decimals: 3 } as const

const encoder = new TextEncoder()

function keyOf(prefix: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const key = new Uint8Array(32)
  key.set(concatBytes([Uint8Array.of(prefix), ...parts]))
  return key
}

function number(value: bigint | number): Uint8Array {
  return bigintToBytes(BigInt(value), 32)
}

function four(value: number): Uint8Array {
  return bigintToBytes(BigInt(value), 4)
}

function denominationRows(denomination: GenesisDenomination, id: number): KeyWrite[] {
  const { name, symbol, decimals, pointer, balances } = denomination
  const field = (which: number) => keyOf(PREFIX.metadata, four(id), Uint8Array.of(which))
  const hash = keccak_256(encoder.encode(denomination.denomination))
  const supply = balances.reduce((sum, { amount }) => sum + amount, 0n)
  return [
    { key: keyOf(PREFIX.name, hash.subarray(0, 31)), value: number(id) },
    ...textRows(field(FIELD.denomination), denomination.denomination),
    ...textRows(field(FIELD.name), name),
    ...textRows(field(FIELD.symbol), symbol),
    ...(decimals === 0 ? [] : [{ key: field(FIELD.decimals), value: number(decimals) }]),
    ...(supply === 0n ? [] : [{ key: keyOf(PREFIX.supply, four(id)), value: number(supply) }]),
    ...(pointer === undefined
      ? []
      : [
          {
            key: keyOf(PREFIX.pointer, four(id)),
            value: concatBytes([new Uint8Array(12), pointer]),
          },
        ]),
    ...balances
      .filter(({ amount }) => amount > 0n)
      .map(({ address, amount }) => ({
        key: keyOf(PREFIX.balance, address, four(id)),
        value: number(amount),
      })),
  ]
}

/**
 * Returns bank's rows at genesis: the native denomination's supply, and everything of the others, numbered from 1 by
 * name.
 */
export function bankWrites({ accounts, denominations = [] }: Genesis): ModuleWrites {
  const wei = accounts.reduce((sum, { balance }) => sum + balance, 0n)
  const native = wei / NATIVE_WEI
  const rows = denominations.flatMap((denomination, i) => denominationRows(denomination, i + 1))
  if (native > 0n) rows.push({ key: keyOf(PREFIX.supply, four(0)), value: number(native) })
  if (denominations.length > 0) {
    rows.push({ key: keyOf(PREFIX.count), value: number(denominations.length) })
  }
  return { module: 'bank', writes: rows }
}
