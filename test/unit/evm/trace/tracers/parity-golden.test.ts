import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { describe, expect, test } from 'vitest'
import { nobleRecovery } from '../../../../../host/evm/chain-types/noble-recovery.ts'
import { decodeTransaction } from '../../../../../host/evm/chain-types/transaction-codec.ts'
import { answerFrom } from '../../../../../host/evm/state/answer.ts'
import { ChunkedJsonWriter } from '../../../../../host/evm/trace/json-writer.ts'
import type { TracerConfig } from '../../../../../host/evm/trace/tracer.ts'
import { openTracer } from '../../../../../host/evm/trace/tracers/tracer-table.ts'
import {
  type FixtureState,
  parseBytes,
  parseNumber,
  parseWord,
} from '../../../../conformance/fixture.ts'
import { blockOf, type TracerTest } from '../../../../conformance/tracer-golden.ts'
import { TestState } from '../../../../support/chain/test-state.ts'
import { engineInBlock, executed } from '../../../../support/engine/engine-fixture.ts'
import {
  comparableSteps,
  type PrestateDiff,
  type Replay,
  type StructLog,
  stateDiffOf,
  type Trace,
  withoutPlace,
  withoutRootGas,
} from '../../../../support/trace/parity-forms.ts'

// geth's golden transactions of flatCallTracer and prestateTracer, from mainnet and test networks. Compares Parity's
// format with these two tracers, which the conformance run checks against the files, and with the struct logger.

const ROOT = join(
  process.env.LOCKSTEP_VECTORS ?? '',
  'tracers/geth/eth/tracers/internal/tracetest/testdata',
)
const FOLDERS = ['call_tracer_flat', 'prestate_tracer_with_diff_mode']
/** Files with several megabytes of steps. */
const LARGE = /slow|deep/
/** Error of frames that geth shows for calls that never started. Parity omits them. */
const NEVER_BEGUN = 'insufficient balance for transfer'

function stateOf(allocation: FixtureState): TestState {
  const state = new TestState(keccak_256)
  for (const [text, { nonce = '', balance = '', code = '', storage = {} }] of Object.entries(
    allocation,
  )) {
    const address = parseBytes(text)
    state.setAccount(address, parseNumber(nonce), parseNumber(balance), parseBytes(code))
    for (const [slot, value] of Object.entries(storage)) {
      state.setStorage(address, parseWord(slot), parseWord(value))
    }
  }
  return state
}

const engine = await engineInBlock()

async function trace<Result>(golden: TracerTest, name: string, config: TracerConfig = {}) {
  const env = blockOf(golden)
  const input = decodeTransaction(parseBytes(golden.input), nobleRecovery)
  const view = stateOf(golden.genesis.alloc)
  engine.beginBlock(env)
  const chunks: Uint8Array[] = []
  const writer = new ChunkedJsonWriter((chunk) => void chunks.push(chunk))
  const message = { input, env, gasPrice: input.maxFeePerGas }
  const limits = { structLogBytes: 1 << 30 }
  const tracer = await openTracer(name, { message, config, limits, view, writer }, keccak_256)
  tracer.finish(executed(answerFrom(engine.transact(input, { trace: tracer.sink }), view)))
  writer.flush()
  return JSON.parse(Buffer.concat(chunks).toString()) as Result
}

/** Parity has a null result for SELFDESTRUCT; geth omits it. */
const shown = (frame: Trace): object => ({ result: null, ...withoutRootGas(withoutPlace(frame)) })

describe.skipIf(!existsSync(ROOT)).each(FOLDERS)('the transactions of %s', (folder) => {
  const names = existsSync(ROOT) ? readdirSync(join(ROOT, folder)) : []
  test.each(names.filter((name) => !LARGE.test(name)))('%s', async (name) => {
    const golden: TracerTest = JSON.parse(readFileSync(join(ROOT, folder, name), 'utf8'))
    const options = { convertParityErrors: true }
    const flat = await trace<Trace[]>(golden, 'flatCallTracer', options)
    const list = await trace<Trace[]>(golden, 'parityListTracer')
    const refused = flat.filter(({ error }) => error === NEVER_BEGUN)
    if (refused.length === 0) expect(list.map(shown)).toEqual(flat.map(shown))
    else expect(list).toHaveLength(flat.length - refused.length)
    const replay = await trace<Replay>(golden, 'parityTracer')
    expect(replay.trace).toEqual(list.map(withoutPlace))
    const diff = await trace<PrestateDiff>(golden, 'prestateTracer', { diffMode: true })
    expect(replay.stateDiff).toEqual(stateDiffOf(diff))
    const { structLogs } = await trace<{ structLogs: StructLog[] }>(golden, 'opcodeTracer')
    const [ops, steps] = comparableSteps(replay, structLogs)
    expect(ops).toEqual(steps)
  })
})
