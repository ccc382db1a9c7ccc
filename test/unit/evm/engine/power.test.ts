import { expect, test } from 'vitest'
import { bigintToBytes, bytesToBigint, concatBytes } from '../../../../host/base/bytes.ts'
import { answerFrom } from '../../../../host/evm/state/answer.ts'
import { assemble } from '../../../support/engine/bytecode.ts'
import {
  engineInBlock,
  executed,
  stateWith,
  transaction,
} from '../../../support/engine/engine-fixture.ts'
import { makeRandom, runSeed } from '../../../support/random.ts'

const SEED = runSeed()
const MODULUS = 1n << 256n
const EDGES = [0n, 1n, 2n, 3n, 10n, 255n, 256n, (1n << 64n) - 1n, 1n << 64n, MODULUS - 1n]

/** EXP of the two words of the input. */
const CODE = assemble(
  ...[32, 'CALLDATALOAD', 0, 'CALLDATALOAD', 'EXP'],
  ...[0, 'MSTORE', 32, 0, 'RETURN'],
)

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  let square = base
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * square) % MODULUS
    square = (square * square) % MODULUS
  }
  return result
}

test('EXP gives the power modulo 2^256 (yellow paper, H.2)', async () => {
  const engine = await engineInBlock({ baseFee: 0n }, {})
  const random = makeRandom(SEED)
  const word = () => {
    if (random() < 0.2) return EDGES[Math.floor(random() * EDGES.length)] as bigint
    const bytes = Uint8Array.from({ length: 32 }, () => Math.floor(random() * 256))
    return bytesToBigint(bytes) >> BigInt(Math.floor(random() * 256))
  }
  const pairs = EDGES.flatMap((base) => EDGES.map((exponent) => [base, exponent] as const))
  for (let i = 0; i < 200; i++) pairs.push([word(), word()])
  const state = stateWith(CODE)
  for (const [base, exponent] of pairs) {
    const data = concatBytes([bigintToBytes(base, 32), bigintToBytes(exponent, 32)])
    const input = transaction({ data, maxFeePerGas: 0n })
    const { output } = executed(answerFrom(engine.transact(input, { discard: true }), state))
    expect(bytesToBigint(output), `${base} ** ${exponent}, seed ${SEED}`).toBe(
      power(base, exponent),
    )
  }
})
