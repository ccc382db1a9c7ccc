import { secp256k1 } from '@noble/curves/secp256k1.js'
import { expect, test } from 'vitest'
import { concatBytes, equalBytes } from '../../../../host/base/bytes.ts'
import { formatData } from '../../../../host/base/hex.ts'
import type { TransactionInput } from '../../../../host/evm/engine/message.ts'
import type {
  AccountEvent,
  EnterEvent,
  TraceEvent,
} from '../../../../host/evm/engine/trace-event.ts'
import { answerFrom } from '../../../../host/evm/state/answer.ts'
import type { StateView } from '../../../../host/evm/state/view.ts'
import { assemble } from '../../../support/engine/bytecode.ts'
import {
  CONTRACT,
  engineInBlock,
  executed,
  stateWith,
  transaction,
} from '../../../support/engine/engine-fixture.ts'

const COUNT = 1200

/** Returns the events of a transaction to CONTRACT, which must succeed. */
async function eventsOf(
  view: StateView,
  fields: Partial<TransactionInput>,
  wantsState = false,
): Promise<readonly TraceEvent[]> {
  const engine = await engineInBlock({ revision: 'Prague' })
  const events: TraceEvent[] = []
  const run = engine.transact(transaction(fields), {
    trace: { wantsState, onEvent: (event) => void events.push(event) },
  })
  expect(executed(answerFrom(run, view)).error).toBeUndefined()
  return events
}

function isEnter(event: TraceEvent): event is EnterEvent {
  return event.kind === 'enter'
}

// 1200 logs of 4000 bytes exceed the megabyte of the trace buffer before anything else pauses the run.
test('the logs of a single frame never overrun the trace buffer', async () => {
  const code = concatBytes(Array.from({ length: COUNT }, () => assemble(4000, 0, 'LOG0')))
  const events = await eventsOf(stateWith(code), { gas: 60_000_000n })
  const logs = events.filter(({ kind }) => kind === 'log')
  expect(logs).toHaveLength(COUNT)
  expect(logs.every((log) => log.kind === 'log' && log.data.length === 4000)).toBe(true)
  expect(events.map(({ kind }) => kind).filter((kind) => kind !== 'log')).toEqual(['enter', 'exit'])
})

// CONTRACT has 5 wei, so the creation is refused and the frame continues.
test('the refused creations of a single frame never overrun the trace buffer', async () => {
  const refused = assemble(4096, 0, 6, 'CREATE', 'POP')
  const copied = assemble(4096, 0, 0, 'CODECOPY')
  const code = concatBytes([copied, ...Array.from({ length: 400 }, () => refused)])
  const initcode = concatBytes([code, new Uint8Array(4096 - code.length)])
  const events = await eventsOf(stateWith(code), { gas: 20_000_000n })
  const creations = events.filter(isEnter).slice(1)
  expect(creations).toHaveLength(400)
  expect(creations.every(({ input }) => equalBytes(input, initcode))).toBe(true)
  const failures = events.flatMap((event) => (event.kind === 'exit' ? [event.error] : []))
  expect(new Set(failures.slice(0, 400))).toEqual(new Set(['insufficient balance for transfer']))
  expect(failures).toHaveLength(401)
})

test('the input of a refused call is read before its caller overwrites it', async () => {
  const size = 8192
  const refused = assemble(0, 0, size, 0, 6, 0x1234, 'GAS', 'CALL')
  const events = await eventsOf(stateWith(concatBytes([refused, assemble(1, 0, 'MSTORE')])), {})
  const [, call] = events.filter(isEnter)
  expect(call?.input).toEqual(new Uint8Array(size))
})

// Any r that is the x of a point gives an authority. Each has the 4000 bytes of CONTRACT's code.
test('the authorities of a transaction never overrun the trace buffer', async () => {
  const count = 400
  const code = new Uint8Array(4000).fill(0x5b)
  const state = stateWith(code)
  const view: StateView = {
    account: (address) => state.account(address) ?? state.account(CONTRACT),
    storage: () => undefined,
    code: (codeHash) => state.code(codeHash),
    blockHash: () => undefined,
  }
  const authorizations = Array.from({ length: count }, (_, i) => ({
    chainId: 1n,
    address: CONTRACT,
    nonce: 0n,
    yParity: 0n,
    r: secp256k1.Point.BASE.multiply(BigInt(i + 1)).toAffine().x,
    s: 1n,
  }))
  const events = await eventsOf(view, { type: 4, gas: 20_000_000n, authorizations }, true)
  const looked = events.filter((event): event is AccountEvent => event.kind === 'account')
  for (const phase of ['before', 'after']) {
    const accounts = looked.filter((account) => account.phase === phase)
    // The sender, the coinbase and CONTRACT as well
    expect(new Set(accounts.map(({ address }) => formatData(address))).size).toBe(count + 3)
    expect(accounts.filter((account) => equalBytes(account.code, code))).toHaveLength(count + 2)
  }
})
