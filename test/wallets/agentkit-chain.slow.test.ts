import { encodeFunctionData, erc20Abi, type Hex, verifyMessage } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { paymentTokenOf } from '../../host/evm/chain-types/payment-token.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { call } from '../support/node/json-rpc.ts'
import {
  type AgentOutcome,
  absentAgentKit,
  absentPythonAgentKit,
  agentActions,
  agentKitName,
  pythonAgentKitName,
  runAgentKit,
  runPythonAgentKit,
} from './toolkit/agentkit-agent.ts'

/** Agents that hold a key themselves. The Python version only knows Coinbase's chain names, such as Base Sepolia. */
const AGENTS = [
  {
    name: `${agentKitName}, ViemWalletProvider`,
    absent: absentAgentKit,
    chainId: 1328,
    provider: 'ViemWalletProvider',
    run: runAgentKit,
  },
  {
    name: `${pythonAgentKitName}, EthAccountWalletProvider`,
    absent: absentPythonAgentKit,
    chainId: 84_532,
    provider: 'EthAccountWalletProvider',
    run: runPythonAgentKit,
  },
] as const

const TO: Hex = `0x${'c0de'.repeat(10)}`
const MESSAGE = 'an agent was here'

describe.each(AGENTS)('AgentKit with $name$absent', ({ absent, chainId, provider, run }) => {
  const skipped = absent !== ''
  const token = paymentTokenOf(BigInt(chainId))
  let home: string
  let daemon: Daemon
  let outcome: AgentOutcome

  // Not run if the tests are skipped.
  beforeAll(async () => {
    home = makeHome()
    const fast = ['--chain-id', `${chainId}`, '--consensus.block-time', '50ms']
    daemon = await startDaemon({ home, arguments: fast })
    const key = devAccount(1).getHdKey().privateKey as Uint8Array
    outcome = await run({
      provider,
      rpc: daemon.ready.rpc,
      chainId,
      privateKey: `0x${Buffer.from(key).toString('hex')}`,
      actions: agentActions(token, TO),
      message: MESSAGE,
    })
  })
  afterAll(async () => {
    expect(await daemon.stop()).toBe(0)
    removeHome(home)
  })

  test.skipIf(skipped)('reads balances, and sends the native coin and a token', async () => {
    const [details, sent, balance, transferred] = outcome.results
    expect(details).toContain('Native Balance: 10000 ETH')
    expect(sent).toMatch(/^Transferred 0\.25 ETH to 0xc0de.*\nTransaction hash: (0x)?[0-9a-f]{64}$/)
    // Read through Multicall3 at its canonical address
    expect(balance).toMatch(/^Balance of USDC .* is 1000000/)
    expect(transferred).toMatch(/^Transferred 1\.5 of USDC /)
    const { rpc } = daemon.ready
    expect(await call(rpc, 'eth_getBalance', [TO, 'latest'])).toBe('0x3782dace9d90000')
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [TO] })
    expect(BigInt(await call<Hex>(rpc, 'eth_call', [{ to: token, data }, 'latest']))).toBe(
      1_500_000n,
    )
  })

  test.skipIf(skipped)(
    'signs a message, and connects to no other machine except for its telemetry',
    async () => {
      const { address, signed = '0x', outside } = outcome
      expect(address).toBe(devAccount(1).address)
      expect(await verifyMessage({ address, message: MESSAGE, signature: signed })).toBe(true)
      expect(outside).toEqual(['cca-lite.coinbase.com'])
    },
  )
})
