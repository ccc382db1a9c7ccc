import { encodeErrorResult, encodeFunctionData, parseAbi, toFunctionSelector } from 'viem'
import { describe, expect, test } from 'vitest'
import { formatData, type Hex, parseData } from '../../../../../host/base/hex.ts'
import { PRECOMPILE_FAILURES } from '../../../../../host/evm/engine/generated/precompile-failure.ts'
import { openRunStepper } from '../../../../../host/explorer/browser/step/run-stepper.ts'
import type { CallNode, Stepper } from '../../../../../host/explorer/browser/step/stepper.ts'
import { AbiRegistry } from '../../../../../host/explorer/page/decode/abi/abi-registry.ts'
import {
  type ContractRegistry,
  makeContractRegistry,
} from '../../../../../host/explorer/page/decode/abi/contract-registry.ts'
import { SelectorTable } from '../../../../../host/explorer/page/decode/signatures/selector-table.ts'
import { faultWords } from '../../../../../host/explorer/page/decode/words/fault-words.ts'
import { phraseText } from '../../../../../host/explorer/page/decode/words/phrase.ts'
import { summaryWords } from '../../../../../host/explorer/page/decode/words/summary-words.ts'
import { FAULTS, GAS_FAILURES } from '../../../../../tools/tables/fault.ts'
import {
  address,
  CONTRACT,
  engineInBlock,
  stateWith,
} from '../../../../support/engine/engine-fixture.ts'
import { call, recordedBundle } from '../../../../support/trace/recorded-bundle.ts'
import { compileAll } from '../solc-output.ts'
import { callNodes, fault } from './call-nodes.ts'

const SOURCE = `
interface Token { function transfer(address to, uint256 value) external returns (bool); }
contract Vault {
    error TooLittle(uint256 wanted, uint256 there);
    error CallFailed();
    event Transfer(address indexed from, address indexed to, uint256 value);

    mapping(address => uint256) balances;
    uint256[] list;

    function custom(uint256 wanted) external view { revert TooLittle(wanted, balances[msg.sender]); }
    function reason() external pure { require(false, unicode"nicht genug \\u202e"); }
    function empty() external pure { require(false); }
    function overflow() external view { balances[msg.sender] - 1; }
    function outOfBounds() external view returns (uint256) { return list[3]; }
    function divide(uint256 by) external pure returns (uint256) { return 1 / by; }
    function loop() external { while (true) { list.push(1); } }
    function noContract() external { Token(address(0xdead)).transfer(address(1), 1); }
    function low() external { (bool ok, ) = address(this).call(abi.encodeCall(this.custom, (7))); if (!ok) revert CallFailed(); }
    function bubble() external { this.low(); }
    function high(uint256 value) external { this.custom(value); }
    function caught() external returns (uint256) { try this.reason() { } catch { list.push(1); } return 1; }
    function pay(address payable to) external payable { to.transfer(msg.value); emit Transfer(msg.sender, to, 5); }
    function written() external view returns (uint256 result) { (, bytes memory r) = address(this).staticcall(abi.encodeCall(this.caught, ())); return r.length; }
    function assertOld() external pure { assembly { invalid() } }
    function spin() external pure { while (true) { } }
    function jump() external pure { assembly { pop(0) } function() internal pure f; f(); }
}`

const { output } = compileAll({ 'Vault.sol': SOURCE }, { optimizer: { enabled: true } })
const vault = output.contracts['Vault.sol']?.Vault
const code = parseData(`0x${vault?.evm.deployedBytecode.object}`)
const VAULT = formatData(CONTRACT)
const ABI = parseAbi([
  'function custom(uint256 wanted)',
  'function divide(uint256 by)',
  'function high(uint256 value)',
  'function pay(address to)',
])
const recording = await engineInBlock()
const stepping = await engineInBlock()
const TABLE = new SelectorTable()
const BLIND = makeContractRegistry({ books: [TABLE] })
const SEEING = makeContractRegistry({
  books: [TABLE],
  abis: new Map([[VAULT, AbiRegistry.fromJson(vault?.abi, 'contract', 'Vault')]]),
  labels: new Map([
    [VAULT, 'Vault'],
    ['0x0000000000000000000000000000000000001111', 'Alice'],
    ['0x000000000000000000000000000000000000dead', 'Nobody'],
  ]),
})

