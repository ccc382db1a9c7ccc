import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bigintToBytes } from '../../host/base/bytes.ts'
import { formatData, formatQuantity, type Hex } from '../../host/base/hex.ts'
import { decodeRlp, encodeRlp } from '../../host/base/rlp.ts'
import { BLOCK_HASH_COUNT } from '../../host/evm/state/view.ts'
import { blockHash } from './lockstep.ts'
import { assembleProgram } from './program.ts'
import type { Scenario } from './scenario.ts'

/** What a block of a scenario results in, by either machine. */
export interface BlockResult {
  readonly stateRoot: Hex
  readonly receiptsRoot: Hex
  readonly gasUsed: Hex
  readonly blockAccessListHash: Hex
  readonly requestsHash: Hex
  /** Positions of the transactions that the block cannot contain. */
  readonly rejected: readonly number[]
}

/** Contracts that the protocol calls, as the block needs them. */
export const SYSTEM_CODES: Readonly<Record<Hex, Hex>> = JSON.parse(
  readFileSync(new URL('../clients/peer/system-contracts.json', import.meta.url), 'utf8'),
)

export const BEACON_ROOT: Uint8Array = bigintToBytes(0xbeac04n, 32)

const word = (value: bigint) => formatData(bigintToBytes(value, 32))

function allocOf({ accounts }: Scenario): object {
  const alloc: Record<string, object> = {}
  for (const [address, code] of Object.entries(SYSTEM_CODES)) {
    alloc[address] = { nonce: '0x1', balance: '0x0', code }
  }
  for (const { address, nonce, balance, program, storage } of accounts) {
    alloc[formatData(address)] = {
      nonce: formatQuantity(nonce),
      balance: formatQuantity(balance),
      code: formatData(assembleProgram(program)),
      storage: Object.fromEntries(storage.map(([slot, value]) => [word(slot), word(value)])),
    }
  }
  return alloc
}

function envOf({ env }: Scenario): object {
  const before = Array.from({ length: BLOCK_HASH_COUNT }, (_, i) => env.number - 1 - i)
  return {
    currentCoinbase: formatData(env.coinbase),
    currentDifficulty: '0x0',
    currentRandom: formatData(env.prevRandao),
    currentGasLimit: formatQuantity(env.gasLimit),
    currentNumber: formatQuantity(env.number),
    currentTimestamp: formatQuantity(BigInt(env.timestamp)),
    currentBaseFee: formatQuantity(env.baseFee),
    currentExcessBlobGas: '0x0',
    parentBeaconBlockRoot: formatData(BEACON_ROOT),
    slotNumber: Number(env.slotNumber),
    blockHashes: Object.fromEntries(
      before.map((number) => [number, formatData(blockHash(number))]),
    ),
    withdrawals: [],
  }
}

/** A typed transaction is a string of bytes in the list of a block, another one a list (EIP-2718). */
const listed = (raw: Uint8Array) => ((raw[0] as number) > 0x7f ? decodeRlp(raw) : raw)

/** Runs transactions as one block of Amsterdam with `evm t8n` of geth at `evm`. */
export function runGethBlock(
  evm: string,
  scenario: Scenario,
  transactions: readonly Uint8Array[],
): BlockResult {
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-t8n-'))
  const write = (name: string, value: unknown) => {
    const path = join(folder, name)
    writeFileSync(path, JSON.stringify(value))
    return path
  }
  try {
    const output = execFileSync(
      evm,
      [
        ...['t8n', '--state.fork', 'Amsterdam', '--state.reward', '-1'],
        ...['--input.alloc', write('alloc.json', allocOf(scenario))],
        ...['--input.env', write('env.json', envOf(scenario))],
        ...['--input.txs', write('txs.rlp', formatData(encodeRlp(transactions.map(listed))))],
        ...['--output.result', 'stdout', '--output.alloc', '', '--output.basedir', folder],
      ],
      { stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 },
    )
    const { result } = JSON.parse(output.toString())
    return {
      stateRoot: result.stateRoot,
      receiptsRoot: result.receiptsRoot,
      gasUsed: result.gasUsed,
      blockAccessListHash: result.blockAccessListHash,
      requestsHash: result.requestsHash,
      rejected: (result.rejected ?? []).map(({ index }: { index: number }) => index),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
