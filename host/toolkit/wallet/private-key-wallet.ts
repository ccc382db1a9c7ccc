import { keccak_256 } from '@noble/hashes/sha3.js'
import { eip191Signer, signTyped } from 'micro-eth-signer'
import { formatData, type Hex, parseData } from '../../base/hex.ts'
import { Mutex } from '../../base/mutex.ts'
import {
  type AccountKey,
  checksumText,
  parseSecret,
  signWithKey,
} from '../../evm/chain-types/account-key.ts'
import type { SignableTypedData } from '../../payments/client/wallet.ts'
import { ActionError } from '../action-error.ts'
import type { AgentWallet, WalletTransaction } from '../agent-wallet.ts'
import type { Chain } from '../chain.ts'

/** Errors of a node that already has the transaction. */
const KNOWN = /already known|known transaction/i

/** A development wallet with its key in this process. Nothing limits what it signs. */
class PrivateKeyWallet implements AgentWallet {
  readonly kind = 'a private key in this process, without a policy'
  readonly address: Hex
  readonly #key: AccountKey
  readonly #chain: Chain
  readonly #chainId: bigint
  /** Sends are sequential: a nonce is read after the node has the previous transaction. */
  readonly #sends = new Mutex()

  constructor(key: AccountKey, chain: Chain, chainId: number) {
    this.address = checksumText(key.address) as Hex
    this.#key = key
    this.#chain = chain
    this.#chainId = BigInt(chainId)
  }

  sendTransaction(transaction: WalletTransaction): Promise<Hex> {
    return this.#sends.runExclusive(() => this.#send(transaction))
  }

  async #send({ to, value, data }: WalletTransaction): Promise<Hex> {
    const chain = this.#chain
    const from = this.address
    const [nonce, gas, price, tip] = await Promise.all([
      chain.quantity('eth_getTransactionCount', from, 'pending'),
      chain.estimateGas({ from, to, value, data }),
      chain.quantity('eth_gasPrice'),
      chain.quantity('eth_maxPriorityFeePerGas'),
    ])
    const raw = signWithKey(
      {
        type: 2,
        chainId: this.#chainId,
        nonce,
        maxPriorityFeePerGas: tip,
        // The base fee may double before inclusion.
        maxFeePerGas: price * 2n + tip,
        // State may change before inclusion.
        gas: gas + gas / 5n,
        to: parseData(to),
        value,
        data: parseData(data),
        accessList: [],
        authorizations: [],
        maxFeePerBlobGas: 0n,
        blobHashes: [],
      },
      this.#key,
    )
    const hash = formatData(keccak_256(raw))
    try {
      await chain.ask('eth_sendRawTransaction', formatData(raw))
    } catch (error) {
      if (!(error instanceof ActionError)) throw error
      if (KNOWN.test(error.message)) return hash
      if (error.code === 'CHAIN_UNREACHABLE' || error.code === 'INTERNAL') {
        const text = 'the connection broke while the transaction was sent to the node'
        throw new ActionError('OUTCOME_UNKNOWN', text, { details: { hash }, cause: error })
      }
      throw error
    }
    return hash
  }

  async signMessage(message: string): Promise<Hex> {
    return eip191Signer.sign(message, this.#key.secret) as Hex
  }

  async signTypedData({ domain, types, primaryType, message }: SignableTypedData): Promise<Hex> {
    const { chainId, ...others } = domain
    const typed = {
      // viem derives it from the domain.
      types: Object.fromEntries(Object.entries(types).filter(([name]) => name !== 'EIP712Domain')),
      primaryType,
      domain: chainId === undefined ? others : { ...others, chainId: BigInt(chainId as number) },
      message,
    }
    return signTyped(typed as never, this.#key.secret) as Hex
  }
}

/** Returns a wallet with a private key in hex, as the toolkit's option `wallet` takes it. @throws INVALID_ARGUMENT */
export function privateKeyWallet(
  secret: string,
): (chain: Chain, network: { readonly chainId: number }) => AgentWallet {
  const key = parseSecret(secret)
  return (chain, { chainId }) => new PrivateKeyWallet(key, chain, chainId)
}
