import { type AbiFunction, encodeFunctionData, parseAbiItem } from 'viem'
import { expect, test } from 'vitest'
import type { Hex } from '../../../../../host/base/hex.ts'
import { CONSOLE } from '../../../../../host/explorer/page/decode/abi/console-abi.ts'
import { makeContractRegistry } from '../../../../../host/explorer/page/decode/abi/contract-registry.ts'
import { decodeCalldata } from '../../../../../host/explorer/page/decode/abi/decode-item.ts'
import { callLine } from '../../../../../host/explorer/page/run/calls/call-words.ts'
import { at, callNodes } from '../decode/call-nodes.ts'

const lens = makeContractRegistry({ books: [] })

function logged(signature: string, ...args: readonly unknown[]): Hex {
  const abi = [parseAbiItem(signature as string) as AbiFunction]
  return encodeFunctionData({ abi, functionName: 'log', args })
}

/** Returns the line of the call tree for a call to the console. */
function lineOf(input: Hex, to: Hex = CONSOLE): string {
  const [, call] = callNodes({ below: [{ type: 'STATICCALL', to, input }] })
  if (call === undefined) throw new Error('no call')
  return `${lens.labelOf(call.to)}.${callLine(call, lens).what}`
}

test('a call of console.log shows its arguments', () => {
  const input = logged('function log(string,uint256,bool,address)', 'left: %s', 7n, true, at(1))
  expect(lineOf(input)).toMatch(/^console\.log\("left: %s", 7, true, 0x01/)
  expect(lineOf(logged('function log(bytes4)', '0x01020304'))).toBe('console.log(0x01020304)')
  expect(lineOf(logged('function log()'))).toBe('console.log()')
})

test('a console line also appears for old selectors, and only for calls of the console address', () => {
  // The first four bytes of the hash of log(string,uint).
  const modern = logged('function log(string,uint256)', 'gas', 5n)
  const old: Hex = `0x9710a9d0${modern.slice(10)}`
  expect(lineOf(old)).toBe('console.log("gas", 5)')
  expect(decodeCalldata(old, lens, at(2)).kind).toBe('raw')
  expect(lineOf('0x01020304')).toBe('console.0x01020304(…)')
})
