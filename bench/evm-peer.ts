import { bigintToBytes } from '../host/base/bytes.ts'
import type { Hex } from '../host/base/hex.ts'

/** A contract, its call input, and the expected output. */
export interface ContractCase {
  readonly name: string
  readonly runtime: Hex
  readonly storage: Readonly<Record<string, string>>
  readonly calldata: Hex
  readonly gas: number
  readonly out: Hex
}

/** Gas of every call: more than any case takes; anvil's block limit is as high. */
export const CALL_GAS = 1_000_000_000n

/** An EVM under measurement: `load` deploys a case's contract, `call` runs it. */
export interface Peer {
  readonly name: string
  load(row: ContractCase): Promise<void>
  call(row: ContractCase): Promise<Hex>
  /** Repeats the call for at least `least` milliseconds, timed by the peer itself, in a process of its own. */
  timeCall?(row: ContractCase, least: number): Promise<{ readonly ms: number; readonly out: Hex }>
  stop(): Promise<void>
}

/** Returns the slots of a case as 32-byte keys and values. */
export function slotsOf(row: ContractCase): [Uint8Array, Uint8Array][] {
  return Object.entries(row.storage).map(([slot, value]) => [
    bigintToBytes(BigInt(slot), 32),
    bigintToBytes(BigInt(value), 32),
  ])
}
