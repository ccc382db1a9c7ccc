import { NodeRefusal } from '../../../host/client/chain-client/rpc-connection.ts'
import type { AgentWallet, WalletTransaction } from '../../../host/toolkit/agent-wallet.ts'
import type { NodeConnection } from '../../../host/toolkit/chain.ts'

type Answer = unknown | ((...params: never[]) => unknown)

/** A node with configured answers: methods by name, calls by the first four bytes of their data. */
export class ScriptedNode implements NodeConnection {
  readonly asked: { readonly method: string; readonly params: readonly unknown[] }[] = []
  readonly answers: Record<string, Answer> = {
    eth_chainId: '0x7a69',
    eth_blockNumber: '0x10',
    eth_getCode: '0xfe',
    eth_getBalance: '0x8ac7230489e80000',
    eth_getTransactionCount: '0x3',
    eth_estimateGas: '0x5208',
    eth_gasPrice: '0x3b9aca00',
    eth_maxPriorityFeePerGas: '0x1',
    eth_getTransactionReceipt: { status: '0x1', blockNumber: '0x11', gasUsed: '0x5000' },
  }

  constructor(answers: Readonly<Record<string, Answer>> = {}) {
    Object.assign(this.answers, answers)
  }

  async call(method: string, ...params: readonly unknown[]): Promise<unknown> {
    this.asked.push({ method, params })
    const [first] = params as readonly [{ readonly data?: string } | undefined]
    const key = method === 'eth_call' ? (first?.data ?? '').slice(0, 10) : method
    if (!(key in this.answers)) throw new NodeRefusal(3, 'execution reverted', '0x')
    const answer = this.answers[key]
    return typeof answer === 'function' ? answer(...(params as never[])) : answer
  }
}

/** A wallet that signs everything and records what it was given. */
export class RecordingWallet implements AgentWallet {
  readonly kind = 'a wallet of a test'
  readonly address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
  readonly sent: WalletTransaction[] = []
  fails: Error | undefined

  async sendTransaction(transaction: WalletTransaction): Promise<`0x${string}`> {
    this.sent.push(transaction)
    if (this.fails !== undefined) throw this.fails
    return `0x${`${this.sent.length}`.padStart(64, '0')}`
  }

  signMessage = async (): Promise<`0x${string}`> => '0x'
  signTypedData = async (): Promise<`0x${string}`> => '0x'
}
