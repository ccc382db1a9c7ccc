import { keccak_256 } from '@noble/hashes/sha3.js'
import { beforeEach, describe, expect, test } from 'vitest'
import { formatData, hexDigits } from '../../../host/base/hex.ts'
import { checksumAddress } from '../../../host/evm/chain-types/address.ts'
import { address } from '../../support/engine/engine-fixture.ts'
import { toBech32 } from '../../support/module/bech32-model.ts'
import { account, ModuleBench, reasonOf, resultOf } from '../../support/module/module-bench.ts'
import { Signer } from '../../support/module/signer.ts'

const ALICE = new Signer('alice')
const BOB = new Signer('bob')
const PAYER = address(0x9a1)

const hex = formatData
const shown = (who: Uint8Array) => checksumAddress(who, keccak_256)

let bench: ModuleBench

beforeEach(async () => {
  const accounts = [account(PAYER, 10n ** 20n), account(ALICE.other, 77n)]
  const holding = { name: 'Atom', symbol: 'ATOM', decimals: 6, pointer: undefined }
  const balances = [
    { address: ALICE.other, amount: 5n },
    { address: ALICE.evm, amount: 2n },
  ]
  bench = await ModuleBench.open(accounts, [{ ...holding, denomination: 'uatom', balances }])
})

function associate(by: Uint8Array, args: readonly string[]) {
  return bench.call(by, 'addr', 'associate', args)
}

describe('the addr precompile', () => {
  test('formats the address of the fee collector as Cosmos chains do', () => {
    const collector = Buffer.from('f1829676db577682e944fc3493d451b67ff3e29f', 'hex')
    expect(toBech32('cosmos', collector)).toBe('cosmos17xpfvakm2amg962yls6f84z3kell8c5lserqta')
  })

  test.each([0, 27])('associates the signer of a message, with v from %i on', (base) => {
    const outcome = associate(PAYER, ALICE.sign('\x19Ethereum Signed Message:\n5hello', base))
    expect(outcome.error).toBeUndefined()
    expect(resultOf('addr', 'associate', outcome.output)).toEqual([ALICE.bech32, shown(ALICE.evm)])
    expect(bench.read('addr', 'getSeiAddr', [hex(ALICE.evm)])).toBe(ALICE.bech32)
    expect(bench.read('addr', 'getEvmAddr', [ALICE.bech32])).toBe(shown(ALICE.evm))
  })

  test('moves the balances of the matching bech32 account, in every denomination', () => {
    expect(associate(PAYER, ALICE.sign('x')).error).toBeUndefined()
    expect(bench.balanceOf(ALICE.other)).toBe(0n)
    expect(bench.balanceOf(ALICE.evm)).toBe(77n)
    expect(bench.read('bank', 'balance', [hex(ALICE.evm), 'uatom'])).toBe(7n)
    expect(bench.read('bank', 'balance', [hex(ALICE.other), 'uatom'])).toBe(0n)
    // Later payments go directly to the associated account.
    bench.call(PAYER, 'bank', 'sendNative', [ALICE.bech32], { value: 5n })
    expect(bench.balanceOf(ALICE.evm)).toBe(82n)
  })

  test('sends to the bech32 account before the association, which then moves the balance', () => {
    bench.call(PAYER, 'bank', 'sendNative', [BOB.bech32], { value: 9n })
    expect(bench.balanceOf(BOB.other)).toBe(9n)
    associate(BOB.evm, BOB.sign(''))
    expect(bench.balanceOf(BOB.evm)).toBe(9n)
  })

  test('refuses a second association by either method', () => {
    expect(associate(PAYER, ALICE.sign('x')).error).toBeUndefined()
    const text = 'account already has association set'
    expect(reasonOf(associate(PAYER, ALICE.sign('y')))).toBe(text)
    const again = bench.call(PAYER, 'addr', 'associatePubKey', [hexDigits(ALICE.compressed)])
    expect(reasonOf(again)).toBe(text)
  })

  test('associates by public key, with 0x or without', () => {
    for (const [signer, given] of [
      [ALICE, hexDigits(ALICE.compressed)],
      [BOB, hex(BOB.compressed)],
    ] as const) {
      const outcome = bench.call(PAYER, 'addr', 'associatePubKey', [given])
      expect(outcome.error).toBeUndefined()
      expect(resultOf('addr', 'associatePubKey', outcome.output)).toEqual([
        signer.bech32,
        shown(signer.evm),
      ])
    }
  })

  test('refuses an invalid key, signature or address', () => {
    const byKey = (given: string) => reasonOf(bench.call(PAYER, 'addr', 'associatePubKey', [given]))
    expect(byKey('')).toBe('addr: a hex string is empty or too long')
    expect(byKey('zz')).toBe('addr: a hex string has characters that are not hex digits')
    expect(byKey(`05${'11'.repeat(32)}`)).toBe('addr: not a public key of 33 bytes')
    expect(byKey(`02${'ff'.repeat(32)}`)).toBe('addr: not a public key of 33 bytes')
    const [, r, s, text] = ALICE.sign('x')
    expect(reasonOf(associate(PAYER, ['0x2', r, s, text]))).toBe('addr: v must be 0, 1, 27 or 28')
    expect(reasonOf(associate(PAYER, ['0x0', '0x0', s, text]))).toBe(
      'addr: the signature is invalid: it recovers no key',
    )
    const unknown = (what: string, given: string) =>
      reasonOf(bench.call(PAYER, 'addr', what, [given]))
    expect(unknown('getSeiAddr', hex(PAYER))).toBe(`EVM address ${hex(PAYER)} is not associated`)
    expect(unknown('getEvmAddr', BOB.bech32)).toBe(`address ${BOB.bech32} is not associated`)
    expect(unknown('getEvmAddr', 'sei1x')).toBe('addr: not a bech32 address of this chain: sei1x')
  })
})