const selector = (name: string): Hex => toFunctionSelector(`${name}()`)

/** Returns the explanation of a call of the contract. */
async function words(data: Hex, lens: ContractRegistry = SEEING, fields: object = {}) {
  const state = stateWith(code)
  const bundle = await recordedBundle(recording, state, [
    call({ data: parseData(data), ...fields }),
  ])
  const stepper: Stepper = openRunStepper({ bundle, engine: stepping })
  const nodes = await stepper.calls()
  const said = summaryWords(await stepper.summary(), nodes, lens)
  const step = nodes[said?.failedFirst ?? 0]?.fault?.step
  const [row] = step === undefined ? [] : await stepper.rows(step, 1)
  const found = summaryWords(await stepper.summary(), nodes, lens, row)
  await stepper.close()
  if (found === undefined) throw new Error('no frames')
  return {
    headline: phraseText(found.headline),
    what: phraseText(found.what),
    why: found.why === undefined ? undefined : phraseText(found.why).replace(/, step [\d,]+/g, ''),
    cause: phraseText(found.cause),
    moves: found.moves.map(phraseText),
    caught: found.caught.map((each) => phraseText(each).replace(/, step [\d,]+/g, '')),
    gas: phraseText(found.gas),
  }
}

describe('the explanation of a failure', () => {
  test('uses the error in the contract’s ABI', async () => {
    const data = encodeFunctionData({ abi: ABI, functionName: 'custom', args: [7n] })
    expect(await words(data)).toMatchObject({
      headline: 'custom failed: TooLittle(wanted: 7, there: 0)',
      what: 'Alice called custom(wanted: 7) of Vault.',
      why: 'In custom of Vault: The code reverted with the error TooLittle(wanted: 7, there: 0).',
      cause: '',
      moves: [],
      caught: [],
    })
  })

  test('has the selector if the error is unknown', async () => {
    const data = encodeFunctionData({ abi: ABI, functionName: 'custom', args: [7n] })
    expect(await words(data, BLIND)).toMatchObject({
      headline: '0x33ab477d failed: reverted with 0x618bc7c9',
      why: 'In 0x33ab477d of 0x0000000000000000000000000000000000002222: The code reverted with 68 bytes of data: unknown error with the selector 0x618bc7c9.',
      cause: 'Drop the ABI of the contract, or its compiler output, on the page to decode it.',
    })
  })

  const ANY = /^Usual causes: a require or revert without a message, /
  test.each([
    ['reason', 'The code reverted with the reason "nicht genug \\u{202e}".', /^$/],
    ['empty', 'The code reverted without data.', ANY],
    [
      'overflow',
      'A check added by Solidity failed: arithmetic overflow or underflow (panic 0x11).',
      /^A checked \+, - or \* left the range of its type\./,
    ],
    [
      'outOfBounds',
      'A check added by Solidity failed: index out of bounds (panic 0x32).',
      /^An element at or past the length of an array, or of bytesN, was accessed\.$/,
    ],
    [
      'noContract',
      'The code reverted without data.',
      /^The last call, of Nobody, ran no code and returned nothing: there is no contract\./,
    ],
    [
      'assertOld',
      'The opcode INVALID ran: all gas of the frame is consumed.',
      /^Compilers before 0\.8\.0/,
    ],
    [
      'jump',
      'A check added by Solidity failed: call of a zero function pointer (panic 0x51).',
      /^A variable of an internal function type was called before it was set\.$/,
    ],
    [
      'loop',
      'A write to a storage slot was attempted with 2,300 gas or less left.',
      /^Since EIP-2200 SSTORE then fails/,
    ],
    [
      'spin',
      'The gas of the frame was used up.',
      /^[A-Z0-9]+ needed [\d,]+ gas, but only [\d,]+ were left\. Of the 1\d\d,\d{3} gas that the frame had, 1\d\d,\d{3} went to its own code\. It is the transaction’s own frame: raise the gas limit/,
    ],
  ])('for %s is: %s', async (name, what, cause) => {
    const found = await words(selector(name), SEEING, { gas: 200_000n })
    expect(found.why).toBe(`In ${name} of Vault: ${what}`)
    expect(found.cause).toMatch(cause)
  })

  test('traces the error to the frame in which it began', async () => {
    const inner =
      'In custom of Vault: The code reverted with the error TooLittle(wanted: 7, there: 0).'
    const low = 'low of Vault failed because of it with its own error: CallFailed().'
    expect((await words(selector('low'))).why).toBe(`${inner} ${low}`)
    const bubble = 'bubble of Vault passed it on.'
    expect(await words(selector('bubble'))).toMatchObject({
      headline: 'bubble failed: TooLittle(wanted: 7, there: 0)',
      why: `${inner} ${low} ${bubble}`,
    })
  })

  test('states why a call was refused, as far as the ABI tells', async () => {
    const divide = encodeFunctionData({ abi: ABI, functionName: 'divide', args: [0n] })
    expect((await words(divide)).why).toBe(
      'In divide of Vault: A check added by Solidity failed: division or modulo by zero (panic 0x12).',
    )
    expect((await words(divide, SEEING, { value: 3n })).cause).toBe(
      'divide(uint256) is not payable, and 3 wei came with the call.',
    )
    expect((await words(divide.slice(0, 20) as Hex)).cause).toBe(
      'The compiler’s checks reject the arguments: not the arguments of divide(uint256): byte 31 is needed, but there are only 5.',
    )
    expect((await words('0x')).cause).toBe(
      'The contract has no receive() or fallback that accepts it: the call came without data.',
    )
    expect((await words('0xc0ffee00')).cause).toBe(
      'Vault has no function with the selector 0xc0ffee00, and no fallback that accepts the call.',
    )
  })

  test('includes an error that another error carries in its bytes', () => {
    const inner = encodeErrorResult({ abi: parseAbi(['error Error(string)']), args: ['no funds'] })
    const output = encodeErrorResult({
      abi: parseAbi(['error FailedOpWithRevert(uint256, string, bytes)']),
      args: [2n, 'AA23 reverted', inner],
    })
    const nodes = callNodes({ fault: fault('execution reverted', output) })
    const said = faultWords(nodes[0] as CallNode, BLIND, nodes)
    expect(phraseText(said?.cause ?? [])).toBe('Its inner is the error Error(reason: "no funds").')
    expect(said?.what).toBe(
      `The code reverted with the error FailedOpWithRevert(opIndex: 2, reason: "AA23 reverted", inner: ${inner}) (of EntryPoint, by its selector).`,
    )
  })

  test('exists for each error message of the engine', () => {
    const texts = [
      ...FAULTS.map(({ text }) => text).filter((text) => text !== ''),
      ...GAS_FAILURES.map(({ text }) => `out of gas: ${text}`),
      ...PRECOMPILE_FAILURES,
      'invalid opcode: opcode 0x21 not defined',
    ]
    for (const error of texts) {
      const nodes = callNodes({ fault: fault(error) })
      const said = faultWords(nodes[0] as CallNode, BLIND, nodes)
      expect(said?.what).toMatch(/^[A-Z].*\.$/)
      expect(said?.what).not.toContain('ended with')
      expect(phraseText(said?.cause ?? [])).toMatch(/\.$/)
    }
    const nodes = callNodes({ fault: fault('out of gas: write protection') })
    expect(faultWords(nodes[0] as CallNode, BLIND, nodes)?.what).toBe(
      'A frame that may not change state tried to.',
    )
  })
})

