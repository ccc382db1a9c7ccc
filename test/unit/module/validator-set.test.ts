import { describe, expect, test } from 'vitest'
import { bigintToBytes, bytesKey, concatBytes } from '../../../host/base/bytes.ts'
import {
  fieldKey,
  JAIL,
  lastValue,
  TOTAL,
  totalKey,
  VALIDATOR_FIELD,
} from '../../../host/evm/modules/staking-rows.ts'
import { MAX_VOTING_VALIDATORS, ValidatorSet } from '../../../host/evm/modules/validator-set.ts'
import { makeRandom, runSeed } from '../../support/random.ts'

const seed = runSeed()
const MILLION = 1_000_000n
/** CometBFT's `MaxTotalVotingPower`. */
const HIGHEST_TOTAL = (2n ** 63n - 1n) / 8n

interface Model {
  tokens: bigint
  jail: number
}

/** Rows of validators, and the validator set of consensus. */
class Rows {
  readonly #rows = new Map<string, Uint8Array>()
  readonly told = new Map<number, number>()
  readonly read = (key: Uint8Array) => this.#rows.get(bytesKey(key))

  set(key: Uint8Array, value: Uint8Array): Uint8Array {
    this.#rows.set(bytesKey(key), value)
    return key
  }

  /** @returns keys of the written rows */
  write(id: number, { tokens, jail }: Model): Uint8Array[] {
    const operator = new Uint8Array(32)
    operator[31] = jail
    return [
      this.set(fieldKey(id, VALIDATOR_FIELD.operator), operator),
      this.set(fieldKey(id, VALIDATOR_FIELD.consensusKey), lastValue(bigintToBytes(BigInt(id), 4))),
      this.set(
        fieldKey(id, VALIDATOR_FIELD.pool),
        concatBytes([bigintToBytes(tokens, 16), new Uint8Array(16)]),
      ),
    ]
  }

  count(count: number): void {
    this.set(totalKey(TOTAL.validators), lastValue(bigintToBytes(BigInt(count), 8)))
  }

  /** Ends a block as CometBFT does: a change without effect or an empty set is a fault. */
  end(set: ValidatorSet, written: readonly Uint8Array[]): void {
    const change = set.change(written, this.read)
    const ids = change.updates.map(({ publicKey }) => new DataView(publicKey.buffer).getUint32(28))
    expect(ids).toEqual([...ids].sort((a, b) => a - b))
    for (const [i, { power }] of change.updates.entries()) {
      const id = ids[i] as number
      expect(power).not.toBe(this.told.get(id) ?? 0)
      if (power === 0) this.told.delete(id)
      else this.told.set(id, power)
    }
    const total = [...this.told.values()].reduce((sum, power) => sum + BigInt(power), 0n)
    expect(total <= HIGHEST_TOTAL).toBe(true)
    for (const { key, value } of change.rows) this.set(key, value)
    set.accept(change)
  }
}

/** Reference implementation: returns the validators that should vote. */
function voters(models: readonly Model[]): Map<number, number> {
  const able = models
    .map(({ tokens, jail }, i) => {
      const power = jail === 0 ? Number(tokens / MILLION) : 0
      return [i + 1, Math.min(power, Number.MAX_SAFE_INTEGER)] as const
    })
    .filter(([, power]) => power > 0)
    .sort(([a, one], [b, other]) => other - one || a - b)
  return new Map(able.slice(0, MAX_VOTING_VALIDATORS))
}

describe(`the validator set contains the hundred with the most power (LOCKSTEP_SEED=${seed})`, () => {
  test.each([3, 99, 130])('out of up to %i validators', (most) => {
    const random = makeRandom(seed + most)
    const below = (limit: number) => Math.floor(random() * limit)
    const rows = new Rows()
    const models: Model[] = []
    let set = new ValidatorSet(rows.read)
    for (let block = 0; block < 400; block++) {
      const written: Uint8Array[] = []
      const add = (id: number, model: Model) => {
        models[id - 1] = model
        written.push(...rows.write(id, model))
      }
      const tokens = () => {
        if (below(40) === 0) return 2n ** 127n
        return BigInt(below(12)) * MILLION + BigInt(below(3) * 999_999)
      }
      for (let i = below(4); i > 0; i--) {
        if (models.length < most && below(2) === 0)
          add(models.length + 1, { tokens: tokens(), jail: JAIL.free })
        else if (models.length > 0)
          add(1 + below(models.length), { tokens: tokens(), jail: below(3) === 0 ? 1 : 0 })
      }
      // Occasionally no validator is left that can vote.
      if (below(60) === 0)
        for (const [i, model] of models.entries()) add(i + 1, { ...model, jail: 1 })
      rows.count(models.length)
      const before = new Map(rows.told)
      rows.end(set, written)
      const wanted = voters(models)
      expect(rows.told).toEqual(wanted.size === 0 ? before : wanted)
      if (below(20) === 0) set = new ValidatorSet(rows.read)
    }
  })
})
