import { encodeFunctionData } from 'viem'
import type { Hex } from '../../host/base/hex.ts'
import { compile } from '../../test/support/contracts/solidity.ts'
import { devAccount } from '../../test/support/node/dev-wallet.ts'
import { RpcClient } from '../rpc-client.ts'

const { abi, bytecode } = compile('Probe.sol').get('Probe') ?? { abi: [], bytecode: '0x' as Hex }

/** Most polls for a receipt; a node that mines each transaction soon has it. */
const ASKS = 20_000

const fees = { maxFeePerGas: '0x2540be400', maxPriorityFeePerGas: '0x3b9aca00' }

/** Typical chain operations of tests, over one connection for each account. */
export class Developer {
  readonly client: RpcClient

  constructor(url: string, connections = 1) {
    this.client = new RpcClient(url, connections)
  }

  account(index: number): Hex {
    return devAccount(index).address
  }

  /** Sends with the node's own key and waits for the receipt. Returns the created address, or null. */
  async send(from: Hex, request: object, gas = '0x7a120'): Promise<Hex | null> {
    const transaction = { from, gas, ...fees, ...request }
    const hash = await this.client.call('eth_sendTransaction', transaction)
    for (let i = 0; i < ASKS; i++) {
      const receipt = await this.client.call('eth_getTransactionReceipt', hash)
      if (receipt === null) continue
      const { status, contractAddress } = receipt as { status: Hex; contractAddress: Hex | null }
      if (status !== '0x1') throw new Error(`${hash} has failed`)
      return contractAddress
    }
    throw new Error(`${hash} has no receipt`)
  }

  async deploy(from: Hex): Promise<Hex> {
    return (await this.send(from, { data: bytecode }, '0x1e8480')) as Hex
  }

  count(from: Hex, probe: Hex): Promise<Hex | null> {
    return this.send(from, { to: probe, data: encodeFunctionData({ abi, functionName: 'count' }) })
  }

  async counts(of: Hex, probe: Hex): Promise<number> {
    const data = encodeFunctionData({ abi, functionName: 'counts', args: [of] })
    return Number(await this.client.call('eth_call', { to: probe, data }, 'latest'))
  }

  /** Returns the sum of `slots` slots of a probe, in one call. */
  async sum(probe: Hex, first: number, slots: number): Promise<bigint> {
    const args = [BigInt(first), BigInt(slots)]
    const data = encodeFunctionData({ abi, functionName: 'sum', args })
    return BigInt((await this.client.call('eth_call', { to: probe, data }, 'latest')) as Hex)
  }

  close(): void {
    this.client.close()
  }
}
