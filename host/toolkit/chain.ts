import { LockstepError } from '../base/error.ts'
import type { Hex } from '../base/hex.ts'
import { NodeRefusal } from '../client/chain-client/rpc-connection.ts'
import { ActionError } from './action-error.ts'
import { plainText } from './plain-text.ts'
import { revertReasonText } from './revert.ts'

/** The JSON-RPC of a node. */
export interface NodeConnection {
  /** @throws NodeRefusal with the node's message; NODE_UNREACHABLE */
  call(method: string, ...params: readonly unknown[]): Promise<unknown>
}

export interface CallRequest {
  readonly from?: Hex | undefined
  readonly to: Hex
  readonly value?: bigint
  readonly data?: Hex
}

export interface ActionReceipt {
  readonly succeeded: boolean
  readonly blockNumber: bigint
  readonly gasUsed: bigint
}

const QUANTITY = /^0x[0-9a-fA-F]{1,64}$/
const DATA = /^0x(?:[0-9a-fA-F]{2})*$/

/** The chain as actions read it. Answers of the node are validated. */
export class Chain {
  readonly #node: NodeConnection

  constructor(node: NodeConnection) {
    this.#node = node
  }

  /** Returns the result of a method as the node gives it. @throws ActionError */
  async ask(method: string, ...params: readonly unknown[]): Promise<unknown> {
    try {
      return await this.#node.call(method, ...params)
    } catch (error) {
      throw chainError(method, error)
    }
  }

  async quantity(method: string, ...params: readonly unknown[]): Promise<bigint> {
    const result = await this.ask(method, ...params)
    if (typeof result === 'string' && QUANTITY.test(result)) return BigInt(result)
    throw unusable(method)
  }

  async data(method: string, ...params: readonly unknown[]): Promise<Hex> {
    const result = await this.ask(method, ...params)
    if (typeof result === 'string' && DATA.test(result)) return result as Hex
    throw unusable(method)
  }

  balance(address: Hex): Promise<bigint> {
    return this.quantity('eth_getBalance', address, 'latest')
  }

  /** True if the address has code. */
  async hasCode(address: Hex): Promise<boolean> {
    return (await this.data('eth_getCode', address, 'latest')) !== '0x'
  }

  /** Returns the output of a call. @throws REVERTED */
  call(request: CallRequest): Promise<Hex> {
    return this.data('eth_call', wireCall(request), 'latest')
  }

  /** @throws REVERTED, INSUFFICIENT_FUNDS */
  estimateGas(request: CallRequest): Promise<bigint> {
    return this.quantity('eth_estimateGas', wireCall(request))
  }

  async receipt(hash: Hex): Promise<ActionReceipt | undefined> {
    const method = 'eth_getTransactionReceipt'
    const result = await this.ask(method, hash)
    if (result === null) return undefined
    const { status, blockNumber, gasUsed } = result as Readonly<Record<string, unknown>>
    const [one, two, three] = [status, blockNumber, gasUsed].map((value) => {
      if (typeof value === 'string' && QUANTITY.test(value)) return BigInt(value)
      throw unusable(method)
    }) as [bigint, bigint, bigint]
    return { succeeded: one === 1n, blockNumber: two, gasUsed: three }
  }
}

export function wireCall({ from, to, value, data }: CallRequest): Readonly<Record<string, string>> {
  return {
    ...(from !== undefined && { from }),
    to,
    ...(value !== undefined && { value: `0x${value.toString(16)}` }),
    ...(data !== undefined && { data }),
  }
}

function unusable(method: string): ActionError {
  return new ActionError('CHAIN_REFUSED', `the node's answer to ${method} is malformed`, {
    next: 'ask the operator whether the RPC URL is that of a node',
  })
}

/** Converts an error of the node or its connection to an ActionError. */
export function chainError(method: string, thrown: unknown): ActionError {
  if (thrown instanceof ActionError) return thrown
  if (thrown instanceof LockstepError && thrown.code === 'NODE_UNREACHABLE') {
    return new ActionError('CHAIN_UNREACHABLE', plainText(thrown.message, 200), { cause: thrown })
  }
  if (!(thrown instanceof NodeRefusal)) {
    return new ActionError('INTERNAL', `${method} failed`, { cause: thrown })
  }
  const words = plainText(thrown.message, 300)
  const reason = revertReasonText(thrown.data)
  if (thrown.code === 3 || reason !== undefined || /revert/i.test(words)) {
    const text = `the call would revert: ${reason ?? 'it gives no reason'}`
    return new ActionError('REVERTED', text, { details: { reason: reason ?? null }, cause: thrown })
  }
  const details = { rpcCode: thrown.code }
  const code = /insufficient funds/i.test(words) ? 'INSUFFICIENT_FUNDS' : 'CHAIN_REFUSED'
  return new ActionError(code, `the node rejects ${method}: "${words}"`, { details, cause: thrown })
}
