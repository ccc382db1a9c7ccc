import { existsSync, readFileSync } from 'node:fs'
import { bigintToBytes } from '../../../host/base/bytes.ts'
import { type Hex, parseData } from '../../../host/base/hex.ts'
import type { BlockEnv, TransactionInput } from '../../../host/evm/engine/message.ts'
import type { TestState } from '../chain/test-state.ts'
import { BLOCK, CONTRACT, stateWith, transaction } from './engine-fixture.ts'

/** A contract of the public benchmarks, and a call of it. */
export interface BenchCase {
  readonly name: string
  readonly runtime: Hex
  readonly storage: Readonly<Record<string, string>>
  readonly calldata: Hex
  /** Its output according to ethereumjs, revm and evmone. */
  readonly out: Hex
}

const path = `${process.env.LOCKSTEP_VECTORS ?? ''}/bench/cases.json`

/** The benchmark set, empty if the published vectors are absent. */
export const BENCH_CASES: readonly BenchCase[] = existsSync(path)
  ? JSON.parse(readFileSync(path, 'utf8'))
  : []

/** Messages of one block, and a function that returns a new state below it. */
export interface BlockJob {
  readonly env: BlockEnv
  readonly inputs: readonly TransactionInput[]
  readonly openState: () => TestState
}

/** Returns the call in a block in which gas is free and unlimited. */
export function benchJob(row: BenchCase): BlockJob {
  const gas = 1n << 40n
  return {
    env: { ...BLOCK, revision: 'Prague', gasLimit: gas, baseFee: 0n },
    inputs: [transaction({ gas, maxFeePerGas: 0n, data: parseData(row.calldata) })],
    openState() {
      const state = stateWith(parseData(row.runtime))
      for (const [slot, value] of Object.entries(row.storage)) {
        state.setStorage(
          CONTRACT,
          bigintToBytes(BigInt(slot), 32),
          bigintToBytes(BigInt(value), 32),
        )
      }
      return state
    },
  }
}
