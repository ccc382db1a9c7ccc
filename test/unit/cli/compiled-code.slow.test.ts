import { afterAll, beforeAll, expect, test } from 'vitest'
import { bigintToBytes } from '../../../host/base/bytes.ts'
import { formatData, type Hex } from '../../../host/base/hex.ts'
import { summingLoop } from '../../support/engine/summing-loop.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../../support/node/daemon.ts'
import { call } from '../../support/node/json-rpc.ts'
import { minedReceipt } from '../../support/node/progress.ts'

interface Receipt {
  readonly status: Hex
  readonly gasUsed: Hex
}

const TURNS = 0xffff
const CONTRACT = `0x${'c0de'.repeat(10)}`
const home = makeHome()
let daemon: Daemon

beforeAll(async () => {
  daemon = await startDaemon({
    home,
    arguments: ['--evm.compiled-code', 'true', '--instrumentation.prometheus', 'true'],
  })
})
afterAll(async () => {
  await daemon.stop()
  removeHome(home)
})

async function compiledRegions(): Promise<number> {
  const text = await (await fetch(daemon.ready.metrics as string)).text()
  const name = 'lockstep_compiled_code_total{outcome="compiled"}'
  const line = text.split('\n').find((one) => one.startsWith(name))
  return Number(line?.split(' ').at(-1) ?? Number.NaN)
}

test('a node with evm.compiled_code compiles the hot code of its blocks, and gas and output stay the same', async () => {
  const { rpc } = daemon.ready
  const code = formatData(summingLoop(3, TURNS))
  await call(rpc, 'hardhat_setCode', [CONTRACT, code])
  const [from] = await call<string[]>(rpc, 'eth_accounts', [])
  const message = { from, to: CONTRACT, gas: '0x4c4b40' }
  const gasUsed = new Set<string>()
  for (let round = 0; round < 60 && !((await compiledRegions()) > 0); round++) {
    const hash = await call<Hex>(rpc, 'eth_sendTransaction', [message])
    const receipt = await minedReceipt<Receipt>(rpc, hash)
    expect(receipt.status).toBe('0x1')
    gasUsed.add(receipt.gasUsed)
  }
  expect(await compiledRegions()).toBeGreaterThan(0)
  const hash = await call<Hex>(rpc, 'eth_sendTransaction', [message])
  const receipt = await minedReceipt<Receipt>(rpc, hash)
  gasUsed.add(receipt.gasUsed)
  expect(gasUsed.size).toBe(1)
  const output = await call(rpc, 'eth_call', [message, 'latest'])
  expect(output).toBe(formatData(bigintToBytes(BigInt(3 * TURNS), 32)))
  // The interpreter, step by step
  const trace = await call<{ gas: number; returnValue: string }>(rpc, 'debug_traceTransaction', [
    hash,
    { disableStack: true, disableStorage: true, limit: 1 },
  ])
  expect(BigInt(trace.gas)).toBe(BigInt(receipt.gasUsed))
})
