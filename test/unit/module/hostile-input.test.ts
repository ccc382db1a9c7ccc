import { keccak_256 } from '@noble/hashes/sha3.js'
import { describe, expect, test } from 'vitest'
import { bytesToBigint } from '../../../host/base/bytes.ts'
import { formatData, hexDigits } from '../../../host/base/hex.ts'
import { CHAIN_PRECOMPILES } from '../../../tools/tables/chain-precompile.ts'
import { address } from '../../support/engine/engine-fixture.ts'
import { account, callData, ModuleBench, reasonOf } from '../../support/module/module-bench.ts'
import { Signer } from '../../support/module/signer.ts'
import { makeRandom, runSeed } from '../../support/random.ts'

const SEED = runSeed()
const CALLS = 1_500

const encoder = new TextEncoder()
const FROM = address(0xf0)
const signer = new Signer('hostile')

/** Valid calls to be mutated. */
const MEANT: readonly Uint8Array[] = [
  callData('bank', 'send', [formatData(FROM), formatData(address(2)), 'uatom', 5n]),
  callData('bank', 'sendNative', [signer.bech32]),
  callData('bank', 'all_balances', [formatData(FROM)]),
  callData('bank', 'name', ['uatom']),
  callData('json', 'extractAsBytesList', [formatData(encoder.encode('{"a":["b",1,{}]}')), 'a']),
  callData('json', 'extractAsUint256', [formatData(encoder.encode('{"a":"17"}')), 'a']),
  callData('addr', 'associate', signer.sign('hostile')),
  callData('addr', 'associatePubKey', [hexDigits(signer.compressed)]),
  callData('addr', 'getEvmAddr', [signer.bech32]),
  callData('p256', 'verify', [formatData(new Uint8Array(160).fill(7))]),
]

describe(`a precompile called with random input (LOCKSTEP_SEED=${SEED})`, () => {
  test(`ends each of ${CALLS} calls with a result or a revert reason, and no wei are lost`, async () => {
    const random = makeRandom(SEED)
    const below = (limit: number) => Math.floor(random() * limit)
    const spoil = (input: Uint8Array): Uint8Array => {
      let bytes = input.slice()
      for (let times = below(4); times > 0; times--) {
        const at = below(bytes.length)
        const what = below(4)
        if (what === 0) bytes[at] = below(256)
        else if (what === 1) bytes = bytes.slice(0, at + 1)
        else if (what === 2) bytes.fill(0xff, 4 + 32 * below(6), 36 + 32 * below(6))
        else if (bytes.length > 68) bytes.set(bytes.slice(4, 36), 36)
      }
      return bytes
    }
    const wei = 10n ** 20n
    const atom = { name: 'Atom', symbol: 'ATOM', decimals: 6, denomination: 'uatom', pointer: FROM }
    const balances = [{ address: FROM, amount: 10n ** 6n }]
    const bench = await ModuleBench.open([account(FROM, wei)], [{ ...atom, balances }])
    const ended = { returned: 0, reverted: 0, outOfGas: 0 }
    for (let call = 0; call < CALLS; call++) {
      const meant = MEANT[below(MEANT.length)] as Uint8Array
      const row = CHAIN_PRECOMPILES.find(({ functions = [] }) =>
        functions.some(({ signature }) => {
          const selector = keccak_256(encoder.encode(signature)).subarray(0, 4)
          return bytesToBigint(selector) === bytesToBigint(meant.subarray(0, 4))
        }),
      )
      const data = spoil(meant)
      const to = address(row?.address ?? 0x1001)
      const gas = 21_000n + 40n * BigInt(data.length) + BigInt(below(60_000))
      const outcome = bench.run({ from: FROM, to, data, gas, value: random() < 0.3 ? 3n : 0n })
      if (outcome.error === undefined) ended.returned++
      else if (outcome.error === 'out of gas') ended.outOfGas++
      else {
        expect(outcome.error, formatData(data)).toBe('execution reverted')
        expect(reasonOf(outcome), formatData(data)).not.toBe('')
        ended.reverted++
      }
    }
    for (const count of Object.values(ended))
      expect(count, JSON.stringify(ended)).toBeGreaterThan(CALLS / 100)
    const others = [
      signer.evm,
      signer.other,
      ...CHAIN_PRECOMPILES.map((row) => address(row.address)),
    ]
    const all = [FROM, ...others].reduce((sum, who) => sum + bench.balanceOf(who), 0n)
    // A mutated address would receive wei elsewhere if its checksum still matched, which is improbable.
    expect(all).toBe(wei)
  })
})
