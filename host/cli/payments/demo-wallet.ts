import { DEV_ACCOUNTS } from '../../base/dev-accounts.ts'
import { LockstepError } from '../../base/error.ts'
import { formatData, type Hex, parseData } from '../../base/hex.ts'
import { type AccountKey, parseSecret, signWithKey } from '../../evm/chain-types/account-key.ts'
import type { PayingWallet } from '../../payments/client/wallet.ts'
import { askNode } from '../client/node-client.ts'

interface Call {
  readonly to: Hex
  readonly data: Hex
}

interface Prepared extends Call {
  readonly nonce: number
  readonly gas: bigint
  readonly maxFeePerGas: bigint
}

/** Priority fee in wei per unit of gas. */
const TIP = 1_000_000_000n

/** The first of the dev accounts, with the interface of a viem wallet client. */
export class DemoWallet implements PayingWallet {
  readonly account: { readonly address: Hex; readonly type: 'local' }
  readonly chain: { readonly id: number }
  readonly #rpc: string
  readonly #key: AccountKey

  constructor(rpc: string, chainId: number) {
    const [payer] = DEV_ACCOUNTS
    if (payer === undefined) throw new TypeError('there are dev accounts')
    this.#key = parseSecret(payer.privateKey)
    this.#rpc = rpc
    this.account = { address: formatData(this.#key.address), type: 'local' }
    this.chain = { id: chainId }
  }

  readonly request = ({
    method,
    params = [],
  }: {
    readonly method: string
    readonly params?: readonly unknown[]
  }): Promise<unknown> => askNode(this.#rpc, method, params)

  readonly prepareTransactionRequest = async ({ to, data }: Call): Promise<Prepared> => {
    const { address: from } = this.account
    const [nonce, gas, price] = await Promise.all([
      this.#quantity('eth_getTransactionCount', from, 'pending'),
      this.#quantity('eth_estimateGas', { from, to, data }),
      this.#quantity('eth_gasPrice'),
    ])
    return { to, data, nonce: Number(nonce), gas, maxFeePerGas: price * 2n + TIP }
  }

  readonly signTransaction = async (prepared: Prepared): Promise<Hex> => {
    const { to, data, nonce, gas, maxFeePerGas } = prepared
    const raw = signWithKey(
      {
        type: 2,
        chainId: BigInt(this.chain.id),
        nonce: BigInt(nonce),
        maxPriorityFeePerGas: TIP,
        maxFeePerGas,
        gas,
        to: parseData(to),
        value: 0n,
        data: parseData(data),
        accessList: [],
        authorizations: [],
        maxFeePerBlobGas: 0n,
        blobHashes: [],
      },
      this.#key,
    )
    return formatData(raw)
  }

  readonly sendTransaction = async (call: Call): Promise<unknown> => {
    const raw = await this.signTransaction(await this.prepareTransactionRequest(call))
    return askNode(this.#rpc, 'eth_sendRawTransaction', [raw])
  }

  readonly signTypedData = (): Promise<never> => {
    const message = 'the demo pays by transfer, but this gate requires a signature'
    return Promise.reject(
      new LockstepError('UNSUPPORTED', message, {
        hint: 'use a gate whose binding is bearer or reference',
      }),
    )
  }

  async #quantity(method: string, ...params: readonly unknown[]): Promise<bigint> {
    return BigInt((await askNode(this.#rpc, method, params)) as Hex)
  }
}
