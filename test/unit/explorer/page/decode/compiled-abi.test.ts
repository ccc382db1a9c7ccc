import { encodeAbiParameters, encodeDeployData, keccak256, toBytes } from 'viem'
import { expect, test } from 'vitest'
import { concatBytes } from '../../../../../host/base/bytes.ts'
import { type Hex, parseData } from '../../../../../host/base/hex.ts'
import type { AbiItem } from '../../../../../host/explorer/page/decode/abi/abi-item.ts'
import { makeContractRegistry } from '../../../../../host/explorer/page/decode/abi/contract-registry.ts'
import {
  decodeBySelector,
  decodeLog,
} from '../../../../../host/explorer/page/decode/abi/decode-item.ts'
import { ContractSet } from '../../../../../host/explorer/page/decode/solc/contract-set.ts'
import { readDropped } from '../../../../../host/explorer/page/decode/solc/read-dropped.ts'
import { decodedCallOf } from '../../../../../host/explorer/page/decode/words/call-words.ts'
import { compileAll } from '../solc-output.ts'
import { createdBy, failedRun } from '../sources/failing-run.ts'
import { at } from './call-nodes.ts'

const SOURCE = `
interface I { function x() external; }
enum Top { A, B }
library L {
  struct Data { uint256 a; mapping(uint256 => uint256) m; }
  struct Mem { uint256 a; Kind k; }
  enum Kind { X, Y }
  function stored(Data storage d, uint256[] storage list, mapping(address => uint256) storage m)
    external returns (Kind, Data storage) { d.a = list[0] + m[msg.sender]; return (Kind.Y, d); }
  function plain(Kind k, I i, Mem memory m, Top[2] memory t, bytes calldata b)
    external pure returns (Mem memory) { require(i != I(address(0)) && b.length > 0); m.k = k; return t[0] == Top.A ? m : m; }
}
contract C {
  event Named(string indexed name, L.Kind indexed kind, bytes indexed data);
  L.Data data;
  constructor(L.Kind k, string memory s) { require(k == L.Kind.X, s); }
  function choose(L.Kind k, Top[] calldata all) external {}
}`
const { output } = compileAll({ 'a.sol': SOURCE })
const contracts = new ContractSet([readDropped('output.json', JSON.stringify(output))])
const book = (name: string) => {
  const found = contracts.artifacts.find((artifact) => artifact.name === name)
  if (found === undefined) throw new Error(name)
  return found.abi
}
const C = output.contracts['a.sol']?.C as NonNullable<(typeof output.contracts)[string][string]>
const L = output.contracts['a.sol']?.L as typeof C & {
  readonly evm: { readonly methodIdentifiers: Readonly<Record<string, string>> }
}

test('the functions of a library have the selectors that the compiler gives, also if its ABI lacks them', () => {
  const wanted = Object.entries(L.evm.methodIdentifiers)
  expect(wanted).toHaveLength(2)
  for (const [signature, selector] of wanted) {
    const [item] = book('L').find('function', `0x${selector}`)
    expect(item?.name).toBe(signature.slice(0, signature.indexOf('(')))
  }
})

const selectorOf = (name: string): Hex => {
  const found = Object.entries(L.evm.methodIdentifiers).find(([key]) => key.startsWith(`${name}(`))
  return `0x${found?.[1]}`
}
const textOf = (data: Hex, name: string) => {
  const decoded = decodeBySelector('function', data, [book(name)])
  return decoded.kind === 'decoded' ? decoded.text : decoded.why
}

test('a storage argument of a library is the number of its slot', () => {
  const slots = encodeAbiParameters(
    [{ type: 'uint256' }, { type: 'uint256' }, { type: 'uint256' }],
    [3n, 4n, 5n],
  )
  const data = `${selectorOf('stored')}${slots.slice(2)}` as Hex
  expect(textOf(data, 'L')).toBe('stored(d: 3, list: 4, m: 5)')
})

test('enums, contracts and structs of a library call are decoded', () => {
  const mem = { type: 'tuple', components: [{ type: 'uint256' }, { type: 'uint8' }] } as const
  const args = encodeAbiParameters(
    [{ type: 'uint8' }, { type: 'address' }, mem, { type: 'uint8[2]' }, { type: 'bytes' }],
    [1, at(7), [9n, 1], [0, 1], '0x1234'],
  )
  expect(textOf(`${selectorOf('plain')}${args.slice(2)}` as Hex, 'L')).toBe(
    'plain(k: Y (1), i: 0x0707070707070707070707070707070707070707, m: (a: 9, k: Y (1)), t: [A (0), B (1)], b: 0x1234)',
  )
})

