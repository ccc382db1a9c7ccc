import fc from 'fast-check'
import { formatEther, formatGwei, formatUnits, isAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import { DEV_ACCOUNTS } from '../../../../../host/base/dev-accounts.ts'
import { parseData } from '../../../../../host/base/hex.ts'
import {
  addressText,
  shortAddress,
} from '../../../../../host/explorer/page/decode/format/address-text.ts'
import {
  countText,
  decimalText,
  weiText,
} from '../../../../../host/explorer/page/decode/format/amount.ts'
import {
  asciiText,
  utf8Text,
  wordText,
} from '../../../../../host/explorer/page/decode/format/bytes-text.ts'
import { durationText } from '../../../../../host/explorer/page/decode/format/duration-text.ts'
import { quoteText, safeText } from '../../../../../host/explorer/page/decode/format/safe-text.ts'
import {
  DEV_ADDRESSES,
  KNOWN_CONTRACTS,
  knownLabel,
} from '../../../../../host/explorer/page/decode/labels/known-addresses.ts'
import { pointingCode } from '../../../../../host/explorer/page/decode/labels/pointing-code.ts'
import { runSeed } from '../../../../support/random.ts'

const SEED = runSeed()

describe('formatted amounts', () => {
  test.each([
    [0n, '0 ether'],
    [1n, '1 wei'],
    [999_999n, '999,999 wei'],
    [1_000_000n, '0.001 gwei'],
    [30_000_000_000n, '30 gwei'],
    [10n ** 12n, '0.000001 ether'],
    [1_234_567n * 10n ** 18n + 1n, '1,234,567.000000000000000001 ether'],
    [-(10n ** 18n), '-1 ether'],
  ])('show %d wei as %s', (wei, text) => expect(weiText(wei)).toBe(text))

  test(`equal those of viem, with the seed ${SEED}`, () => {
    const plain = (text: string) => text.replaceAll(',', '')
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n }),
        fc.nat(40),
        (value, decimals) => {
          expect(plain(decimalText(value, decimals))).toBe(formatUnits(value, decimals))
          const [number, unit] = weiText(value).split(' ')
          const viem =
            unit === 'ether' ? formatEther(value) : unit === 'gwei' ? formatGwei(value) : `${value}`
          expect(plain(number as string)).toBe(viem)
        },
      ),
      { seed: SEED },
    )
  })

  test('of tokens have decimals, and impossible ones leave the amount whole', () => {
    expect(decimalText(1_500_000n, 6)).toBe('1.5')
    expect(decimalText(1234n, 256)).toBe('1,234')
    expect(countText(-1_234_567)).toBe('-1,234,567')
  })
})

test('addresses are shown with their EIP-55 checksum', () => {
  const [account] = DEV_ACCOUNTS
  expect(addressText(account?.address.toLowerCase() as '0x')).toBe(account?.address)
  expect(shortAddress(account?.address as '0x')).toBe('0xf39F…2266')
})

