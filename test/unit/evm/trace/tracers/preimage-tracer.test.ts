import { keccak_256 } from '@noble/hashes/sha3.js'
import { expect, test } from 'vitest'
import { formatData } from '../../../../../host/base/hex.ts'
import { answerFrom } from '../../../../../host/evm/state/answer.ts'
import { openTracer, tracerName } from '../../../../../host/evm/trace/tracers/tracer-table.ts'
import { assemble } from '../../../../support/engine/bytecode.ts'
import {
  BLOCK,
  engineInBlock,
  executed,
  stateWith,
  transaction,
} from '../../../../support/engine/engine-fixture.ts'
import { requestOf } from '../../../../support/trace/tracer-request.ts'

const engine = await engineInBlock({ baseFee: 0n })

/** Returns what keccak256PreimageTracer reports for a call of the code. */
async function preimagesOf(code: Uint8Array, gas = 100_000n): Promise<unknown> {
  const { request, result } = requestOf()
  const tracer = await openTracer('keccak256PreimageTracer', request, keccak_256)
  engine.beginBlock({ ...BLOCK, baseFee: 0n })
  const run = engine.transact(transaction({ type: 0, gas }), { trace: tracer.sink })
  tracer.finish(executed(answerFrom(run, stateWith(code))))
  return result()
}

const byHash = (...preimages: Uint8Array[]) =>
  Object.fromEntries(preimages.map((one) => [formatData(keccak_256(one)), formatData(one)]))

test('keccak256PreimageTracer returns each hashed input once, by its hash', async () => {
  const word = new Uint8Array(32).fill(0)
  word[31] = 42
  const hash = (size: number, offset: number) => [size, offset, 'KECCAK256', 'POP']
  const code = assemble(
    42,
    0,
    'MSTORE',
    ...hash(32, 0),
    ...hash(32, 0),
    ...hash(0, 0),
    ...hash(2, 31),
  )
  expect(await preimagesOf(code)).toEqual(byHash(word, new Uint8Array(0), Uint8Array.of(42, 0)))
})

test('keccak256PreimageTracer returns an empty object without hashes or with missing operands', async () => {
  expect(await preimagesOf(assemble(1, 'POP'))).toEqual({})
  expect(await preimagesOf(assemble(1, 'KECCAK256'))).toEqual({})
})

test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
  'a name that every object inherits is not a tracer: %s',
  async (name) => {
    expect(() => tracerName(name)).toThrow(`tracer "${name}" is not available`)
    const config = JSON.parse(`{ ${JSON.stringify(name)}: {} }`)
    const { request } = requestOf(config)
    await expect(openTracer('muxTracer', request, keccak_256)).rejects.toThrow(
      `tracer "${name}" is not available`,
    )
  },
)
