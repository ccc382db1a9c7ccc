import { keccak_256 } from '@noble/hashes/sha3.js'
import { encodeFunctionData, getAddress, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { bigintToBytes } from '../../../../../host/base/bytes.ts'
import { formatData, type Hex, parseData } from '../../../../../host/base/hex.ts'
import { answerFrom } from '../../../../../host/evm/state/answer.ts'
import { openTracer } from '../../../../../host/evm/trace/tracers/tracer-table.ts'
import { enumMembers } from '../../../../../host/explorer/page/decode/solc/function-index.ts'
import {
  readStorageLayout,
  type StorageLayout,
} from '../../../../../host/explorer/page/decode/storage/layout.ts'
import { likelyKeys } from '../../../../../host/explorer/page/decode/storage/likely-keys.ts'
import { Preimages } from '../../../../../host/explorer/page/decode/storage/preimages.ts'
import { SlotNames } from '../../../../../host/explorer/page/decode/storage/slot-names.ts'
import {
  type SlotChange,
  variableChanges,
} from '../../../../../host/explorer/page/decode/storage/variable-changes.ts'
import {
  BLOCK,
  CONTRACT,
  engineInBlock,
  executed,
  stateWith,
  transaction,
} from '../../../../support/engine/engine-fixture.ts'
import { requestOf } from '../../../../support/trace/tracer-request.ts'
import { compileAll } from '../solc-output.ts'
import { callNodes } from './call-nodes.ts'

const SOURCE = `
contract Shop {
    enum Kind { None, Small, Large }
    struct Order { uint128 amount; uint64 due; Kind kind; bool paid; mapping(address => uint256) bids; uint32[] marks; string note; }
    type Price is uint96;

    address owner; bool open; int16 level;
    mapping(address => mapping(uint256 => Order)) orders;
    mapping(string => bytes) notes;
    mapping(Kind => int256) totals;
    mapping(bytes4 => bool) known;
    uint8[5] digits;
    Order[] list;
    uint256[3][2] grid;
    string title;
    bytes blob;
    uint24[] packed;
    uint256[][] nested;
    bytes32 tag;
    mapping(uint256 => string[]) texts;

    function simple() external { owner = msg.sender; level = -3; digits[3] = 7; digits[1] = 1; grid[1][2] = 9; tag = "tag"; }
    function order(address who, uint256 id) external {
        Order storage one = orders[who][id];
        one.amount = 5; one.kind = Kind.Large; one.paid = true; one.bids[msg.sender] = 11;
        one.marks.push(1); one.marks.push(2); one.note = "short";
    }
    function lists() external {
        list.push(); list.push(); list[1].due = 99; packed.push(3); packed.push(4);
        nested.push(); nested.push(); nested[1].push(8); texts[6].push("x");
    }
    function keys(bytes4 id) external { notes[unicode"schlüssel"] = hex"c0ffee"; totals[Kind.Small] = -5; known[id] = true; }
    function long() external {
        title = "a title that is longer than thirty-two bytes, and has three slots";
        blob = hex"01";
    }
    function shorter() external { title = "gone"; }
}`

const ABI = parseAbi([
  'function simple()',
  'function order(address who, uint256 id)',
  'function lists()',
  'function keys(bytes4 id)',
  'function long()',
  'function shorter()',
])

const { output } = compileAll({ 'Shop.sol': SOURCE }, { optimizer: { enabled: true, runs: 200 } })
const shop = output.contracts['Shop.sol']?.Shop
const enums = enumMembers(output.sources['Shop.sol']?.ast)
const layout = readStorageLayout(shop?.storageLayout, enums) as StorageLayout
const code = parseData(`0x${shop?.evm.deployedBytecode.object}`)
const engine = await engineInBlock({ baseFee: 0n })

type Storage = Readonly<Record<Hex, Hex>>
interface Diff {
  readonly [account: string]: { readonly storage?: Storage }
}

/** Returns the changes and hashed preimages of a call of the contract. */
async function run(
  data: Hex,
  before: readonly SlotChange[] = [],
): Promise<{ changes: SlotChange[]; preimages: Preimages }> {
  const config = { keccak256PreimageTracer: {}, prestateTracer: { diffMode: true } }
  const { request, result } = requestOf(config)
  const tracer = await openTracer('muxTracer', request, keccak_256)
  const state = stateWith(code)
  for (const { slot, after } of before)
    state.setStorage(CONTRACT, parseData(slot), parseData(after))
  engine.beginBlock({ ...BLOCK, baseFee: 0n })
  const input = transaction({ data: parseData(data) })
  const outcome = executed(answerFrom(engine.transact(input, { trace: tracer.sink }), state))
  expect(outcome.success).toBe(true)
  tracer.finish(outcome)
  const traced = result() as {
    keccak256PreimageTracer: Readonly<Record<Hex, Hex>>
    prestateTracer: { pre: Diff; post: Diff }
  }
  const preimages = new Preimages()
  for (const preimage of Object.values(traced.keccak256PreimageTracer)) {
    preimages.add(parseData(preimage))
  }
  const { pre, post } = traced.prestateTracer
  const storage = (diff: Diff): Storage => diff[formatData(CONTRACT)]?.storage ?? {}
  const slots = new Set([...Object.keys(storage(pre)), ...Object.keys(storage(post))] as Hex[])
  const zero = formatData(new Uint8Array(32))
  const changes = [...slots].map((slot) => {
    return { slot, before: storage(pre)[slot] ?? zero, after: storage(post)[slot] ?? zero }
  })
  return { changes, preimages }
}

async function named(data: Hex, before: readonly SlotChange[] = []): Promise<string[]> {
  const { changes, preimages } = await run(data, before)
  const names = new SlotNames(layout, preimages)
  // The compiler precomputed the hashes of constant keys.
  for (const key of likelyKeys(callNodes({ input: data }))) names.guessKey(key)
  return variableChanges(changes, names)
    .map(({ path, type, before, after }) => `${type} ${path}: ${before} -> ${after}`)
    .sort()
}

const SENDER_TEXT = '0x0000000000000000000000000000000000001111'
const WHO = getAddress('0x00000000000000000000000000000000c0dec0de')

test('storage variables in their own slots, packed variables and fixed arrays have names', async () => {
  expect(await named(encodeFunctionData({ abi: ABI, functionName: 'simple' }))).toEqual(
    [
      `address owner: 0x0000000000000000000000000000000000000000 -> ${SENDER_TEXT}`,
      'int16 level: 0 -> -3',
      'uint8 digits[1]: 0 -> 1',
      'uint8 digits[3]: 0 -> 7',
      'uint256 grid[1][2]: 0 -> 9',
      `bytes32 tag: 0x${'0'.repeat(64)} -> 0x746167${'0'.repeat(58)}`,
    ].sort(),
  )
})

test('values in mappings within structs within mappings have their keys', async () => {
  const data = encodeFunctionData({ abi: ABI, functionName: 'order', args: [WHO, 7n] })
  const order = `orders[${WHO}][7]`
  expect(await named(data)).toEqual(
    [
      `uint128 ${order}.amount: 0 -> 5`,
      `enum Shop.Kind ${order}.kind: None (0) -> Large (2)`,
      `bool ${order}.paid: false -> true`,
      `uint256 ${order}.bids[${SENDER_TEXT}]: 0 -> 11`,
      `uint32[] ${order}.marks.length: 0 -> 2`,
      `uint32 ${order}.marks[0]: 0 -> 1`,
      `uint32 ${order}.marks[1]: 0 -> 2`,
      `string ${order}.note: "" -> "short"`,
    ].sort(),
  )
})

test('elements of arrays of structs, packed values, arrays and strings have their indices', async () => {
  expect(await named(encodeFunctionData({ abi: ABI, functionName: 'lists' }))).toEqual(
    [
      'struct Shop.Order[] list.length: 0 -> 2',
      'uint64 list[1].due: 0 -> 99',
      'uint24[] packed.length: 0 -> 2',
      'uint24 packed[0]: 0 -> 3',
      'uint24 packed[1]: 0 -> 4',
      'uint256[][] nested.length: 0 -> 2',
      'uint256[] nested[1].length: 0 -> 1',
      'uint256 nested[1][0]: 0 -> 8',
      'string[] texts[6].length: 0 -> 1',
      'string texts[6][0]: "" -> "x"',
    ].sort(),
  )
})

test('mapping keys are shown by type: text, enum members and short bytes', async () => {
  expect(
    await named(encodeFunctionData({ abi: ABI, functionName: 'keys', args: ['0x12345678'] })),
  ).toEqual(
    [
      'bytes notes["schlüssel"]: 0x -> 0xc0ffee',
      'int256 totals[Small (1)]: 0 -> -5',
      'bool known[0x12345678]: false -> true',
    ].sort(),
  )
})

test('a long string is one variable with a list of its slots', async () => {
  const title = 'a title that is longer than thirty-two bytes, and has three slots'
  const long = await run(encodeFunctionData({ abi: ABI, functionName: 'long' }))
  const names = new SlotNames(layout, long.preimages)
  const changes = variableChanges(long.changes, names)
  const found = changes.find(({ path }) => path === 'title')
  expect(found).toMatchObject({ type: 'string', before: '""', after: `"${title}"` })
  expect(found?.slots).toHaveLength(4)
  expect(changes.find(({ path }) => path === 'blob')).toMatchObject({ before: '0x', after: '0x01' })
  expect(changes).toHaveLength(2)

  const data = encodeFunctionData({ abi: ABI, functionName: 'shorter' })
  expect(await named(data, long.changes)).toEqual([`string title: "${title}" -> "gone"`])
})

test('a slot without a known name is shown unchanged', () => {
  const names = new SlotNames(layout, new Preimages())
  const slot = formatData(bigintToBytes(1n << 200n, 32))
  const before = formatData(bigintToBytes(1n, 32))
  const after = formatData(bigintToBytes(2n, 32))
  expect(variableChanges([{ slot, before, after }], names)).toEqual([
    { path: undefined, type: undefined, before, after, slots: [slot] },
  ])
})

test('a key that the run did not hash may be guessed', () => {
  const names = new SlotNames(layout, new Preimages())
  const slotOf = (key: bigint, slot: bigint) =>
    BigInt(
      formatData(
        keccak_256(new Uint8Array([...bigintToBytes(key, 32), ...bigintToBytes(slot, 32)])),
      ),
    )
  const totals = layout.variables.find(({ label }) => label === 'totals')?.slot as bigint
  const slot = slotOf(2n, totals)
  expect(names.at(slot)).toEqual([])
  names.guessKey(bigintToBytes(2n, 32))
  expect(names.at(slot)).toMatchObject([{ path: 'totals[Large (2)]', type: 'int256' }])
})

test('a self-referential layout is processed in finite time', () => {
  const type = (encoding: string, more: object) => {
    return { encoding, label: 'struct S', numberOfBytes: '6400', ...more }
  }
  const member = (slot: number) => {
    return { label: `m${slot}`, offset: 0, slot: `${slot}`, type: 't' }
  }
  const members = Array.from({ length: 100 }, (_, slot) => member(slot))
  const layout = readStorageLayout({
    storage: [{ label: 'top', offset: 0, slot: '0', type: 't' }],
    types: { t: type('inplace', { members }) },
  }) as StorageLayout
  const names = new SlotNames(layout, new Preimages())
  expect(names.at(50n)).toEqual([])
})

test('the slots of proxies and namespaces have names without a layout', () => {
  const preimages = new Preimages()
  const names = new SlotNames(undefined, preimages)
  const implementation = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbcn
  expect(names.at(implementation)).toMatchObject([
    { path: 'implementation (ERC-1967)', type: 'address', offset: 0, size: 20 },
  ])
  const admin = 0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103n
  expect(names.at(admin)).toMatchObject([{ path: 'admin (ERC-1967)' }])
  const beacon = 0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50n
  expect(names.at(beacon)).toMatchObject([{ path: 'beacon (ERC-1967)' }])
  // The constants of the namespaces in the contracts themselves.
  const owner = 0x9016d09d72d40fdae2fd8ceac6b6234c7706214fd39c1cd1e609a0528c199300n
  expect(names.at(owner)).toMatchObject([{ path: 'Ownable._owner', type: 'address' }])
  const erc20 = 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00n
  expect(names.at(erc20 + 2n)).toMatchObject([{ path: 'ERC20._totalSupply' }])
  const balance = preimages.addKey(bigintToBytes(0x1111n, 32), erc20)
  expect(names.at(balance)).toMatchObject([{ path: `ERC20._balances[${SENDER_TEXT}]` }])
  const initializable = 0xf0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a00n
  expect(names.at(initializable)).toMatchObject([
    { path: 'Initializable._initialized', offset: 0, size: 8 },
    { path: 'Initializable._initializing', offset: 8, size: 1 },
  ])
})
