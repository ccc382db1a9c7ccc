import { decodeErrorResult, encodeFunctionData, parseAbi } from 'viem'
import { describe, expect, test } from 'vitest'
import { formatData, parseData } from '../../../host/base/hex.ts'
import { answerFrom } from '../../../host/evm/state/answer.ts'
import { CHAIN_PRECOMPILES } from '../../../tools/tables/chain-precompile.ts'
import {
  address,
  engineInBlock,
  executed,
  stateWith,
  transaction,
} from '../../support/engine/engine-fixture.ts'

const JSON_ABI = parseAbi([
  'function extractAsBytes(bytes document, string name) view returns (bytes)',
  'function extractAsBytesList(bytes document, string name) view returns (bytes[])',
  'function extractAsUint256(bytes document, string name) view returns (uint256)',
  'function extractAsBytesFromArray(bytes document, uint16 place) view returns (bytes)',
])
const ERROR_ABI = parseAbi(['error Error(string)'])

async function call(to: number, data: string) {
  const engine = await engineInBlock({ revision: 'Prague', chainPrecompiles: true })
  const input = transaction({ to: address(to), data: parseData(data) })
  return executed(answerFrom(engine.transact(input), stateWith(new Uint8Array(0))))
}

function reason(output: Uint8Array): string {
  const [text] = decodeErrorResult({ abi: ERROR_ABI, data: formatData(output) }).args ?? []
  return text as string
}

describe('the precompiles of the chain', () => {
  const missing = CHAIN_PRECOMPILES.filter(({ lacks }) => lacks !== undefined)

  test.each(missing)(
    '$name reverts for features that the chain lacks',
    async ({ address: at, name, lacks }) => {
      const outcome = await call(at, '0x12345678')
      expect(outcome.error).toBe('execution reverted')
      expect(reason(outcome.output)).toBe(`this chain has ${lacks} (precompile ${name})`)
    },
  )

  test('revert for an unknown or missing function selector', async () => {
    expect(reason((await call(0x1003, '0x12345678')).output)).toBe(
      'json has no function 0x12345678',
    )
    expect(reason((await call(0x1003, '0x1234')).output)).toBe(
      'json: the input is shorter than a function selector',
    )
  })

  test('are plain accounts in blocks under other rules', async () => {
    const engine = await engineInBlock({ revision: 'Prague' })
    const input = transaction({ to: address(0x1006), data: parseData('0x12345678') })
    const outcome = executed(answerFrom(engine.transact(input), stateWith(new Uint8Array(0))))
    expect([outcome.error, outcome.output.length]).toEqual([undefined, 0])
  })

  test('the json precompile extracts a member', async () => {
    const data = encodeFunctionData({
      abi: JSON_ABI,
      functionName: 'extractAsBytes',
      args: [formatData(new TextEncoder().encode('{"a": "b", "c": [1, {"d": 2}]}')), 'c'],
    })
    const outcome = await call(0x1003, data)
    expect(outcome.error).toBeUndefined()
    expect(new TextDecoder().decode(outcome.output.subarray(64, 85)).trim()).toContain(
      '[1, {"d": 2}]',
    )
  })
})
