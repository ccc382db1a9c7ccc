import { keccak_256 } from '@noble/hashes/sha3.js'
import { type AbiFunction, encodeFunctionData, parseAbiItem, toFunctionSelector } from 'viem'
import { describe, expect, test } from 'vitest'
import { hexDigits, parseData } from '../../../../../host/base/hex.ts'
import {
  CONSOLE_ADDRESS,
  consoleCall,
  consoleText,
} from '../../../../../host/evm/trace/tracers/console-call.ts'
import { ConsoleTable } from '../../../../../host/evm/trace/tracers/console-table.ts'

const table = new ConsoleTable(keccak_256)
const CONTRACT = parseData(`0x${'c1'.repeat(20)}`)
const ADDRESS = '0x52908400098527886e0f7030069857d2e4169ee7'

/** Encodes a call of console.log as a contract makes it. */
function logged(types: readonly string[], ...args: readonly unknown[]) {
  const item = parseAbiItem(`function log(${types.join(',')})` as string) as AbiFunction
  const input = parseData(encodeFunctionData({ abi: [item], functionName: 'log', args }))
  return consoleCall({ to: CONSOLE_ADDRESS, from: CONTRACT, input }, table)
}

function text(types: readonly string[], ...args: readonly unknown[]): string | undefined {
  const call = logged(types, ...args)
  return call && consoleText(call)
}

const SAMPLES: Readonly<Record<string, unknown>> = {
  uint256: 2n ** 255n,
  string: 'naïve\n',
  bool: true,
  address: ADDRESS,
}

describe('console.log', () => {
  test('is decoded in every form of console.sol', () => {
    const names = Object.keys(SAMPLES)
    let forms: string[][] = [[]]
    for (let count = 0; count <= 4; count++) {
      for (const types of forms) {
        const args = types.map((type) => SAMPLES[type])
        expect(logged(types, ...args)).toEqual({
          contract: CONTRACT,
          signature: `log(${types.join(',')})`,
          types,
          values: args,
        })
      }
      forms = forms.flatMap((types) => names.map((name) => [...types, name]))
    }
    // 341 with up to four arguments; int256, bytes and bytes1 to bytes32; log(string,int256); 222 old spellings
    expect(table.size).toBe(341 + 34 + 1 + 222)
  })

  test('is decoded with the old selectors as well, which hash uint instead of uint256', () => {
    const selector = toFunctionSelector('function log(string,uint256)')
    const old = hexDigits(keccak_256(new TextEncoder().encode('log(string,uint)')).slice(0, 4))
    expect(old).not.toBe(selector.slice(2))
    const modern = encodeFunctionData({
      abi: [parseAbiItem('function log(string,uint256)')],
      functionName: 'log',
      args: ['gas', 7n],
    })
    const input = parseData(`0x${old}${modern.slice(10)}`)
    const call = consoleCall({ to: CONSOLE_ADDRESS, from: CONTRACT, input }, table)
    expect(call && consoleText(call)).toBe('gas 7')
  })

  test('shows values of each type', () => {
    expect(text([])).toBe('')
    expect(text(['int256'], -5n)).toBe('-5')
    expect(text(['bytes'], '0x0102')).toBe('0x0102')
    expect(text(['bytes3'], '0x010203')).toBe('0x010203')
    expect(text(['bool', 'address'], false, ADDRESS)).toBe(`false ${ADDRESS}`)
    expect(text(['uint256', 'uint256'], 1n, 2n)).toBe('1 2')
    expect(text(['string', 'int256'], 'delta', -1n)).toBe('delta -1')
  })

  test('inserts values into a format string and appends the others', () => {
    expect(text(['string', 'uint256', 'string'], '%d of %s', 3n, 'four')).toBe('3 of four')
    expect(text(['string', 'uint256'], 'done: 100%%, %x', 255n)).toBe('done: 100%, 0xff')
    expect(text(['string', 'string', 'bool'], 'a %o', 'b', true)).toBe("a 'b' true")
    expect(text(['string', 'uint256'], '%s %s', 1n)).toBe('1 %s')
    expect(text(['string'], '100%')).toBe('100%')
  })

  test('is not decoded if the address, the selector or the data differs', () => {
    const good = parseData(
      encodeFunctionData({
        abi: [parseAbiItem('function log(string)')],
        functionName: 'log',
        args: ['long enough to lie in its own words, behind offset and length'],
      }),
    )
    const at = (to: Uint8Array, input: Uint8Array) =>
      consoleCall({ to, from: CONTRACT, input }, table)
    expect(at(CONSOLE_ADDRESS, good)).toBeDefined()
    expect(at(CONTRACT, good)).toBeUndefined()
    expect(at(CONSOLE_ADDRESS, good.subarray(0, 3))).toBeUndefined()
    expect(at(CONSOLE_ADDRESS, Uint8Array.from([1, 2, 3, 4]))).toBeUndefined()
    for (let length = 4; length < 4 + 64 + 62; length += 7) {
      expect(at(CONSOLE_ADDRESS, good.subarray(0, length))).toBeUndefined()
    }
    const far = good.slice()
    far.fill(0xff, 4, 36)
    expect(at(CONSOLE_ADDRESS, far)).toBeUndefined()
    const longer = good.slice()
    longer.fill(0xff, 36, 68)
    expect(at(CONSOLE_ADDRESS, longer)).toBeUndefined()
  })
})
