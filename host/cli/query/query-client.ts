import { LockstepError } from '../../base/error.ts'
import { formatData, formatQuantity, type Hex, parseData } from '../../base/hex.ts'
import { type AbiArgument, encodeAbiCall } from '../../evm/chain-types/abi.ts'
import { gethRevertReason } from '../../evm/trace/tracers/revert-reason.ts'
import { Keyring } from '../../wallet/keys/keyring.ts'
import { evmUrl } from '../client/node-address.ts'
import { callNode } from '../client/node-client.ts'
import { chooseHome } from '../option/home-option.ts'
import type { QueryFlags } from './query-flags.ts'

/** Reads the state of a node at one height. */
export class QueryClient {
  readonly #url: string
  readonly #keystore: string
  /** Block argument of the JSON-RPC. */
  readonly block: string

  constructor({ home, node, height }: QueryFlags) {
    const chosen = chooseHome(home)
    this.#url = evmUrl(chosen, node)
    this.#keystore = chosen.keystore
    this.block = height === undefined ? 'latest' : formatQuantity(height)
  }

  /** Returns an account by its address or by the name of a key. @throws NOT_FOUND */
  async account(word: string): Promise<Uint8Array> {
    if (/^0x[0-9a-fA-F]{40}$/.test(word)) return parseData(word)
    return (await new Keyring(this.#keystore).find(word)).address
  }

  /**
   * Returns the result of a method; null if the node has none.
   * @throws NOT_FOUND with the node's message if it answers with an error; NODE_UNREACHABLE
   */
  async ask(method: string, params: readonly unknown[]): Promise<unknown> {
    const { result, error } = await callNode(this.#url, method, params)
    if (error === undefined) return result ?? null
    const { message, code, data } = error
    const reason =
      typeof data === 'string' && data.startsWith('0x')
        ? gethRevertReason(parseData(data))
        : undefined
    const words = reason === undefined ? `${message} (${code})` : `execution reverted: ${reason}`
    throw new LockstepError('NOT_FOUND', `${method} was refused: ${words}`, {
      hint: 'check the arguments, and that the node keeps the height',
    })
  }

  /** Returns a result that is a hex string. */
  async askHex(method: string, params: readonly unknown[]): Promise<Hex> {
    const result = await this.ask(method, params)
    if (typeof result === 'string') return result as Hex
    throw new LockstepError('NODE_UNREACHABLE', `the node's result of ${method} is not a string`)
  }

  async storage(address: Uint8Array, slot: Uint8Array): Promise<Uint8Array> {
    const params = [formatData(address), formatData(slot), this.block]
    return parseData(await this.askHex('eth_getStorageAt', params))
  }

  /** Returns the output of a contract call. */
  async call(to: Uint8Array, signature: string, args: readonly AbiArgument[]): Promise<Uint8Array> {
    const call = { to: formatData(to), data: formatData(encodeAbiCall(signature, args)) }
    return parseData(await this.askHex('eth_call', [call, this.block]))
  }
}
