import { LockstepError } from '../../base/error.ts'
import { formatData, formatQuantity, type Hex, parseData } from '../../base/hex.ts'
import { revertReason } from '../../evm/trace/tracers/revert-reason.ts'
import { Keyring } from '../../wallet/keys/keyring.ts'
import { type AbiArgument, encodeCall } from '../client/abi.ts'
import { evmUrl } from '../client/node-address.ts'
import { callNode } from '../client/node-client.ts'
import { chooseHome } from '../option/home-option.ts'
import type { QueryFlags } from './query-flags.ts'

/** The state of a node at one height. */
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

  /** The account that a word names: an address, or a key of the keyring. @throws NOT_FOUND */
  async account(word: string): Promise<Uint8Array> {
    if (/^0x[0-9a-fA-F]{40}$/.test(word)) return parseData(word)
    return (await new Keyring(this.#keystore).find(word)).address
  }

  /**
   * Result of a method, null where the node has nothing.
   * @throws NOT_FOUND with the node's words where it refuses; NODE_UNREACHABLE
   */
  async ask(method: string, params: readonly unknown[]): Promise<unknown> {
    const { result, error } = await callNode(this.#url, method, params)
    if (error === undefined) return result ?? null
    const { message, code, data } = error
    const reason =
      typeof data === 'string' && data.startsWith('0x') ? revertReason(parseData(data)) : undefined
    const words = reason === undefined ? `${message} (${code})` : `execution reverted: ${reason}`
    throw new LockstepError('NOT_FOUND', `${method} is refused: ${words}`, {
      hint: 'check the arguments, and that the node keeps the height',
    })
  }

  /** A result that is a text. */
  async askHex(method: string, params: readonly unknown[]): Promise<Hex> {
    const result = await this.ask(method, params)
    if (typeof result === 'string') return result as Hex
    throw new LockstepError('NODE_UNREACHABLE', `the node answers ${method} with no text`)
  }

  async storage(address: Uint8Array, slot: Uint8Array): Promise<Uint8Array> {
    const params = [formatData(address), formatData(slot), this.block]
    return parseData(await this.askHex('eth_getStorageAt', params))
  }

  /** What a function returned. */
  async call(to: Uint8Array, signature: string, args: readonly AbiArgument[]): Promise<Uint8Array> {
    const call = { to: formatData(to), data: formatData(encodeCall(signature, args)) }
    return parseData(await this.askHex('eth_call', [call, this.block]))
  }
}
