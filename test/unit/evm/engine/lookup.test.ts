import { keccak_256 } from '@noble/hashes/sha3.js'
import { expect, test } from 'vitest'
import { bigintToBytes, concatBytes } from '../../../../host/base/bytes.ts'
import { formatData } from '../../../../host/base/hex.ts'
import { createAddress } from '../../../../host/evm/chain-types/address.ts'
import type { TraceEvent } from '../../../../host/evm/engine/trace-event.ts'
import { answerFrom } from '../../../../host/evm/state/answer.ts'
import { assemble } from '../../../support/engine/bytecode.ts'
import {
  address,
  COINBASE,
  CONTRACT,
  engineInBlock,
  executed,
  SENDER,
  stateWith,
  transaction,
} from '../../../support/engine/engine-fixture.ts'

const word = (value: number): Uint8Array => bigintToBytes(BigInt(value), 32)

/** Returns the trace events of each transaction of one block; each calls `code`. */
async function eventsOf(
  code: Uint8Array,
  inputs: readonly Uint8Array[],
): Promise<readonly (readonly TraceEvent[])[]> {
  const engine = await engineInBlock()
  const state = stateWith(code)
  return inputs.map((data, i) => {
    const events: TraceEvent[] = []
    const run = engine.transact(transaction({ nonce: BigInt(i), data }), {
      trace: { wantsState: true, onEvent: (event) => void events.push(event) },
    })
    expect(executed(answerFrom(run, state)).error).toBeUndefined()
    return events
  })
}

/** Formats one line per account or slot, in the order of the records. */
function describeState(events: readonly TraceEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.kind === 'account') return [`${event.phase} ${formatData(event.address)}`]
    if (event.kind !== 'slot') return []
    return [
      `${event.phase} slot ${Number(formatData(event.key))} = ${Number(formatData(event.value))}`,
    ]
  })
}

test('each transaction of a block records its own state reads, before and after', async () => {
  // Adds one to the slot in the first word, and reads the balance of that address
  const argument = assemble(0, 'CALLDATALOAD')
  const code = concatBytes([
    assemble(1, argument, 'SLOAD', 'ADD', argument, 'SSTORE'),
    assemble(argument, 'BALANCE', 'POP'),
  ])
  const records = await eventsOf(code, [word(1), word(2), word(1)])
  const [sender, coinbase, contract] = [SENDER, COINBASE, CONTRACT].map(formatData)
  expect(records.map(describeState)).toEqual(
    [
      { key: 1, before: 0, after: 1 },
      { key: 2, before: 0, after: 1 },
      { key: 1, before: 1, after: 2 },
    ].map(({ key, before, after }) => {
      const other = formatData(address(key))
      return [
        ...[sender, coinbase, contract].map((account) => `before ${account}`),
        `before slot ${key} = ${before}`,
        `before ${other}`,
        ...[other, contract, coinbase, sender].map((account) => `after ${account}`),
        `after slot ${key} = ${after}`,
      ]
    }),
  )
})

test.each([
  ['CREATE', [], createAddress(CONTRACT, 1n, keccak_256)],
  [
    'CREATE2',
    [9],
    keccak_256(
      concatBytes([Uint8Array.of(0xff), CONTRACT, word(9), keccak_256(new Uint8Array())]),
    ).slice(12),
  ],
])(
  'a refused %s shows the address that it would have created, and reads it',
  async (opcode, salt, created) => {
    // CONTRACT has 5 wei
    const [events = []] = await eventsOf(assemble(...salt, 0, 0, 6, opcode), [new Uint8Array()])
    const enter = events.find((event) => event.kind === 'enter' && event.depth === 1)
    expect(enter?.kind === 'enter' && formatData(enter.to)).toBe(formatData(created))
    expect(describeState(events)).toContain(`before ${formatData(created)}`)
  },
)
