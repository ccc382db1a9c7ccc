import { keccak_256 } from '@noble/hashes/sha3.js'
import { describe, expect, test } from 'vitest'
import { bytesToBigint } from '../../../../host/base/bytes.ts'
import { formatData } from '../../../../host/base/hex.ts'
import { createAddress } from '../../../../host/evm/chain-types/address.ts'
import { answerFrom } from '../../../../host/evm/state/answer.ts'
import { LineLogger } from '../../../../host/evm/trace/tracers/line-logger.ts'
import { assemble } from '../../../support/engine/bytecode.ts'
import {
  address,
  BLOCK,
  CONTRACT,
  engineInBlock,
  executed,
  stateWith,
  transaction,
} from '../../../support/engine/engine-fixture.ts'
import { traceScript } from './script/script-trace.ts'
import { runTracer } from './tracer-run.ts'

const ABSENT = address(0x4444)
/** Less than the state gas of an account (EIP-8037), and enough for everything else. */
const gas = 90_000n

describe('a transaction without the state gas of a new account', () => {
  test('has the address that CREATE would have given in its prestate, as in geth', async () => {
    const state = stateWith(assemble(0, 0, 0, 'CREATE', 'STOP'))
    const created = formatData(createAddress(CONTRACT, 1n, keccak_256))
    const config = { includeEmpty: true }
    const prestate = await runTracer<object>('prestateTracer', state, { gas }, config, 'Amsterdam')
    expect(prestate).toHaveProperty(created)
    const without = await runTracer<object>('prestateTracer', state, { gas }, {}, 'Amsterdam')
    expect(without).not.toHaveProperty(created)
  })

  // The numbers are those of geth 1.17.10 (`evm t8n --trace`)
  test.each([
    [
      'CALL with value',
      [0, 0, 0, 0, 1, bytesToBigint(ABSENT), 5000, 'CALL', 'STOP'],
      { op: 'CALL', gas: 74_979, gasCost: 100, error: 'out of gas: out of gas' },
    ],
    ['CREATE', [0, 0, 0, 'CREATE', 'STOP'], { op: 'CREATE', gas: 74_991, gasCost: 12_000 }],
  ])('shows the cost of its %s without that gas', async (_, code, last) => {
    const { structLogs } = await runTracer<{ structLogs: object[] }>(
      'opcodeTracer',
      stateWith(assemble(...code)),
      { gas },
      {},
      'Amsterdam',
    )
    expect(structLogs.at(-1)).toMatchObject(last)
  })

  test('has no operands of its CREATE in the line of the failure', async () => {
    const env = { ...BLOCK, revision: 'Amsterdam' } as const
    const engine = await engineInBlock(env)
    const lines: string[] = []
    const options = { stack: true, memory: false, returnData: false, limit: 0 }
    const { sink } = new LineLogger(options, 1 << 20, (bytes) => {
      lines.push(new TextDecoder().decode(bytes))
    })
    const view = stateWith(assemble(7, 0, 0, 0, 'CREATE', 'STOP'))
    executed(answerFrom(engine.transact(transaction({ gas }), { trace: sink }), view))
    expect(lines.slice(-3).map((line) => JSON.parse(line))).toMatchObject([
      { op: 0xf0, gasCost: '0x2ee0', stack: ['0x7', '0x0', '0x0', '0x0'] },
      { op: 0xf0, gasCost: '0x2ee0', stack: ['0x7'], error: 'out of gas' },
      { output: '', error: 'out of gas' },
    ])
  })

  test('calls `fault` of a script without `step` at its CREATE alone', async () => {
    const source = `{ seen: [], fault: function(log) { this.seen.push(log.getError()) },
      result: function() { return this.seen } }`
    const faultsOf = async (code: Uint8Array) => {
      const env = { revision: 'Amsterdam' } as const
      return (await traceScript(code, source, { fields: { gas }, env })).result
    }
    expect(await faultsOf(assemble(0, 0, 0, 'CREATE', 'STOP'))).toEqual(['out of gas'])
    expect(await faultsOf(assemble(0, 0, 0, 0, 1, bytesToBigint(ABSENT), 5000, 'CALL'))).toEqual([])
    expect(await faultsOf(assemble(0, 0, 'REVERT'))).toEqual(['execution reverted'])
  })
})
