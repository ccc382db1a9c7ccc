import { signal } from '@preact/signals'
import { encodeDeployData, getAddress } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { concatBytes } from '../../../../../host/base/bytes.ts'
import { formatData, type Hex, parseData } from '../../../../../host/base/hex.ts'
import { openBundle, openStepper } from '../../../../../host/entry/browser.ts'
import type { UnsignedTransaction } from '../../../../../host/evm/chain-types/transaction-codec.ts'
import type { AsyncStateView } from '../../../../../host/evm/state/view.ts'
import { makeContractRegistry } from '../../../../../host/explorer/page/decode/abi/contract-registry.ts'
import { SelectorTable } from '../../../../../host/explorer/page/decode/signatures/selector-table.ts'
import { phraseText } from '../../../../../host/explorer/page/decode/words/phrase.ts'
import { logsOf } from '../../../../../host/explorer/page/run/logs/logs-of.ts'
import { readMoves } from '../../../../../host/explorer/page/run/summary/read-moves.ts'
import { RunTokens } from '../../../../../host/explorer/page/sources/run-tokens.ts'
import { compileEngine } from '../../../../../host/node/wasm.ts'
import { transaction } from '../../../../support/chain/fake-chain.ts'
import type { TestState } from '../../../../support/chain/test-state.ts'
import { assemble } from '../../../../support/engine/bytecode.ts'
import { address } from '../../../../support/engine/engine-fixture.ts'
import { bundleDocument } from '../../../../support/trace/recorded-bundle.ts'
import { until } from '../../../../support/until.ts'
import { compileAll, type SolcContract } from '../solc-output.ts'

const modules = await compileEngine()

const SOURCE = `
contract Minted {
  event Transfer(address indexed from, address indexed to, uint256 value);
  string public symbol;
  uint256 public decimals;
  constructor(string memory s, uint256 d) {
    symbol = s;
    decimals = d;
    emit Transfer(address(0), msg.sender, 1_500_000);
  }
}
contract Mute {
  event Transfer(address indexed from, address indexed to, uint256 value);
  constructor() { emit Transfer(address(0), msg.sender, 1_500_000); }
}`
const contracts = compileAll({ 'T.sol': SOURCE }).output.contracts['T.sol'] ?? {}
const creation = (name: string, args: readonly unknown[]): Uint8Array => {
  const { abi, evm } = contracts[name] as SolcContract
  const bytecode: Hex = `0x${evm.bytecode.object}`
  return parseData(encodeDeployData({ abi, bytecode, args } as never))
}

/** Returns the transfers of a transaction as the page words them, once its token was asked. */
async function movesOf(
  fields: Partial<UnsignedTransaction>,
  {
    prepare = () => {},
    after,
  }: { prepare?: (view: TestState) => void; after?: AsyncStateView } = {},
): Promise<readonly string[]> {
  const sent = transaction({ nonce: 0n, gas: 3_000_000n, maxFeePerGas: 2_000_000_000n, ...fields })
  const bundle = await openBundle(await bundleDocument([sent], prepare), {
    modules,
    thread: 'page',
  })
  onTestFinished(() => bundle.close())
  const stepper = await openStepper(bundle, 0)
  const calls = await stepper.calls()
  const tokens = new RunTokens({
    bundle,
    index: 0,
    after,
    summary: signal(await stepper.summary()),
    calls: signal(calls),
  })
  onTestFinished(() => tokens.close())
  await until(() => tokens.tokens.value.size === 1)
  const lens = makeContractRegistry({ books: [new SelectorTable()], tokens: tokens.tokens.value })
  const { phrases } = await readMoves(logsOf(calls), lens, new AbortController().signal)
  return phrases.map((phrase) => phraseText(phrase).replace(/ minted to .*| from .*/, ''))
}

const minted = (symbol: string, decimals: bigint) =>
  movesOf({ to: undefined, data: creation('Minted', [symbol, decimals]) })

test('a transferred amount has the symbol and decimals of the token that the transaction created', async () => {
  expect(await minted('USDC', 6n)).toEqual(['1.5 USDC'])
})

test.each([
  ['markup', '<img src=x onerror=alert(1)>', '1.5 <img src=x on…rt(1)>'],
  ['a change of direction', 'U\u202eCDSU', '1.5 U\\u{202e}CDSU'],
  ['a letter that looks like C', 'USD\u0421', '1.5 USD\\u{421}'],
  ['1,000 characters', 'x'.repeat(1_000), `1.5 ${'x'.repeat(13)}…${'x'.repeat(6)}`],
])('a hostile symbol is escaped and short: %s', async (_, symbol, text) => {
  expect(await minted(symbol, 6n)).toEqual([text])
})

test('an amount is in base units if the decimals are more than an amount has digits', async () => {
  expect(await minted('ODD', 78n)).toEqual(['1,500,000 base units of ODD'])
})

test('a token that answers neither function is named by its address', async () => {
  const [move] = await movesOf({ to: undefined, data: creation('Mute', []) })
  expect(move).toMatch(/^1,500,000 base units of 0x[0-9a-fA-F]{40}$/)
})

const TOKEN = address(0x6a)
const TOPIC = 0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3efn
const EMITS = assemble(5, 0, 'MSTORE', 2, 1, TOPIC, 32, 0, 'LOG3', 'STOP')
/** Emits Transfer(1, 2, 5) without data; otherwise returns the slot whose number is the selector. */
const CODE = concatBytes([
  assemble('CALLDATASIZE', 4 + EMITS.length, 'JUMPI'),
  EMITS,
  assemble('JUMPDEST', 0, 'CALLDATALOAD', 224, 'SHR', 'SLOAD', 0, 'MSTORE', 32, 0, 'RETURN'),
])
const prepare = (view: TestState) => view.setAccount(TOKEN, 1n, 0n, CODE)
const NODE: AsyncStateView = {
  account: async () => undefined,
  code: async () => new Uint8Array(0),
  blockHash: async () => undefined,
  storage: async (_, slot) =>
    formatData(slot).endsWith('95d89b41')
      ? parseData(`0x${'4d4b52'.padEnd(64, '0')}`)
      : new Uint8Array(32).with(31, 1),
}

test('what the transaction did not read of a token is asked of the node, and a symbol may be bytes32', async () => {
  expect(await movesOf({ to: TOKEN }, { prepare, after: NODE })).toEqual(['0.5 MKR'])
})

test('values that nothing knows are not taken for answers', async () => {
  const [move] = await movesOf({ to: TOKEN }, { prepare })
  expect(move).toBe(`5 base units of ${getAddress(formatData(TOKEN))}`)
})