describe('the summary of a success', () => {
  test('includes failures that were caught', async () => {
    const reason =
      'In reason of Vault: The code reverted with the reason "nicht genug \\u{202e}". caught of Vault continued anyway.'
    expect(await words(selector('caught'))).toMatchObject({
      headline: 'caught succeeded',
      why: undefined,
      cause: '',
      caught: [reason],
    })
    expect((await words(selector('written'))).caught).toEqual([
      'In caught of Vault: A frame that may not change state tried to. written of Vault continued anyway.',
      reason,
    ])
  })

  test('includes transfers of ether and tokens', async () => {
    const to = formatData(address(0x7777))
    const data = encodeFunctionData({ abi: ABI, functionName: 'pay', args: [to] })
    const text = '0x0000000000000000000000000000000000007777'
    const { what, moves } = await words(data, SEEING, { value: 10n ** 15n })
    expect(what).toBe(`Alice called pay(to: ${text}) of Vault with 0.001 ether.`)
    expect(moves).toEqual([
      `0.001 ether from Vault to ${text}`,
      `5 base units of Vault from Alice to ${text}`,
    ])
  })
})

describe('the headline of a transaction that runs no code', () => {
  const summary = {
    success: true,
    gasUsed: 21_000n,
    gasLimit: 50_000n,
    output: '0x',
    fault: undefined,
    steps: 0,
    contractAddress: undefined,
    changes: [],
  } as const
  const lens = makeContractRegistry({ books: [] })
  const told = (fields: Partial<CallNode>) => {
    const found = summaryWords(summary, callNodes(fields), lens)
    return found && [phraseText(found.headline), phraseText(found.what)]
  }
  const plain = { from: `0x${'11'.repeat(20)}`, to: `0x${'22'.repeat(20)}` } as const

  test('of a transfer is the amount and the receiver', () => {
    expect(told({ ...plain, value: 5n })?.[0]).toMatch(/^5 wei sent to 0x2222/)
  })

  test('of data says that the account has no code', () => {
    const [headline, what] = told({ ...plain, value: 5n, input: '0xa9059cbb0102' }) ?? []
    expect(headline).toMatch(/^Data sent to 0x2222\w+, which has no code$/)
    expect(what).toMatch(
      /sent 6 bytes of data with 5 wei to 0x2222\w+, which has no code: nothing ran\.$/,
    )
  })

  test('of a precompile is that of a call', () => {
    const identity = `0x${'00'.repeat(19)}04` as const
    expect(told({ ...plain, to: identity, input: '0x01020304' })?.[0]).toMatch(/succeeded$/)
  })
})

test('a failure through many calls with a long reason is told in a few lines', () => {
  const data = encodeErrorResult({
    abi: parseAbi(['error Error(string)']),
    errorName: 'Error',
    args: ['x'.repeat(3_200)],
  })
  const failed = { fault: fault('execution reverted', data), output: data }
  const nest = (depth: number): Parameters<typeof callNodes>[0] =>
    depth === 0 ? failed : { ...failed, below: [nest(depth - 1)] }
  const nodes = callNodes(nest(60))
  const table = makeContractRegistry({ books: [new SelectorTable()] })
  const summary = {
    success: false,
    gasUsed: 1n,
    gasLimit: 1n,
    output: data,
    fault: nodes[0]?.fault,
    steps: 100,
    contractAddress: undefined,
    changes: [],
  }
  const found = summaryWords(summary, nodes, table)
  expect(phraseText(found?.headline ?? []).length).toBeLessThan(200)
  expect(phraseText(found?.why ?? [])).toMatch(/The failure went on through 57 calls above\.$/)
  expect(phraseText(found?.why ?? []).length).toBeLessThan(800)
})
