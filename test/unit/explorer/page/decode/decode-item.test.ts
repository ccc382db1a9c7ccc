import { encodeErrorResult, encodeEventTopics, encodeFunctionData, parseAbi } from 'viem'
import { describe, expect, test } from 'vitest'
import { AbiRegistry } from '../../../../../host/explorer/page/decode/abi/abi-registry.ts'
import { makeContractRegistry } from '../../../../../host/explorer/page/decode/abi/contract-registry.ts'
import {
  decodeBySelector,
  decodeCalldata,
  decodeLog,
  decodeReturn,
} from '../../../../../host/explorer/page/decode/abi/decode-item.ts'
import type { Decoded } from '../../../../../host/explorer/page/decode/abi/decoded.ts'
import { SelectorTable } from '../../../../../host/explorer/page/decode/signatures/selector-table.ts'
import { at } from './call-nodes.ts'

const TABLE = new SelectorTable()
const LENS = makeContractRegistry({ books: [TABLE] })
const OWNER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

const transfer = encodeFunctionData({
  abi: parseAbi(['function transfer(address to, uint256 value)']),
  args: [OWNER, 5n],
})

describe('decoded calldata', () => {
  test('has names from the built-in table', () => {
    const call = decodeCalldata(transfer, LENS, undefined) as Decoded
    expect(call.text).toBe(`transfer(to: ${OWNER}, value: 5)`)
    expect(call.item).toMatchObject({ signature: 'transfer(address,uint256)', source: 'ERC-20' })
    expect(call).toMatchObject({ isExact: true, rest: '0x', problem: undefined, others: [] })
  })

  test('has names from the ABI of the contract first', () => {
    const abi = parseAbi(['function transfer(address recipient, uint256 amount)'])
    const abis = new Map([[at(1), AbiRegistry.fromJson(abi, 'contract', 'Mine')]])
    const lens = makeContractRegistry({ books: [TABLE], abis })
    const call = decodeCalldata(transfer, lens, at(1)) as Decoded
    expect(call.text).toBe(`transfer(recipient: ${OWNER}, amount: 5)`)
    expect(call.item.origin).toBe('contract')
  })

  test('reports the number of bytes after the arguments', () => {
    const call = decodeCalldata(`${transfer}c0ffee`, LENS, undefined)
    expect(call).toMatchObject({ isExact: false, rest: '0xc0ffee' })
    expect(call).toMatchObject({ problem: '3 bytes more than the values take' })
  })

  test.each([
    ['0xc0ffee', undefined, 'shorter than the 4 bytes of a selector'],
    ['0xc0ffee00', '0xc0ffee00', 'unknown function with the selector 0xc0ffee00'],
    [
      '0xa9059cbb00',
      '0xa9059cbb',
      'not the arguments of transfer(address,uint256): byte 31 is needed, but there are only 1',
    ],
  ] as const)('is left raw with a reason: %s', (bytes, selector, why) => {
    expect(decodeCalldata(bytes, LENS, undefined)).toEqual({ kind: 'raw', bytes, selector, why })
  })

  test('uses the function that encodes to the same bytes if two share a selector, and shows both if both do', () => {
    // A known collision of selectors.
    const abi = parseAbi([
      'function collate_propagate_storage(bytes16 chunk)',
      'function burn(uint256 value)',
    ])
    const lens = makeContractRegistry({ books: [AbiRegistry.fromJson(abi, 'given', 'Both')] })
    const data = (word: bigint) => `0x42966c68${word.toString(16).padStart(64, '0')}` as const
    const small = decodeCalldata(data(5n), lens, undefined) as Decoded
    expect([small.text, small.others]).toEqual(['burn(value: 5)', []])
    const high = decodeCalldata(data(5n << 128n), lens, undefined) as Decoded
    expect(high.text).toBe('collate_propagate_storage(chunk: 0x00000000000000000000000000000005)')
    expect(high.others.map(({ text }) => text)).toEqual([`burn(value: ${5n << 128n})`])
  })

  test('includes the return value', () => {
    const call = decodeCalldata(transfer, LENS, undefined) as Decoded
    const word = '0'.repeat(63)
    expect(decodeReturn(`0x${word}1`, call)).toMatchObject({ found: { values: [{ data: true }] } })
    expect(decodeReturn('0x', call)).toEqual({
      kind: 'raw',
      bytes: '0x',
      selector: undefined,
      why: 'not an output of transfer(address,uint256): byte 31 is needed, but there are only 0',
    })
  })
})

