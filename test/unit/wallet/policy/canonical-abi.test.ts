import { type AbiParameter, decodeAbiParameters, encodeAbiParameters } from 'viem'
import { describe, expect, test } from 'vitest'
import { formatData, type Hex, parseData } from '../../../../host/base/hex.ts'
import {
  type AbiMember,
  parseParameter,
  typeName,
} from '../../../../host/wallet/policy/abi-type.ts'
import { decodeArguments } from '../../../../host/wallet/policy/canonical-abi.ts'
import { makeRandom, runSeed } from '../../../support/random.ts'

function membersOf(parameters: readonly AbiParameter[]): AbiMember[] {
  return parameters.map((parameter) => parseParameter(parameter) as AbiMember)
}

function decode(parameters: readonly AbiParameter[], data: Uint8Array) {
  return decodeArguments(membersOf(parameters), data)
}

/** Returns values in viem's form: arrays for tuples without names, numbers for small integers. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === 'number') return BigInt(value)
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'string' && value.startsWith('0x')) return value.toLowerCase()
  return value
}

const word = (value: bigint | number) => value.toString(16).padStart(64, '0')
const bytes = (words: readonly (bigint | number | string)[]) =>
  parseData(`0x${words.map((each) => (typeof each === 'string' ? each : word(each))).join('')}`)

describe('the decoder of arguments', () => {
  test.each<readonly [string, readonly string[], readonly (bigint | number | string)[], string]>([
    ['bytes behind them', ['uint256'], [1, 0], '32 bytes follow the arguments'],
    ['a byte behind them', ['uint256'], [1, '00'], '1 bytes follow the arguments'],
    ['too few bytes', ['uint256'], ['01'], 'the calldata ends before its arguments do'],
    [
      'dirty bytes before an address',
      ['address'],
      [1n << 160n],
      'the padding before an address is not zero',
    ],
    ['a uint8 of 9 bits', ['uint8'], [256], 'an integer exceeds 8 bits'],
    ['an int8 without its sign', ['int8'], [0x80], 'an integer exceeds 8 bits'],
    ['a bool of 2', ['bool'], [2], 'a bool is neither 0 nor 1'],
    ['dirty bytes behind bytes4', ['bytes4'], [1], 'the padding after a value is not zero'],
    [
      'an offset that skips a word',
      ['bytes'],
      [0x40, 0, 0],
      'an offset does not point to the next value',
    ],
    ['an offset back into the heads', ['bytes'], [0], 'an offset does not point to the next value'],
    [
      'two values at one place',
      ['bytes', 'bytes'],
      [0x40, 0x40, 0],
      'an offset does not point to the next value',
    ],
    [
      'values in another order',
      ['bytes', 'bytes'],
      [0x60, 0x40, 0, 0],
      'an offset does not point to the next value',
    ],
    [
      'an offset beyond the calldata',
      ['bytes'],
      [1n << 255n, 0],
      'a length or an offset points beyond the calldata',
    ],
    [
      'a length beyond the calldata',
      ['bytes'],
      [0x20, 1 << 20],
      'a length or an offset points beyond the calldata',
    ],
    [
      'a length of 2^64 + 1',
      ['bytes'],
      [0x20, (1n << 64n) + 1n, 0],
      'a length or an offset points beyond the calldata',
    ],
    [
      'more items than there are bytes',
      ['uint256[]'],
      [0x20, 3, 1, 2],
      'the calldata ends before its arguments do',
    ],
    [
      'dirty bytes behind bytes',
      ['bytes'],
      [0x20, 1, `ab${'01'.repeat(31)}`],
      'the padding after a value is not zero',
    ],
    [
      'a string that is no UTF-8',
      ['string'],
      [0x20, 1, `ff${'00'.repeat(31)}`],
      'a string is not UTF-8',
    ],
  ])('refuses %s', (_, types, words, problem) => {
    expect(
      decode(
        types.map((type) => ({ type })),
        bytes(words),
      ),
    ).toEqual({ problem })
  })

  test('refuses lists that share one position a thousandfold, at once', () => {
    // Each of the seven levels would be read ten times: ten million values of 3 kB.
    const level = [10, ...Array<number>(10).fill(320)]
    const data = bytes([0x20, ...Array.from({ length: 7 }, () => level).flat(), 0])
    expect(decode([{ type: `uint256${'[]'.repeat(8)}` }], data)).toHaveProperty('problem')
  })

  test.each([
    'uint',
    'int',
    'bytes33',
    'bytes0',
    'uint7',
    'uint264',
    'fixed',
    'uint256[0]',
    'uint256[1000000]',
    'tuple',
    'mapping(a=>b)',
    'uint256[-1]',
    'bool[2',
    'address payable',
  ])('accepts for the type %s only what Solidity encodes', (type) => {
    const parsed = parseParameter({ type })
    expect(parsed === undefined ? 'refused' : typeName(parsed.type)).toBe(
      { uint: 'uint256', int: 'int256' }[type] ?? 'refused',
    )
  })
})

const seed = runSeed()

describe(`the decoder of random arguments (LOCKSTEP_SEED=${seed})`, () => {
  const random = makeRandom(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const bits = (count: number) =>
    BigInt(`0b0${Array.from({ length: count }, () => below(2)).join('')}`)
  const hex = (length: number): Hex =>
    formatData(Uint8Array.from({ length }, () => (below(3) === 0 ? 0 : below(256))))

  function parameter(depth: number): AbiParameter {
    const kind = below(depth > 2 ? 7 : 10)
    const size = 8 * (1 + below(32))
    switch (kind) {
      case 0:
        return { type: `uint${size}` }
      case 1:
        return { type: `int${size}` }
      case 2:
        return { type: 'address' }
      case 3:
        return { type: 'bool' }
      case 4:
        return { type: `bytes${size / 8}` }
      case 5:
        return { type: 'bytes' }
      case 6:
        return { type: 'string' }
      case 7: {
        const item = parameter(depth + 1)
        return { ...item, type: `${item.type}[${below(2) === 0 ? '' : 1 + below(3)}]` }
      }
      default:
        return {
          type: 'tuple',
          components: Array.from({ length: 1 + below(3) }, () => parameter(depth + 1)),
        } as AbiParameter
    }
  }

  function randomValue(parameter: AbiParameter): unknown {
    const [, base = '', digits] = /^(.*)\[([0-9]*)\]$/.exec(parameter.type) ?? []
    if (base !== '') {
      const length = digits === '' ? below(4) : Number(digits)
      return Array.from({ length }, () => randomValue({ ...parameter, type: base }))
    }
    const { type } = parameter
    const size = Number(/[0-9]+$/.exec(type)?.[0])
    if (type.startsWith('uint')) return bits(size)
    if (type.startsWith('int')) return BigInt.asIntN(size, bits(size))
    if (type === 'address') return hex(20)
    if (type === 'bool') return below(2) === 1
    if (type === 'bytes') return hex(below(70))
    if (type === 'string') return 'añ💰'.repeat(below(12))
    if (type.startsWith('bytes')) return hex(size)
    const { components } = parameter as { components: readonly AbiParameter[] }
    return components.map(randomValue)
  }

  test('reads them as another library wrote them', () => {
    for (let round = 0; round < 400; round++) {
      const parameters = Array.from({ length: 1 + below(4) }, () => parameter(0))
      const values = parameters.map(randomValue)
      const data = parseData(encodeAbiParameters(parameters, values))
      expect(decode(parameters, data), JSON.stringify(parameters)).toEqual({
        values: plain(values),
      })
    }
  })

  test('reads them with one byte changed only if another library would write the same bytes', () => {
    let read = 0
    for (let round = 0; round < 1500; round++) {
      const parameters = Array.from({ length: 1 + below(3) }, () => parameter(1))
      const data = parseData(encodeAbiParameters(parameters, parameters.map(randomValue)))
      if (data.length === 0) continue
      const at = below(data.length)
      data[at] = below(4) === 0 ? 0xff : (data[at] as number) ^ (1 << below(8))
      const found = decode(parameters, data)
      if ('problem' in found) continue
      read++
      const values = decodeAbiParameters(parameters, data)
      expect(encodeAbiParameters(parameters, values), JSON.stringify(parameters)).toBe(
        formatData(data),
      )
    }
    expect(read).toBeGreaterThan(100)
  })
})