describe('text from the chain', () => {
  test.each([
    ['plain words, 1 + 1', 'plain words, 1 + 1'],
    ['', ''],
    ['a\nb\tc\u0000', 'a\\nb\\tc\\u{0}'],
    ['back\\slash \\u{41}', 'back\\\\slash \\\\u{41}'],
    // Bidirectional controls: the displayed text differs from the content.
    ['abc\u202edcba', 'abc\\u{202e}dcba'],
    ['\u2066x\u2069', '\\u{2066}x\\u{2069}'],
    // Invisible characters.
    ['a\u200bb\ufeffc\u00ad', 'a\\u{200b}b\\u{feff}c\\u{ad}'],
    ['a\u00a0b\u3000c', 'a\\u{a0}b\\u{3000}c'],
    ['\ud800', '\\u{d800}'],
    ['\u{e0041}', '\\u{e0041}'],
    // Homoglyphs: the second a is Cyrillic.
    ['p\u0430ypal', 'p\\u{430}ypal'],
    ['\u0430\u0440\u0440\u0435', '\\u{430}\\u{440}\\u{440}\\u{435}'],
    ['\uff35\uff33\uff24\uff23', '\\u{ff35}\\u{ff33}\\u{ff24}\\u{ff23}'],
    ['\u{1d400}bc', '\\u{1d400}bc'],
    ['\u03bfne', '\\u{3bf}ne'],
    // Words of other scripts, umlauts and emoji stay unchanged.
    ['Grüße, Привет, Ελλάδα, 你好, مرحبا', 'Grüße, Привет, Ελλάδα, 你好, مرحبا'],
    ['🚀 👩‍👩‍👧 ❤️', '🚀 👩‍👩‍👧 ❤️'],
    ['a\u0301\u0301\u0301\u0301', 'a\u0301\u0301\\u{301}\\u{301}'],
  ])('is escaped: %j is shown as %s', (text, shown) => expect(safeText(text)).toBe(shown))

  test('is shown in quotes that it cannot close', () => {
    expect(quoteText('say "hi"\\')).toBe('"say \\"hi\\"\\\\"')
  })

  test(`contains no invisible characters, with the seed ${SEED}`, () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const shown = safeText(text)
        expect(shown).not.toMatch(
          /[\p{Cc}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\u200b\u202a-\u202e\u2066-\u2069]/u,
        )
      }),
      { seed: SEED, numRuns: 200 },
    )
  })
})

test('bytes are shown as ASCII, as UTF-8 and as a bytes32 string', () => {
  expect(asciiText(Uint8Array.of(0x41, 0x0a, 0x7f, 0x7e))).toBe('A..~')
  expect(utf8Text(new TextEncoder().encode('Grüße'))).toBe('"Grüße"')
  expect(utf8Text(Uint8Array.of(0xc3))).toBeUndefined()
  const word = new Uint8Array(32)
  expect(wordText(word)).toBeUndefined()
  word.set(new TextEncoder().encode('MINTER'))
  expect(wordText(word)).toBe('"MINTER"')
  word[31] = 1
  expect(wordText(word)).toBeUndefined()
})

test.each([
  [0, '0 ms'],
  [0.0124, '12 ms'],
  [1.25, '1.25 s'],
  [59.999, '60 s'],
  [61, '1 min 1 s'],
  [3_600, '1 h'],
  [3_661, '1 h 1 min'],
  [90_000, '1 d 1 h'],
  [-5, '-5 s'],
  [Number.NaN, '?'],
])('%d seconds are shown as %s', (seconds, text) => expect(durationText(seconds)).toBe(text))

describe('the labels of addresses', () => {
  test('include precompiles, protocol contracts and development accounts', () => {
    expect(knownLabel('0x0000000000000000000000000000000000000001')).toBe('ECREC precompile')
    expect(knownLabel('0x0000000000000000000000000000000000001005')).toBe('staking precompile')
    expect(knownLabel('0xCA11BDE05977B3631167028862BE2A173976CA11')).toBe('Multicall3')
    expect(knownLabel('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266')).toBe('dev account 0')
    expect(knownLabel('0x1234567890123456789012345678901234567890')).toBeUndefined()
  })

  test('have valid checksums', () => {
    for (const [address] of KNOWN_CONTRACTS) expect(isAddress(address, { strict: true })).toBe(true)
    expect(DEV_ADDRESSES).toEqual(DEV_ACCOUNTS.map(({ address }) => address))
  })

  test('follow minimal proxies and delegations', () => {
    const target = '00000000000000000000000000000000c0dec0de'
    const proxy = parseData(`0x363d3d373d3d3d363d73${target}5af43d82803e903d91602b57fd5bf3`)
    expect(pointingCode(proxy)).toEqual({ kind: 'EIP-1167', target: `0x${target}` })
    const delegation = parseData(`0xef0100${target}`)
    expect(pointingCode(delegation)).toEqual({ kind: 'EIP-7702', target: `0x${target}` })
    expect(pointingCode(proxy.subarray(1))).toBeUndefined()
    expect(pointingCode(delegation.subarray(0, 22))).toBeUndefined()
    expect(pointingCode(new Uint8Array(1000))).toBeUndefined()
  })
})
