import { signTyped } from 'micro-eth-signer'
import { describe, expect, test } from 'vitest'
import { isElementaryType, typedDataProblem } from '../../../../host/evm/chain-types/typed-data.ts'
import { makeRandom, runSeed } from '../../../support/random.ts'

const ADDRESS = '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826'
const ORDER = {
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'chainId', type: 'uint256' },
    ],
    Order: [
      { name: 'maker', type: 'Person' },
      { name: 'lines', type: 'Line[]' },
      { name: 'pair', type: 'bytes4[2]' },
      { name: 'isFinal', type: 'bool' },
    ],
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallet', type: 'address' },
      { name: 'friend', type: 'Person' },
    ],
    Line: [
      { name: 'amount', type: 'uint8' },
      { name: 'delta', type: 'int16' },
      { name: 'data', type: 'bytes' },
    ],
  },
  primaryType: 'Order',
  domain: { name: 'shop', chainId: 1329 },
  message: {
    maker: { name: 'A', wallet: ADDRESS },
    lines: [
      { amount: 5, delta: -3, data: '0x12' },
      { amount: '255', delta: '0x7f', data: '0x' },
    ],
    pair: ['0x01020304', '0xAABBCCDD'],
    isFinal: true,
  },
}
const order = () => structuredClone(ORDER) as unknown as Record<string, unknown>
const secret = new Uint8Array(32).fill(7)

/** Phrases of JavaScript engine errors, which must not occur in our messages. */
const ENGINE =
  /cannot read|cannot convert|cannot mix|undefined|is not (?:a function|iterable|defined|an object)|null \(|TypeError|RangeError|SyntaxError|BigInt|\[object|call stack|prototype/i

describe('typed data', () => {
  test('that match their types are accepted', () => {
    expect(typedDataProblem(order())).toBeUndefined()
    const { EIP712Domain: _, ...types } = ORDER.types
    expect(typedDataProblem({ ...ORDER, types })).toBeUndefined()
  })

  type Change = (data: typeof ORDER) => unknown
  test.each<[string, Change]>([
    [
      'message.maker.wallet: nothing is not a valid address',
      ({ message }) => Reflect.deleteProperty(message.maker, 'wallet'),
    ],
    [
      'message.lines[1].amount: "256" is not a valid uint8',
      ({ message }) => Object.assign(message.lines[1] as object, { amount: '256' }),
    ],
    [
      'message.lines[0].delta: -32769 is not a valid int16',
      ({ message }) => Object.assign(message.lines[0] as object, { delta: -32769 }),
    ],
    ['message.pair: 1 entries: bytes4[2] has 2', ({ message }) => message.pair.pop()],
    [
      'message.lines: write an array for Line[]',
      ({ message }) => Object.assign(message, { lines: {} }),
    ],
    [
      'message.maker: write an object with the members of Person',
      ({ message }) => Object.assign(message, { maker: null }),
    ],
    ['message: Order has no member "more"', ({ message }) => Object.assign(message, { more: 1 })],
    [
      'domain.chainId: {"toString":5} is not a valid uint256',
      ({ domain }) => Object.assign(domain, { chainId: { toString: 5 } }),
    ],
    [
      'types.Person[1].type: "constructor" is neither an EIP-712 type nor a struct in types',
      ({ types }) => Object.assign(types.Person[1] as object, { type: 'constructor' }),
    ],
    [
      'types.Person[1].type: "function" is neither an EIP-712 type nor a struct in types',
      ({ types }) => Object.assign(types.Person[1] as object, { type: 'function' }),
    ],
    [
      'types.Line[2].name: the member amount occurs twice',
      ({ types }) => Object.assign(types.Line[2] as object, { name: 'amount' }),
    ],
    [
      'types: "toString" is not a valid struct name',
      ({ types }) => Object.assign(types, { toString: [] }),
    ],
    [
      'types: "uint8" is not a valid struct name',
      ({ types }) => Object.assign(types, { uint8: [] }),
    ],
    [
      'primaryType: "hasOwnProperty" is not a struct in types',
      (data) => Object.assign(data, { primaryType: 'hasOwnProperty' }),
    ],
    [
      'types: write an object with the members of each struct',
      (data) => Object.assign(data, { types: null }),
    ],
    ['domain: write an object', (data) => Object.assign(data, { domain: [] })],
  ])('is refused with the message: %s', (problem, change) => {
    const data = order() as typeof ORDER
    change(data)
    expect(typedDataProblem(data)).toBe(problem)
  })

  test('may nest structs up to the depth limit', () => {
    let message: object = { name: 'x', wallet: ADDRESS }
    for (let level = 0; level < 60; level++)
      message = { name: 'x', wallet: ADDRESS, friend: message }
    const data = {
      types: { Person: ORDER.types.Person },
      primaryType: 'Person',
      domain: {},
      message,
    }
    expect(typedDataProblem(data)).toMatch(/: nested deeper than 48 levels$/)
  })

  test(`with any change is hashed or refused with a message of ours (seed ${runSeed()})`, () => {
    const random = makeRandom(runSeed())
    const draw = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T
    const ODD: readonly unknown[] = [
      undefined,
      null,
      0,
      -1,
      1e300,
      '',
      ' ',
      '0x',
      '0xzz',
      'constructor',
      '__proto__',
      'Person',
      'uint',
      'bytes33',
      'uint8[',
      'Line[][]',
      {},
      [],
      [[]],
      { toString: null },
      { length: 3 },
      true,
      '1'.repeat(90),
    ]
    const places = (value: unknown): [Record<string, unknown>, string][] =>
      typeof value !== 'object' || value === null
        ? []
        : Object.keys(value).flatMap((key) => [
            [value as Record<string, unknown>, key] as [Record<string, unknown>, string],
            ...places((value as Record<string, unknown>)[key]),
          ])
    let hashed = 0
    let refused = 0
    for (let round = 0; round < 3000; round++) {
      const data = order()
      for (let change = 0; change <= random() * 2; change++) {
        const [holder, key] = draw(places(data))
        if (random() < 0.3) delete holder[key]
        else if (!Array.isArray(holder) && random() < 0.2)
          holder[draw(['constructor', 'toString', 'x', 'friend'])] = draw(ODD)
        else holder[key] = structuredClone(draw(ODD))
      }
      const problem = typedDataProblem(data)
      if (problem === undefined) {
        signTyped(data as never, secret, false)
        hashed++
      } else {
        expect(problem).not.toMatch(ENGINE)
        refused++
      }
    }
    expect(hashed).toBeGreaterThan(100)
    expect(refused).toBeGreaterThan(1000)
  })
})

test('the names of EIP-712 types are distinguished from those of structs', () => {
  for (const name of [
    'bool',
    'address',
    'string',
    'bytes',
    'bytes1',
    'bytes32',
    'uint',
    'int8',
    'uint256',
  ]) {
    expect(isElementaryType(name), name).toBe(true)
  }
  for (const name of [
    'bytes0',
    'bytes33',
    'bytes01',
    'uint7',
    'uint0',
    'int264',
    'uint08',
    'function',
    'tuple',
    '',
  ]) {
    expect(isElementaryType(name), name).toBe(false)
  }
})
