import fc from 'fast-check'
import type { KeyWrite } from '../../../../host/evm/state/changeset.ts'
import { account, type BlockChanges, codeHashOf } from './chain/block-records.ts'

export const ACCOUNTS = 4
export const SLOTS = 3
export const KEYS = ['\0', '\0\0', '\0\x01', 'a', 'a\0', 'ab', 'b', '\xff'].map((key) =>
  Uint8Array.from(Buffer.from(key, 'latin1')),
)
export const MODULES = ['bank', 'staking']
export const CODES: readonly Uint8Array[] = [
  Uint8Array.of(0),
  Uint8Array.of(1, 2, 3),
  new Uint8Array(300).fill(7),
]

const numbers = (below: number): fc.Arbitrary<number[]> =>
  fc.uniqueArray(fc.nat(below - 1), { maxLength: below })

const keyWrites: fc.Arbitrary<KeyWrite[]> = fc
  .uniqueArray(
    fc.tuple(
      fc.nat(KEYS.length - 1),
      fc.option(fc.uint8Array({ maxLength: 4 }), { nil: undefined }),
    ),
    { maxLength: 5, selector: ([key]) => key },
  )
  .map((writes) => writes.map(([key, value]) => ({ key: KEYS[key] as Uint8Array, value })))

const block: fc.Arbitrary<BlockChanges> = fc.record({
  accounts: fc.uniqueArray(
    fc.tuple(
      fc.nat(ACCOUNTS - 1),
      fc.option(
        fc
          .tuple(fc.nat(3), fc.nat(3), fc.option(fc.nat(CODES.length - 1), { nil: undefined }))
          .map(([nonce, balance, code]) =>
            account(
              nonce,
              balance,
              code === undefined ? code : codeHashOf(CODES[code] as Uint8Array),
            ),
          ),
        { nil: undefined },
      ),
    ),
    { maxLength: ACCOUNTS, selector: ([n]) => n },
  ),
  cleared: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: numbers(ACCOUNTS) },
  ),
  storage: fc.uniqueArray(fc.tuple(fc.nat(ACCOUNTS - 1), fc.nat(SLOTS - 1), fc.nat(3)), {
    maxLength: 6,
    selector: ([n, s]) => n * SLOTS + s,
  }),
  legacy: keyWrites,
  modules: fc
    .uniqueArray(fc.tuple(fc.nat(1), keyWrites), { maxLength: 2, selector: ([module]) => module })
    .map((modules) =>
      modules.map(([module, writes]) => ({ module: MODULES[module] as string, writes })),
    ),
})

/** The first block deploys all code, so that any later account may refer to it. */
export const chain = fc
  .array(block, { minLength: 3, maxLength: 14 })
  .map((blocks) => blocks.map((changes, i) => (i === 0 ? { ...changes, codes: CODES } : changes)))