test('members of enums are named in arguments, and a value without a member is a number', () => {
  const selector = keccak256(toBytes('choose(uint8,uint8[])')).slice(0, 10)
  const args = encodeAbiParameters([{ type: 'uint8' }, { type: 'uint8[]' }], [0, [1, 7]])
  const data = `${selector}${args.slice(2)}` as Hex
  expect(textOf(data, 'C')).toBe('choose(k: X (0), all: [B (1), 7])')
})

const log = {
  address: at(1),
  topics: [
    keccak256(toBytes('Named(string,uint8,bytes)')),
    keccak256(toBytes('a "name"\u202e')),
    `0x${'1'.padStart(64, '0')}`,
    keccak256('0xbeef'),
  ],
  data: '0x',
} as const
const lens = makeContractRegistry({ books: [book('C')] })

test('an indexed string is shown if the run hashed it, and as its hash otherwise', () => {
  const known = new Map([
    [BigInt(log.topics[1]), toBytes('a "name"\u202e')],
    [BigInt(log.topics[3]), parseData('0xbeef')],
  ])
  expect(decodeLog(log, lens, (hash) => known.get(hash))).toMatchObject({
    text: 'Named(name: "a \\"name\\"\\u{202e}", kind: Y (1), data: 0xbeef)',
  })
  expect(decodeLog(log, lens)).toMatchObject({
    text: `Named(name: keccak256 ${log.topics[1]}, kind: Y (1), data: keccak256 ${log.topics[3]})`,
  })
})

test('the arguments of a constructor are decoded from the creation code', async () => {
  const bytecode: Hex = `0x${C.evm.bytecode.object}`
  const input = encodeDeployData({ abi: C.abi, bytecode, args: [1, 'no'] } as never) as Hex
  const { sources, calls, stepper } = await failedRun(contracts, [], { to: undefined, input })
  await stepper.close()
  const { constructors } = sources
  expect([...constructors.keys()]).toEqual([createdBy(0)])
  const known = makeContractRegistry({ books: [], constructors })
  const [call] = calls
  expect(call && decodedCallOf(call, known)).toMatchObject({
    text: 'constructor(k: Y (1), s: "no")',
    item: { signature: 'constructor(uint8,string)', selector: bytecode },
  })
})

test('creation code with malformed arguments is not decoded', () => {
  const item = { ...constructorOf(), selector: '0x6001' as Hex }
  const known = makeContractRegistry({ books: [], constructors: new Map([[at(5), item]]) })
  const call = { type: 'CREATE', to: at(5), input: '0x600101' } as never
  expect(decodedCallOf(call, known)).toMatchObject({
    kind: 'raw',
    why: expect.stringMatching(/^not the arguments of constructor\(uint8,string\): byte 31/),
  })
})

function constructorOf(): AbiItem {
  const inputs = book('C').constructorInputs ?? []
  const [item] = book('C')
  return {
    ...(item as AbiItem),
    kind: 'constructor',
    signature: 'constructor(uint8,string)',
    inputs,
  }
}

test('code of Vyper with immutables after it is found', () => {
  const runtime = { object: '0x60016002', sourceMap: { pc_pos_map_compressed: '0:1:0:-;' } }
  const json = { contracts: { 'V.vy': { V: { abi: [], evm: { deployedBytecode: runtime } } } } }
  const set = new ContractSet([readDropped('output.json', JSON.stringify(json))])
  const code = parseData('0x60016002')
  const withTail = (length: number) => concatBytes([code, new Uint8Array(length).fill(7)])
  expect([0, 32, 64].map((length) => set.match(withTail(length))?.artifact.name)).toEqual([
    ...['V', 'V', 'V'],
  ])
  expect(set.match(withTail(31))).toBeUndefined()
  expect(
    contracts.match(
      concatBytes([parseData(`0x${C.evm.deployedBytecode.object}`), new Uint8Array(32)]),
    ),
  ).toBeUndefined()
})
