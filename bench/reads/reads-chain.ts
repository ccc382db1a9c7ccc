import { encodeFunctionData, type Hex, toEventSelector } from 'viem'
import { compile } from '../../test/support/contracts/solidity.ts'
import { devAccount } from '../../test/support/node/dev-wallet.ts'
import type { RpcClient } from '../rpc-client.ts'
import { type SignedLoad, signTokenTransfers, signTransfers } from '../signed-load.ts'

/** Blocks in the range of eth_getLogs, each with one ERC-20 transfer, from the ten holders in turn. */
const LOG_BLOCKS = 1_000
/** Transfers per batch during the reads: about forty per block. */
const BACKGROUND_BATCH = 10
const BACKGROUND_MS = 100
/** Different parameters of one question, so that no answer is requested twice in a row. */
const VARIANTS = 500

const HOLDERS = 10

/** A read, asked with different parameters in turn. */
export interface Question {
  readonly name: string
  readonly method: string
  readonly params: readonly (readonly unknown[])[]
}

/** The content of both nodes, signed once. */
export interface ReadsContent {
  readonly tokens: SignedLoad
  readonly transfers: SignedLoad
}

/** Signs the content. `seconds` is how long transfers continue during the reads. */
export async function signContent(chainId: number, seconds: number): Promise<ReadsContent> {
  const tokens = await signTokenTransfers(chainId, LOG_BLOCKS)
  const count = Math.ceil((seconds * 1000) / BACKGROUND_MS) * BACKGROUND_BATCH
  return { tokens, transfers: await signTransfers(chainId, count, tokens) }
}

/** Creates the blocks and returns the questions. @throws Error if a question has no answer. */
export async function fillChain(
  client: RpcClient,
  { tokens }: ReadsContent,
): Promise<readonly Question[]> {
  for (const raw of tokens.setup) await sendAndMine(client, raw)
  const first = Number(await client.call('eth_blockNumber')) + 1
  const hashes: string[] = []
  for (const raw of tokens.transactions) hashes.push(await sendAndMine(client, raw))
  const questions = questionsAbout(tokens.contract as Hex, hashes.slice(-VARIANTS), first)
  for (const { name, method, params } of questions) {
    for (const result of await client.batch(method, params.slice(0, HOLDERS) as unknown[][])) {
      if (result === null || (Array.isArray(result) && result.length === 0)) {
        throw new Error(`${name} is answered with nothing`)
      }
    }
  }
  return questions
}

async function sendAndMine(client: RpcClient, raw: string): Promise<string> {
  const hash = (await client.call('eth_sendRawTransaction', raw)) as string
  await client.call('evm_mine')
  return hash
}

function questionsAbout(token: Hex, hashes: readonly string[], first: number): Question[] {
  const { abi = [] } = compile('Token.sol').get('Token') ?? {}
  const holders = Array.from({ length: HOLDERS }, (_, i) => devAccount(i).address)
  const height = (number: number) => `0x${number.toString(16)}`
  const byHash = hashes.map((hash) => [hash])
  const range = { fromBlock: height(first), toBlock: height(first + LOG_BLOCKS - 1) }
  const transfer = toEventSelector('Transfer(address,address,uint256)')
  const balanceOf = (holder: Hex) =>
    encodeFunctionData({ abi, functionName: 'balanceOf', args: [holder] })
  const topic = (holder: Hex) => `0x${holder.slice(2).toLowerCase().padStart(64, '0')}`
  return [
    { name: 'eth_chainId', method: 'eth_chainId', params: [[]] },
    { name: 'eth_blockNumber', method: 'eth_blockNumber', params: [[]] },
    {
      name: 'eth_getBalance',
      method: 'eth_getBalance',
      params: holders.map((holder) => [holder, 'latest']),
    },
    { name: 'eth_getTransactionByHash', method: 'eth_getTransactionByHash', params: byHash },
    { name: 'eth_getTransactionReceipt', method: 'eth_getTransactionReceipt', params: byHash },
    {
      name: 'eth_getBlockByNumber, latest, full',
      method: 'eth_getBlockByNumber',
      params: [['latest', true]],
    },
    {
      name: 'eth_call, balanceOf',
      method: 'eth_call',
      params: holders.map((holder) => [{ to: token, data: balanceOf(holder) }, 'latest']),
    },
    {
      name: 'eth_getLogs, 1,000 blocks, 100 logs',
      method: 'eth_getLogs',
      params: holders.map((holder) => [
        { ...range, address: token, topics: [transfer, topic(holder)] },
      ]),
    },
  ]
}

/** Sends transfers at a steady rate until stopped, so that every block has some and the pool is busy. */
export class BackgroundTransfers {
  readonly #client: RpcClient
  readonly #timer: NodeJS.Timeout
  readonly #queue: string[]
  #sending: Promise<unknown> = Promise.resolve()

  constructor(client: RpcClient, { transfers }: ReadsContent) {
    this.#client = client
    this.#queue = [...transfers.transactions]
    this.#timer = setInterval(() => this.#send(), BACKGROUND_MS)
  }

  /** @throws Error if a transfer was rejected. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#sending
  }

  #send(): void {
    const batch = this.#queue.splice(0, BACKGROUND_BATCH).map((raw) => [raw])
    if (batch.length === 0) return
    this.#sending = this.#sending.then(() => this.#client.batch('eth_sendRawTransaction', batch))
    // `stop` throws it.
    this.#sending.catch(() => {})
  }
}
