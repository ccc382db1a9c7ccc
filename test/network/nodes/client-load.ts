import { JsonRpcProvider, Wallet } from 'ethers'
import {
  createWalletClient,
  defineChain,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  http,
} from 'viem'
import { DEV_ACCOUNTS } from '../../../host/base/dev-accounts.ts'
import { compile } from '../../support/contracts/solidity.ts'
import { devAccount } from '../../support/node/dev-wallet.ts'

const { abi, bytecode } = compile('Token.sol').get('Token') ?? { abi: [], bytecode: '0x' as const }

/** Every 10th transaction of an account calls the token. The others are transfers. */
const TOKEN_EVERY = 10

/** A transaction with everything that a client would otherwise request from the node. */
interface Call {
  readonly to: Hex | null
  readonly value: bigint
  readonly data: Hex
  readonly gas: bigint
}

/** Sends the calls of one account with consecutive nonces, each after the previous one is accepted. */
export type Sender = (account: number, calls: readonly Call[]) => Promise<readonly Hex[]>

const FEES = { maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n } as const

/** Address of the token, which the first transaction of account 0 deploys. */
const TOKEN = getContractAddress({ from: devAccount(0).address, nonce: 0n })

/** Returns a payee that no other transaction uses. */
export function payee(account: number, nonce: number): Hex {
  return `0x${(0x1_0000_0000 + account * 0x10_0000 + nonce).toString(16).padStart(40, 'e')}`
}

const CREATION: Call = {
  to: null,
  value: 0n,
  data: `${bytecode}${(10n ** 24n).toString(16).padStart(64, '0')}`,
  gas: 2_000_000n,
}

function transferOf(account: number, nonce: number): Call {
  return { to: payee(account, nonce), value: 1n, data: '0x', gas: 21_000n }
}

/** Account 0 owns all tokens, so the transfers of others revert. */
function tokenTransferOf(account: number, nonce: number): Call {
  const args = [payee(account, nonce), 1n]
  const data = encodeFunctionData({ abi, functionName: 'transfer', args })
  return { to: TOKEN, value: 0n, data, gas: 100_000n }
}

/** Returns the calls of an account from a nonce on. Account 0 begins with the token deployment. */
export function callsOf(account: number, first: number, end: number): readonly Call[] {
  return Array.from({ length: end - first }, (_, index) => {
    const nonce = first + index
    if (account === 0 && nonce === 0) return CREATION
    return nonce % TOKEN_EVERY === TOKEN_EVERY - 1
      ? tokenTransferOf(account, nonce)
      : transferOf(account, nonce)
  })
}

/** Returns the number of those calls that revert. */
export function revertsOf(account: number, first: number, end: number): number {
  if (account === 0) return 0
  return callsOf(account, first, end).filter(({ to }) => to === TOKEN).length
}

/** Returns a sender with viem's wallet client. */
export function viemSender(url: string, chainId: number, first = 0): Sender {
  const chain = defineChain({
    id: chainId,
    name: 'Lockstep',
    nativeCurrency: { name: 'Native', symbol: 'NATIVE', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  })
  return async (index, calls) => {
    const account = devAccount(index)
    // With `chain` it does not request the chain id before each transaction.
    const wallet = createWalletClient({ account, chain, transport: http(url) })
    const hashes: Hex[] = []
    for (const [at, { to, ...call }] of calls.entries()) {
      const request = { ...call, to, ...FEES, nonce: first + at, chainId, type: 'eip1559' as const }
      const serializedTransaction = await wallet.signTransaction({ ...request, account })
      hashes.push(await wallet.sendRawTransaction({ serializedTransaction }))
    }
    return hashes
  }
}

/** Returns a sender with an ethers wallet. */
export function ethersSender(url: string, chainId: number, first = 0): Sender {
  return async (index, calls) => {
    const provider = new JsonRpcProvider(url, chainId, { staticNetwork: true, batchMaxCount: 1 })
    try {
      const wallet = new Wallet(DEV_ACCOUNTS[index]?.privateKey as string, provider)
      const hashes: Hex[] = []
      for (const [at, { to, value, data, gas }] of calls.entries()) {
        const request = { to, value, data, gasLimit: gas, ...FEES, nonce: first + at, chainId }
        const signed = await wallet.signTransaction({ ...request, type: 2 })
        hashes.push((await provider.send('eth_sendRawTransaction', [signed])) as Hex)
      }
      return hashes
    } finally {
      provider.destroy()
    }
  }
}
