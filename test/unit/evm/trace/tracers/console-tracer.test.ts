import { keccak_256 } from '@noble/hashes/sha3.js'
import { encodeFunctionData, parseAbiItem } from 'viem'
import { expect, test } from 'vitest'
import { parseData } from '../../../../../host/base/hex.ts'
import { answerFrom } from '../../../../../host/evm/state/answer.ts'
import { openTracer } from '../../../../../host/evm/trace/tracers/tracer-table.ts'
import { LOGGER, LOGGER_THAT_REVERTS } from '../../../../support/contracts/console-logger.ts'
import {
  BLOCK,
  engineInBlock,
  executed,
  stateWith,
  transaction,
} from '../../../../support/engine/engine-fixture.ts'
import { requestOf } from '../../../../support/trace/tracer-request.ts'

const engine = await engineInBlock({ baseFee: 0n })

/** Returns what consoleTracer reports for a call of the code. */
async function consoleOf(code: Uint8Array, data: Uint8Array, limits = {}): Promise<unknown> {
  const { request, result } = requestOf()
  const tracer = await openTracer(
    'consoleTracer',
    { ...request, limits: { ...request.limits, ...limits } },
    keccak_256,
  )
  engine.beginBlock({ ...BLOCK, baseFee: 0n })
  const input = transaction({ type: 0, gas: 100_000n, data })
  const run = engine.transact(input, { trace: tracer.sink })
  tracer.finish(executed(answerFrom(run, stateWith(code))))
  return result()
}

const MESSAGE = parseData(
  encodeFunctionData({
    abi: [parseAbiItem('function log(string,uint256)')],
    functionName: 'log',
    args: ['%s tokens left', 10n ** 20n],
  }),
)

const LOGGED = {
  depth: 0,
  signature: 'log(string,uint256)',
  values: ['%s tokens left', '100000000000000000000'],
  text: '100000000000000000000 tokens left',
}

test('consoleTracer returns what contracts log, also in reverted frames', async () => {
  const found = await consoleOf(LOGGER, MESSAGE)
  expect(found).toEqual([{ contract: expect.stringMatching(/^0x[0-9a-f]{40}$/), ...LOGGED }])
  expect(await consoleOf(LOGGER_THAT_REVERTS, MESSAGE)).toEqual(found)
})

test('consoleTracer ignores other calls of the console address and stays within its limit', async () => {
  expect(await consoleOf(LOGGER, Uint8Array.of(1, 2, 3, 4, 5))).toEqual([])
  expect(await consoleOf(Uint8Array.of(0), MESSAGE)).toEqual([])
  await expect(consoleOf(LOGGER, MESSAGE, { keptBytes: 50 })).rejects.toThrow(
    'the console calls take more than 50 bytes ([evm] max_trace_kept_bytes)',
  )
})
