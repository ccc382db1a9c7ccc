import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatData, type Hex } from '../../../../../host/base/hex.ts'
import { ContractSet } from '../../../../../host/explorer/page/decode/solc/contract-set.ts'
import { readDropped } from '../../../../../host/explorer/page/decode/solc/read-dropped.ts'
import { parseWatch } from '../../../../../host/explorer/page/decode/watch/watch-expression.ts'
import {
  evaluateWatch,
  type WatchScope,
} from '../../../../../host/explorer/page/decode/watch/watch-value.ts'
import { InternalCallList } from '../../../../../host/explorer/page/sources/internal-call-list.ts'
import { variableScope } from '../../../../../host/explorer/page/sources/step-scope.ts'
import { stepVariables } from '../../../../../host/explorer/page/sources/step-variables.ts'
import { SENDER } from '../../../../support/engine/engine-fixture.ts'
import { compileAll, type SolcContract } from '../solc-output.ts'
import { calldata, createdBy, creationOf, type FailedRun, failedRun } from './failing-run.ts'

const SOURCE = `
contract Watched {
  enum Kind { Low, High }
  struct Order { uint64 id; bool open; address maker; string note; uint16[] parts; mapping(bytes4 => int8) marks; }
  uint128 low = 3;
  int128 negative = -4;
  Kind kind = Kind.High;
  uint256 untouched = 9;
  mapping(address => uint256) balances;
  mapping(string => mapping(uint8 => Order)) orders;
  uint24[7] packed;
  bytes long;
  uint256 later = 6;
  function fail(uint256[] memory list) external {
    require(low == 3 && negative == -4 && kind == Kind.High);
    balances[msg.sender] = 77;
    Order storage order = orders["a b"][2];
    order.id = 5; order.open = true; order.maker = msg.sender; order.note = "short";
    order.parts.push(11); order.parts.push(12);
    order.marks[0x01020304] = -1;
    packed[6] = 1234;
    long = "0123456789012345678901234567890123456789";
    require(list.length == 0, "here");
    later = 7;
  }
}`

describe('the variables that expressions name at a step', () => {
  let run: FailedRun
  let scope: WatchScope
  beforeAll(async () => {
    const settings = { outputSelection: { '*': { '*': ['*'], '': ['ast'] } } }
    const { input, output } = compileAll({ 'w.sol': SOURCE }, settings)
    const contract = output.contracts['w.sol']?.Watched as SolcContract
    const contracts = new ContractSet([readDropped('b.json', JSON.stringify({ input, output }))])
    const failing = { to: createdBy(0), input: calldata(contract, 'fail', [[4n, 5n]]) }
    run = await failedRun(contracts, [creationOf(contract, createdBy(0))], failing)
    const at = run.calls.find(({ fault }) => fault !== undefined)?.fault?.step as number
    const step = await run.stepper.step(at)
    const internal = new InternalCallList(await run.stepper.internalCalls(run.sources.marks()))
    scope = await variableScope(run, step, await stepVariables(run, internal, step))
  })
  afterAll(() => run?.stepper.close())

  const sender = formatData(SENDER)
  const text = (expression: string) => evaluateWatch(parseWatch(expression), scope).text

  test.each<[expression: string, value: string]>([
    ['low', '3'],
    ['negative', '-4'],
    ['kind', 'High (1)'],
    ['kind == 1', 'true'],
    [`balances[${sender}]`, '77'],
    [`balances[${sender}] > 5 && !(low >= 4)`, 'true'],
    ['orders["a b"][2].id', '5'],
    ['orders["a b"][2].open', 'true'],
    [`orders["a b"][low - 1].maker == ${sender}`, 'true'],
    ['orders["a b"][2].note', '"short"'],
    ['orders["a b"][2].note == "short"', 'true'],
    ['orders["a b"][2].note.length', '5'],
    ['orders["a b"][2].parts.length', '2'],
    ['orders["a b"][2].parts[0] + orders["a b"][2].parts[1] * 2', '35'],
    ['orders["a b"][2].marks[0x01020304]', '-1'],
    ['order.id', '5'],
    ['order.parts[1]', '12'],
    ['packed[6]', '1234'],
    ['long', '"0123456789012345678901234567890123456789"'.replaceAll('"', '') as Hex],
    ['long.length', '40'],
    ['list.length', '2'],
    ['list[0] * 10 + list[1]', '45'],
  ])('%s is %s', (expression, value) => {
    const found = text(expression)
    // The bytes of a `bytes` variable are shown in hex.
    const bytes = `0x${Buffer.from(value).toString('hex')}`
    expect(found).toBe(expression === 'long' ? bytes : value)
  })

  test.each([
    ['untouched', 'the transaction does not use untouched, so its value is not known'],
    ['balances[7]', 'the transaction does not use balances[7], so its value is not known'],
    ['balances', 'balances is a mapping(address => uint256): name a member or an element'],
    ['order.nothing', 'order has no member nothing'],
    ['order.parts[2]', 'order.parts has no element 2: it has 2'],
    ['packed[7]', 'packed has no element 7: it has 7'],
    ['low[0]', 'low has no elements'],
    ['list[2]', 'there is no element 2'],
    ['nothing', 'nothing is not known here'],
    ['orders[1]', 'the keys of orders are texts: write one in double quotes'],
    ['low / (low - 3)', 'a division by zero'],
    ['low && true', 'want true or false, got a number'],
    ['-kind + (low == 3)', 'want a number, got a boolean'],
    ['low == "3"', 'a number is not compared with a text'],
  ])('%s: %s', (expression, message) => {
    expect(() => text(expression)).toThrow(message)
  })
})
