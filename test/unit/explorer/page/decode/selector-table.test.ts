import { parseAbiItem, toFunctionSelector } from 'viem'
import { expect, test } from 'vitest'
import type { Hex } from '../../../../../host/base/hex.ts'
import { abiItem } from '../../../../../host/explorer/page/decode/abi/abi-item.ts'
import {
  lineSignature,
  SelectorTable,
  tableLines,
} from '../../../../../host/explorer/page/decode/signatures/selector-table.ts'
import { CHAIN_PRECOMPILES } from '../../../../../tools/tables/chain-precompile.ts'

const TABLE = new SelectorTable()

test('each line of the selector table is an item whose signature hashes to its selector', () => {
  for (const { text, kind, standard } of tableLines()) {
    const item = abiItem(parseAbiItem(text), 'table', standard)
    expect(item?.signature).toBe(lineSignature(text))
    const found = TABLE.find(kind, item?.selector as Hex)
    expect(found.map(({ signature }) => signature)).toContain(item?.signature)
  }
})

test('each line of the selector table is unique', () => {
  const indexed = (text: string) =>
    text.replace(/ \w+(?=[,)])/g, (name) => (name === ' indexed' ? name : ''))
  const keys = tableLines().map(({ kind, text }) =>
    kind === 'event' ? indexed(text) : `${kind} ${lineSignature(text)}`,
  )
  expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([])
})

/** Well-known selectors. */
test.each([
  ['function', '0xa9059cbb', 'transfer(address,uint256)'],
  ['function', '0x38ed1739', 'swapExactTokensForTokens(uint256,uint256,address[],address,uint256)'],
  [
    'function',
    '0x6a761202',
    'execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)',
  ],
  [
    'function',
    '0x414bf389',
    'exactInputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))',
  ],
  [
    'function',
    '0x04e45aaf',
    'exactInputSingle((address,address,uint24,address,uint256,uint256,uint160))',
  ],
  ['function', '0x82ad56cb', 'aggregate3((address,bool,bytes)[])'],
  ['function', '0x3593564c', 'execute(bytes,bytes[],uint256)'],
  [
    'function',
    '0x2b67b570',
    'permit(address,((address,uint160,uint48,uint48),address,uint256),bytes)',
  ],
  [
    'function',
    '0x1fad948c',
    'handleOps((address,uint256,bytes,bytes,uint256,uint256,uint256,uint256,uint256,bytes,bytes)[],address)',
  ],
  [
    'function',
    '0x765e827f',
    'handleOps((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes)[],address)',
  ],
  ['function', '0x1f931c1c', 'diamondCut((address,uint8,bytes4[])[],address,bytes)'],
  ['error', '0x08c379a0', 'Error(string)'],
  ['error', '0x4e487b71', 'Panic(uint256)'],
  ['error', '0xe450d38c', 'ERC20InsufficientBalance(address,uint256,uint256)'],
  ['error', '0x118cdaa7', 'OwnableUnauthorizedAccount(address)'],
  ['error', '0x220266b6', 'FailedOp(uint256,string)'],
  [
    'event',
    '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
    'Transfer(address,address,uint256)',
  ],
  ['event', '0xbc7cd75a20ee27fd9adebab32cf741f99e5b1bd51b0e5b4f7f6b7b6e1a4b4e4f', undefined],
] as const)('%s %s has the selector %s', (kind, selector, signature) => {
  expect(TABLE.find(kind, selector)[0]?.signature).toBe(signature)
})

test('the selector table has every function and event of this chain’s precompiles', () => {
  for (const { functions = [], events = [] } of CHAIN_PRECOMPILES) {
    for (const { signature } of functions) {
      const found = TABLE.find('function', toFunctionSelector(signature))
      expect(found.map((item) => item.signature)).toContain(signature)
    }
    const known = tableLines().filter(({ kind }) => kind === 'event')
    for (const event of events) {
      expect(known.map(({ text }) => lineSignature(text))).toContain(event)
    }
  }
})
