import {
  type Address,
  concatHex,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  parseAbiItem,
  publicActions,
  toHex,
} from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LOGGER, LOGGER_THAT_REVERTS } from '../support/contracts/console-logger.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { call, post } from '../support/node/json-rpc.ts'
import { viemChain } from '../support/node/viem-chain.ts'

// `console.log` of contracts in the log of a development node: in blocks, calls and failing estimates.

const logged = (text: string, number: bigint): Hex =>
  encodeFunctionData({
    abi: [parseAbiItem('function log(string,uint256)')],
    functionName: 'log',
    args: [text, number],
  })

/** Returns init code that deploys `code`. */
function initCode(code: Uint8Array): Hex {
  // PUSH2 length, PUSH1 12, PUSH0, CODECOPY; PUSH2 length, PUSH0, RETURN
  const length = toHex(code.length, { size: 2 })
  const copy = concatHex(['0x61', length, '0x600c5f39', '0x61', length, '0x5ff3'])
  return concatHex([copy, toHex(code)])
}

describe('console.log under --dev', () => {
  const home = makeHome()
  let daemon: Daemon
  let logger: Address
  let reverting: Address

  const lines = () =>
    daemon
      .output()
      .split('\n')
      .filter((line) => line.includes('console.log: '))

  async function wallet() {
    const chain = viemChain(daemon.ready)
    const transport = http(daemon.ready.rpc)
    return createWalletClient({ account: devAccount(0), chain, transport }).extend(publicActions)
  }

  async function deploy(code: Uint8Array): Promise<Address> {
    const client = await wallet()
    const hash = await client.sendTransaction({ data: initCode(code), gas: 500_000n })
    const { contractAddress } = await client.waitForTransactionReceipt({
      hash,
      pollingInterval: 50,
    })
    return contractAddress as Address
  }

  beforeAll(async () => {
    daemon = await startDaemon({ home })
    logger = await deploy(LOGGER)
    reverting = await deploy(LOGGER_THAT_REVERTS)
  })

  afterAll(async () => {
    await daemon?.stop()
    removeHome(home)
  })

  test('is logged with contract and transaction after a block includes it, even if it failed', async () => {
    const client = await wallet()
    const sent: Hex[] = []
    for (const [to, text] of [
      [logger, 'first\nline %s'],
      [reverting, 'then \u001b[2Jreverted'],
    ] as const) {
      const hash = await client.sendTransaction({ to, data: logged(text, 7n), gas: 200_000n })
      await client.waitForTransactionReceipt({ hash, pollingInterval: 50 })
      sent.push(hash)
    }
    await expect.poll(() => lines().length).toBe(3)
    const [first, second, third] = lines() as [string, string, string]
    expect(first).toContain('console.log: first')
    expect(second).toContain('console.log: line 7')
    expect(third).toContain('console.log: then \\u001b[2Jreverted 7')
    for (const line of [first, second]) expect(line).toContain(sent[0])
    for (const line of [first, second]) expect(line.toLowerCase()).toContain(logger)
    expect(third).toContain(sent[1])
    const [trace] = await call<object[]>(daemon.ready.rpc, 'debug_traceTransaction', [
      sent[0],
      { tracer: 'consoleTracer' },
    ])
    expect(trace).toMatchObject({ text: 'first\nline 7', values: ['first\nline %s', '7'] })
  })

  test('is logged for a call and for an estimate that fails', async () => {
    const before = lines().length
    const ask = (method: string, to: Address, text: string) =>
      post(daemon.ready.rpc, method, [{ to, data: logged(text, 9n) }, 'latest'])
    await ask('eth_call', logger, 'called')
    await ask('eth_call', reverting, 'called in vain')
    await ask('eth_estimateGas', logger, 'estimated')
    await ask('eth_estimateGas', reverting, 'estimated in vain')
    await expect.poll(() => lines().length).toBe(before + 3)
    const [one, two, three] = lines().slice(before) as [string, string, string]
    expect(one).toContain('console.log: called 9')
    expect(two).toContain('console.log: called in vain 9')
    expect(three).toContain('console.log: estimated in vain 9')
    expect(one).toContain('eth_call')
    expect(three).toContain('eth_estimateGas')
  })

  test('is logged only while logging is enabled, like the lines of sent transactions', async () => {
    const client = await wallet()
    const before = daemon.output().length
    const written = () => daemon.output().slice(before)
    const run = async (text: string) => {
      const data = logged(text, 1n)
      await post(daemon.ready.rpc, 'eth_call', [{ to: logger, data }, 'latest'])
      await post(daemon.ready.rpc, 'eth_estimateGas', [{ to: reverting, data }])
      const hash = await client.sendTransaction({ to: logger, data, gas: 200_000n })
      await client.waitForTransactionReceipt({ hash, pollingInterval: 50 })
      return hash
    }
    await call(daemon.ready.rpc, 'hardhat_setLoggingEnabled', [false])
    const silent = await run('silence')
    await call(daemon.ready.rpc, 'anvil_setLoggingEnabled', [true])
    const told = await run('speech')
    // Blocks are traced in order, so output of the first would already be there.
    await expect.poll(() => written().match(/console\.log: speech 1/g)?.length).toBe(3)
    expect(written()).not.toContain('silence')
    expect(written()).not.toContain(silent)
    expect(written()).toMatch(new RegExp(`submitted transaction.*${told}`))
  })
})
