import { getAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Hex } from '../../../../../host/base/hex.ts'
import { ContractSet } from '../../../../../host/explorer/page/decode/solc/contract-set.ts'
import type { LocalValue } from '../../../../../host/explorer/page/decode/solc/local-value.ts'
import { readDropped } from '../../../../../host/explorer/page/decode/solc/read-dropped.ts'
import { InternalCallList } from '../../../../../host/explorer/page/sources/internal-call-list.ts'
import { stepVariables } from '../../../../../host/explorer/page/sources/step-variables.ts'
import { compileAll, type SolcContract } from '../solc-output.ts'
import { calldata, createdBy, creationOf, failedRun } from './failing-run.ts'

const SOURCE = `
type Price is uint128;
contract Locals {
  enum Kind { Low, High }
  struct Point { uint256 x; int64 y; string label; Kind kind; uint8[] list; }
  Point stored;
  uint256 total;
  modifier counted(uint256 by) {
    uint256 before = total + by;
    _;
    total = before;
  }
  function values(uint8 small, int64 negative, bool flag, address to, bytes4 four, Kind kind)
    external returns (uint256 result)
  {
    uint256 first = uint256(small) + 1;
    (uint256 a, , int256 c) = three();
    { uint256 hidden = 5; first += hidden; }
    for (uint256 i = 0; i < 3; i++) {
      Price price = Price.wrap(uint128(i));
      if (i == 2) { bytes32 word = bytes32(uint256(7)); require(word == 0 || Price.unwrap(price) == 9, "values"); }
    }
    result = first + a + uint256(c);
  }
  function three() internal pure returns (uint256, uint256, int256) { return (1, 2, -3); }
  function memories(string calldata text, uint256[] calldata numbers, bytes memory raw) external {
    Point memory point = Point(1, -2, "\\"p\\"\\u202e", Kind.High, new uint8[](2));
    point.list[1] = 9;
    uint256[2] memory pair = [uint256(3), 4];
    Point storage p = stored;
    helper(point, pair);
    p.x = numbers.length + raw.length + bytes(text).length;
  }
  function helper(Point memory point, uint256[2] memory pair) internal pure {
    string memory shown = point.label;
    require(pair[0] == 0, shown);
  }
  function modified(uint256 n) external counted(n + 1) returns (uint256 r) {
    uint256 local = n * 2;
    require(local == 0, "modified");
    r = local;
  }
}`

const settings = (more: object) => ({
  outputSelection: { '*': { '*': ['*'], '': ['ast'] } },
  ...more,
})

async function failedIn(name: string, args: readonly unknown[], more: object = {}) {
  const { input, output } = compileAll({ 'l.sol': SOURCE }, settings(more))
  const contract = output.contracts['l.sol']?.Locals as SolcContract
  const contracts = new ContractSet([readDropped('b.json', JSON.stringify({ input, output }))])
  const failing = { to: createdBy(0), input: calldata(contract, name, args) }
  const run = await failedRun(contracts, [creationOf(contract, createdBy(0))], failing)
  const at = run.calls.find(({ fault }) => fault !== undefined)?.fault?.step as number
  const internal = new InternalCallList(await run.stepper.internalCalls(run.sources.marks()))
  const variables = await stepVariables(run, internal, await run.stepper.step(at))
  await run.stepper.close()
  return variables
}

const shown = ({ name, type, text, parts }: LocalValue): unknown =>
  parts.length === 0 ? `${type} ${name} = ${text}` : [`${type} ${name}`, ...parts.map(shown)]

const TO: Hex = `0x${'ab'.repeat(20)}`
const UNOPTIMIZED = { optimizer: { enabled: false } }

describe('the variables of a step', () => {
  test('are the parameters, results and locals in scope, by type', async () => {
    const args = [7, -5n, true, TO, '0x11223344', 1]
    const found = await failedIn('values', args, UNOPTIMIZED)
    expect(found).toMatchObject({
      kind: 'known',
      functionName: 'Locals.values',
      isOptimized: false,
    })
    expect(found.kind === 'known' && found.values.map(shown)).toEqual([
      'uint8 small = 7',
      'int64 negative = -5',
      'bool flag = true',
      `address to = ${getAddress(TO)}`,
      'bytes4 four = 0x11223344',
      'enum Locals.Kind kind = High (1)',
      'uint256 result = 0',
      'uint256 first = 13',
      'uint256 a = 1',
      'int256 c = -3',
      'uint256 i = 2',
      'Price price = 2',
      `bytes32 word = 0x${'7'.padStart(64, '0')}`,
    ])
  })

  test('have the elements of arrays and members of structs in memory, with escaped texts', async () => {
    const found = await failedIn('memories', ['hey', [5n, 6n], '0x0102'], UNOPTIMIZED)
    expect(found).toMatchObject({ functionName: 'Locals.helper' })
    expect(found.kind === 'known' && found.values.map(shown)).toEqual([
      [
        'struct Locals.Point memory point',
        'uint256 x = 1',
        'int64 y = -2',
        'string label = "\\"p\\"\\u{202e}"',
        'enum Locals.Kind kind = High (1)',
        ['uint8[] list', 'uint8 [0] = 0', 'uint8 [1] = 9'],
      ],
      ['uint256[2] memory pair', 'uint256 [0] = 3', 'uint256 [1] = 4'],
      'string memory shown = "\\"p\\"\\u{202e}"',
    ])
  })

  test('come after those of the modifiers around the function', async () => {
    const found = await failedIn('modified', [20n], UNOPTIMIZED)
    expect(found.kind === 'known' && found.values.map(shown)).toEqual([
      ...['uint256 n = 20', 'uint256 r = 0', 'uint256 by = 21', 'uint256 before = 21'],
      'uint256 local = 40',
    ])
  })

  test('of optimized code say so', async () => {
    const found = await failedIn('modified', [20n], { optimizer: { enabled: true, runs: 200 } })
    expect(found).toMatchObject({ kind: 'known', isOptimized: true })
  })

  test('are unknown in code that was compiled through Yul', async () => {
    const found = await failedIn('modified', [20n], { viaIR: true })
    expect(found).toEqual({
      kind: 'unknown',
      why: 'The code was compiled through Yul (viaIR), whose output does not say where variables are.',
    })
  })
})