describe('an ABI from a third party', () => {
  const inputs = (...parameters: unknown[]) => [
    { type: 'function', name: 'f', inputs: parameters, outputs: 7, stateMutability: 'payable' },
  ]

  test('contains no characters that mislead when it is shown', () => {
    const odd = { name: 'to\u202e', internalType: 'contract \u202eX', type: 'address' }
    const [item] = AbiRegistry.fromJson(inputs(odd), 'given', 'Odd')
    expect(item).toMatchObject({
      inputs: [{ type: 'address' }],
      outputs: undefined,
      isPayable: true,
    })
    expect(Object.keys(item?.inputs[0] ?? {})).toEqual(['type'])
    expect([
      ...AbiRegistry.fromJson([{ type: 'error', name: 'a b', inputs: [] }], 'given', ''),
    ]).toEqual([])
  })

  test.each([
    [null],
    [7],
    [{}],
    [{ type: 'uint7' }],
    [{ type: 'tuple', components: [7] }],
    [{ type: 'tuple', components: [null] }],
  ])('with the parameter %j loses that function', (parameter) => {
    expect([...AbiRegistry.fromJson(inputs(parameter), 'given', 'Odd')]).toEqual([])
  })

  test('that is invalid is treated as empty', () => {
    for (const json of [null, 7, 'abi', {}, [null, 7, [], { type: 'constructor', inputs: [] }]]) {
      expect([...AbiRegistry.fromJson(json, 'given', '')]).toEqual([])
    }
  })
})

describe('the table of errors', () => {
  test('contains those of Solidity and of OpenZeppelin', () => {
    const reason = encodeErrorResult({
      abi: parseAbi(['error Error(string)']),
      args: ['not\u202e enough'],
    })
    const known = decodeBySelector('error', reason, [TABLE])
    expect(known).toMatchObject({ text: 'Error(reason: "not\\u{202e} enough")' })
    const custom = encodeErrorResult({
      abi: parseAbi(['error ERC20InsufficientBalance(address, uint256, uint256)']),
      args: [OWNER, 1n, 2n],
    })
    expect(decodeBySelector('error', custom, [TABLE])).toMatchObject({
      text: `ERC20InsufficientBalance(sender: ${OWNER}, balance: 1, needed: 2)`,
    })
  })
})

describe('decoded logs', () => {
  const topics = encodeEventTopics({
    abi: parseAbi(['event Transfer(address indexed, address indexed, uint256)']),
    args: [OWNER, at(2)],
  }) as [`0x${string}`, ...`0x${string}`[]]

  test('with one topic are distinguished by their indexed parameters', () => {
    const data = `0x${'0'.repeat(62)}2a` as const
    const erc20 = decodeLog({ address: at(1), topics, data }, LENS) as Decoded
    expect(erc20.item.source).toBe('ERC-20')
    expect(erc20.text).toBe(`Transfer(from: ${OWNER}, to: ${at(2)}, value: 42)`)
    const erc721 = decodeLog({ address: at(1), topics: [...topics, data], data: '0x' }, LENS)
    expect((erc721 as Decoded).item.source).toBe('ERC-721')
    expect((erc721 as Decoded).text).toBe(`Transfer(from: ${OWNER}, to: ${at(2)}, tokenId: 42)`)
  })

  test('show an indexed dynamic value as its hash', () => {
    const abi = parseAbi(['event Said(string indexed text, uint256 number)'])
    const lens = makeContractRegistry({ books: [AbiRegistry.fromJson(abi, 'given', 'Speaker')] })
    const hash = `0x${'ab'.repeat(32)}` as const
    const [topic] = encodeEventTopics({ abi, args: [''] as never })
    const log = {
      address: at(1),
      topics: [topic as typeof hash, hash],
      data: `0x${'0'.repeat(63)}7`,
    }
    const said = decodeLog(log as never, lens) as Decoded
    expect(said.text).toBe(`Said(text: keccak256 ${hash}, number: 7)`)
  })

  test('without topics or with an unknown topic stay raw', () => {
    const log = { address: at(1), data: '0x01' } as const
    expect(decodeLog({ ...log, topics: [] }, LENS)).toMatchObject({
      kind: 'raw',
      why: 'an anonymous log: it has no topics',
    })
    const topic = `0x${'cd'.repeat(32)}` as const
    expect(decodeLog({ ...log, topics: [topic] }, LENS)).toMatchObject({
      kind: 'raw',
      why: `unknown event with the topic ${topic}`,
    })
  })
})
