import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { bigintToBytes } from '../../host/base/bytes.ts'
import { parseData } from '../../host/base/hex.ts'
import { REVISIONS, type Revision } from '../../host/chain-types/revision.ts'
import { decodeTransaction } from '../../host/chain-types/transaction-codec.ts'
import { type Engine, loadEngine } from '../../host/engine/engine.ts'
import { answerFrom } from '../../host/state/answer.ts'
import { CallTracer } from '../../host/trace/call-tracer.ts'
import { nobleRecovery } from '../support/noble-recovery.ts'
import { TestState } from '../support/test-state.ts'

interface Account {
  readonly balance: string
  readonly nonce?: string
  readonly code?: string
  readonly storage?: Readonly<Record<string, string>>
}

/** A case of geth's eth/tracers/internal/tracetest. */
interface TracerTest {
  readonly genesis: {
    readonly alloc: Readonly<Record<string, Account>>
    readonly config: Readonly<Record<string, number | boolean | object>>
  }
  readonly context: Readonly<Record<string, string>>
  readonly input: string
  readonly tracerConfig?: { readonly onlyTopCall?: boolean; readonly withLog?: boolean }
  readonly result: unknown
}

/** Names of the forks in geth's chain configuration, by number or by time. */
const FORKS: Readonly<Partial<Record<Revision, string>>> = {
  Homestead: 'homesteadBlock',
  TangerineWhistle: 'eip150Block',
  SpuriousDragon: 'eip158Block',
  Byzantium: 'byzantiumBlock',
  Constantinople: 'constantinopleBlock',
  Petersburg: 'petersburgBlock',
  Istanbul: 'istanbulBlock',
  Berlin: 'berlinBlock',
  London: 'londonBlock',
  Shanghai: 'shanghaiTime',
  Cancun: 'cancunTime',
  Prague: 'pragueTime',
  Osaka: 'osakaTime',
}

function revisionAt({ genesis, context }: TracerTest): Revision {
  // geth reads the names without regard to case, and one file counts on it.
  const config = new Map(
    Object.entries(genesis.config).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const reached = (revision: Revision) => {
    const key = FORKS[revision] ?? ''
    const since = config.get(key.toLowerCase())
    const now = Number(key.endsWith('Time') ? context.timestamp : context.number)
    return typeof since === 'number' && since <= now
  }
  return REVISIONS.findLast(reached) ?? 'Frontier'
}

const word = (text: string) => bigintToBytes(BigInt(text), 32)

function stateOf({ genesis }: TracerTest): TestState {
  const state = new TestState(nobleRecovery.keccak256)
  for (const [key, account] of Object.entries(genesis.alloc)) {
    const address = parseData(key.startsWith('0x') ? key : `0x${key}`)
    const { nonce = '0', balance, code = '0x', storage = {} } = account
    state.setAccount(address, BigInt(nonce), BigInt(balance), parseData(code))
    for (const [slot, value] of Object.entries(storage)) {
      state.setStorage(address, word(slot), word(value))
    }
  }
  return state
}

function trace(engine: Engine, one: TracerTest): unknown {
  const { context, genesis, tracerConfig } = one
  engine.beginBlock({
    revision: revisionAt(one),
    chainId: BigInt(Number(genesis.config.chainId)),
    number: Number(context.number),
    timestamp: Number(context.timestamp),
    gasLimit: BigInt(context.gasLimit as string),
    baseFee: BigInt(context.baseFeePerGas ?? 0),
    coinbase: parseData(context.miner as string),
    prevRandao: word(context.difficulty ?? '0'),
    blobBaseFee: 1n,
    burnBaseFee: true,
  })
  const transaction = decodeTransaction(parseData(one.input), nobleRecovery)
  const tracer = new CallTracer({ onlyTopCall: false, withLog: false, ...tracerConfig })
  const outcome = answerFrom(engine.transact(transaction, { trace: tracer }), stateOf(one))
  if (outcome.kind === 'rejected') throw new Error(`refused: ${outcome.code}`)
  return tracer.finish(transaction.gas, outcome.gasUsed)
}

/** Without the block-wide index of a log, which the contract's frame does not have. */
function withoutLogIndex(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, member) => (key === 'index' ? undefined : member)))
}

const root = process.env.LOCKSTEP_VECTORS

describe.each(['call_tracer', 'call_tracer_withLog'])('%s of geth', (name) => {
  const folder = join(root ?? '', 'tracers/geth/eth/tracers/internal/tracetest/testdata', name)
  const files = root !== undefined && existsSync(folder) ? readdirSync(folder) : []
  let engine: Engine

  beforeAll(async () => {
    const wasm = new URL('../../build/engine.wasm', import.meta.url)
    engine = await loadEngine(readFileSync(wasm))
  })

  test.skipIf(root !== undefined)('needs LOCKSTEP_VECTORS to name a folder', ({ skip }) => skip())

  test.each(files)('%s', (file) => {
    const one = JSON.parse(readFileSync(join(folder, file), 'utf8')) as TracerTest
    expect(trace(engine, one)).toEqual(withoutLogIndex(one.result))
  })
})
