import { keccak_256 } from '@noble/hashes/sha3.js'
import { beforeEach, describe, expect, test } from 'vitest'
import { formatData } from '../../../host/base/hex.ts'
import type { GenesisDenomination } from '../../../host/evm/chain-types/genesis.ts'
import { address } from '../../support/engine/engine-fixture.ts'
import { toBech32 } from '../../support/module/bech32-model.ts'
import {
  account,
  ModuleBench,
  precompile,
  reasonOf,
  resultOf,
} from '../../support/module/module-bench.ts'

const ALICE = address(0xa11ce)
const BOB = address(0xb0b)
const POINTER = address(0x9017)
const LONG = `factory/${'x'.repeat(100)}`

const DENOMINATIONS: readonly GenesisDenomination[] = [
  {
    denomination: LONG,
    name: 'A name of more than thirty-one bytes',
    symbol: 'L',
    decimals: 0,
    pointer: undefined,
    balances: [{ address: ALICE, amount: 5n }],
  },
  {
    denomination: 'uatom',
    name: 'Atom',
    symbol: 'ATOM',
    decimals: 6,
    pointer: POINTER,
    balances: [
      { address: ALICE, amount: 1_000n },
      { address: BOB, amount: 2n ** 255n },
    ],
  },
]

const hex = (bytes: Uint8Array) => formatData(bytes)

let bench: ModuleBench

beforeEach(async () => {
  bench = await ModuleBench.open([account(ALICE, 10n ** 18n + 7n)], DENOMINATIONS)
})

describe('the bank precompile', () => {
  test('returns balances, the native ones in whole units of 10^12 wei', () => {
    expect(bench.read('bank', 'balance', [hex(ALICE), 'usei'])).toBe(1_000_000n)
    expect(bench.read('bank', 'balance', [hex(ALICE), 'uatom'])).toBe(1_000n)
    expect(bench.read('bank', 'balance', [hex(BOB), LONG])).toBe(0n)
    expect(bench.read('bank', 'balance', [hex(BOB), 'unknown'])).toBe(0n)
    expect(bench.read('bank', 'all_balances', [hex(ALICE)])).toEqual([
      [1_000_000n, 'usei'],
      [5n, LONG],
      [1_000n, 'uatom'],
    ])
    expect(bench.read('bank', 'all_balances', [hex(address(5))])).toEqual([])
  })

  test('returns names, symbols, decimals and supplies', () => {
    const all = (denomination: string) =>
      ['name', 'symbol', 'decimals', 'supply'].map((what) =>
        bench.read('bank', what, [denomination]),
      )
    expect(all('usei')).toEqual(['Sei', 'SEI', 6, 1_000_000n])
    expect(all('uatom')).toEqual(['Atom', 'ATOM', 6, 1_000n + 2n ** 255n])
    expect(all(LONG)).toEqual(['A name of more than thirty-one bytes', 'L', 0, 5n])
    const refused = (denomination: string) =>
      reasonOf(bench.call(ALICE, 'bank', 'supply', [denomination]))
    expect(refused('uosmo')).toBe('bank: this chain has no denomination "uosmo"')
    expect(refused('')).toBe('bank: the denomination is empty')
  })

  test('sends only when called by the pointer of the denomination, and at most the balance', () => {
    const send = (by: Uint8Array, from: Uint8Array, amount: bigint, denomination = 'uatom') =>
      bench.call(by, 'bank', 'send', [hex(from), hex(BOB), denomination, amount])
    expect(send(POINTER, ALICE, 400n).error).toBeUndefined()
    expect(bench.read('bank', 'balance', [hex(ALICE), 'uatom'])).toBe(600n)
    expect(bench.read('bank', 'balance', [hex(BOB), 'uatom'])).toBe(2n ** 255n + 400n)
    const refused = 'bank: only the pointer of the denomination may send it, not '
    expect(reasonOf(send(ALICE, ALICE, 1n))).toBe(`${refused}${hex(ALICE)}`)
    expect(reasonOf(send(POINTER, ALICE, 1n, 'usei'))).toBe(`${refused}${hex(POINTER)}`)
    expect(reasonOf(send(POINTER, ALICE, 1n, LONG))).toBe(`${refused}${hex(POINTER)}`)
    expect(reasonOf(send(POINTER, ALICE, 601n))).toBe(`bank: ${hex(ALICE)} has less than that`)
    expect(resultOf('bank', 'send', send(POINTER, ALICE, 0n).output)).toBe(true)
    // A transfer to itself gains nothing.
    expect(send(POINTER, BOB, 2n ** 255n).error).toBeUndefined()
    expect(bench.read('bank', 'balance', [hex(BOB), 'uatom'])).toBe(2n ** 255n + 400n)
    expect(send(POINTER, ALICE, 600n).error).toBeUndefined()
    expect(bench.read('bank', 'all_balances', [hex(ALICE)])).toEqual([
      [1_000_000n, 'usei'],
      [5n, LONG],
    ])
  })

  test('sends the value of a call to a bech32 address, including the remainder', () => {
    const to = toBech32('sei', BOB)
    const sent = bench.call(ALICE, 'bank', 'sendNative', [to], { value: 10n ** 12n + 3n })
    expect(sent.error).toBeUndefined()
    expect(bench.balanceOf(BOB)).toBe(10n ** 12n + 3n)
    expect(bench.balanceOf(precompile('bank'))).toBe(0n)
    const upper = bench.call(ALICE, 'bank', 'sendNative', [to.toUpperCase()], { value: 1n })
    expect(upper.error).toBeUndefined()
    const wrong = to.slice(0, -1) + (to.endsWith('q') ? 'p' : 'q')
    for (const bad of [wrong, toBech32('cosmos', BOB), `S${to.slice(1)}`, '', hex(BOB)]) {
      const refused = bench.call(ALICE, 'bank', 'sendNative', [bad], { value: 1n })
      expect(reasonOf(refused)).toBe(`bank: not a bech32 address that begins with sei1: ${bad}`)
    }
    expect(reasonOf(bench.call(ALICE, 'bank', 'sendNative', [to]))).toBe(
      'bank: the call has no value to send',
    )
    expect(bench.balanceOf(BOB)).toBe(10n ** 12n + 4n)
  })

  test('accepts value only in functions that are payable', () => {
    const paid = bench.call(ALICE, 'bank', 'supply', ['usei'], { value: 1n })
    expect(reasonOf(paid)).toBe('bank: the function takes no value')
    expect(bench.balanceOf(precompile('bank'))).toBe(0n)
  })

  test('refuses truncated arguments and values that exceed their types', () => {
    const raw = (data: Uint8Array) =>
      reasonOf(bench.run({ from: ALICE, to: precompile('bank'), data }))
    const selector = keccak_256(new TextEncoder().encode('balance(address,string)')).subarray(0, 4)
    const input = (...words: bigint[]) => {
      const digits = words.map((word) => word.toString(16).padStart(64, '0')).join('')
      return Buffer.concat([selector, Buffer.from(digits, 'hex')])
    }
    expect(raw(input())).toBe('abi: the input is shorter than its arguments')
    expect(raw(input(1n << 160n, 64n, 0n))).toBe('abi: an address has more than 20 bytes')
    expect(raw(input(1n, 65n, 0n))).toBe('abi: an offset lies outside the input')
    expect(raw(input(1n, 2n ** 64n + 64n, 0n))).toBe('abi: an offset lies outside the input')
    expect(raw(input(1n, 64n, 1n))).toBe('abi: a length reaches beyond the input')
    expect(raw(input(1n, 64n, 2n ** 255n))).toBe('abi: a length reaches beyond the input')
  })
})
