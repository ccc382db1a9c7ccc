import type { Hex } from '../../base/hex.ts'
import type { AuthorizationKey } from './authorization-key.ts'
import { type Outgoing, ServiceConnection, type ServiceConnectionOptions } from './exchange.ts'
import type { NewWallet } from './inputs.ts'
import {
  type ApiCall,
  type InputOf,
  OPERATIONS,
  type OperationName,
  type ResultOf,
  type Wallet,
} from './operations.ts'
import { createRecipient, encryptPrivateKey } from './private-key-transfer.ts'
import { approve, type Proposal } from './proposal.ts'

export type WalletClientOptions = ServiceConnectionOptions & {
  /** Keys that sign every request that needs authorization. */
  readonly authorizationKeys?: readonly AuthorizationKey[] | undefined
}

export interface CallOptions {
  /**
   * Identifies the request for 24 hours: however often it is sent, it is executed once. Default: a generated key. To
   * survive a crash, store a key before the call and pass it again.
   */
  readonly idempotencyKey?: string | undefined
  /** Replaces the keys of the client. */
  readonly authorizationKeys?: readonly AuthorizationKey[] | undefined
  /** Expiry of a signed request in milliseconds since 1970. Default: in 15 minutes, for a proposal in 24 hours. */
  readonly expiresAt?: number | undefined
  readonly signal?: AbortSignal | undefined
}

type Operate = {
  readonly [Name in OperationName]: (
    input: InputOf<Name>,
    options?: CallOptions,
  ) => Promise<ResultOf<Name>>
}

/** The wallets of an app. To retry a method that writes, call it again with the `idempotencyKey` of its error. */
export interface WalletClient extends Operate {
  /** Returns a request that several approvers have to sign with `approve`. */
  propose<Name extends OperationName>(
    operation: Name,
    input: InputOf<Name>,
    options?: CallOptions,
  ): Proposal<Name>
  /** Sends a proposal with its signatures. */
  submit<Name extends OperationName>(
    proposal: Proposal<Name>,
    signatures: readonly string[],
    options?: Pick<CallOptions, 'signal'>,
  ): Promise<ResultOf<Name>>
  /** Returns the private key of a wallet. It travels encrypted to a key generated for this call. */
  exportPrivateKey(input: { readonly walletId: string }, options?: CallOptions): Promise<Hex>
  /** Creates a wallet from a private key, which travels encrypted to the signer. */
  importPrivateKey(
    input: NewWallet & { readonly privateKey: Hex | Uint8Array; readonly address: Hex },
    options?: CallOptions,
  ): Promise<Wallet>
}

const QUARTER_HOUR = 15 * 60 * 1000
const DAY = 24 * 60 * 60 * 1000

class ServiceClient {
  readonly #exchange: ServiceConnection
  readonly #appId: string
  readonly #keys: readonly AuthorizationKey[]

  constructor(options: WalletClientOptions) {
    this.#exchange = new ServiceConnection(options)
    this.#appId = options.appId
    this.#keys = options.authorizationKeys ?? []
  }

  async call<Name extends OperationName>(
    name: Name,
    input: InputOf<Name>,
    options: CallOptions = {},
  ): Promise<ResultOf<Name>> {
    const call = this.#callOf(name, input)
    const keys = options.authorizationKeys ?? this.#keys
    const isSigned = options.authorizationKeys !== undefined || (call.isOwned && keys.length > 0)
    if (call.method === 'GET' || !isSigned) {
      const outgoing = this.#outgoing(call, options)
      return this.#read(name, await this.#exchange.send(outgoing, options.signal))
    }
    const proposal = this.#proposal(name, call, options, QUARTER_HOUR)
    const signatures = await Promise.all(keys.map((key) => approve(proposal, key)))
    return this.submit(proposal, signatures, options)
  }

  propose<Name extends OperationName>(
    name: Name,
    input: InputOf<Name>,
    options: CallOptions = {},
  ): Proposal<Name> {
    const call = this.#callOf(name, input)
    if (call.method !== 'GET') return this.#proposal(name, call, options, DAY)
    throw new TypeError(`${name} changes nothing: it needs no approval`)
  }

  async submit<Name extends OperationName>(
    proposal: Proposal<Name>,
    signatures: readonly string[],
    { signal }: Pick<CallOptions, 'signal'> = {},
  ): Promise<ResultOf<Name>> {
    const { operation, method, url, body, headers } = proposal
    if (!url.startsWith(`${this.#exchange.base}/`)) {
      throw new TypeError(
        `the proposal is for ${url}, but this client is connected to ${this.#exchange.base}`,
      )
    }
    const outgoing: Outgoing = {
      method,
      url,
      body: method === 'DELETE' ? undefined : body,
      headers: { ...headers, 'wallet-authorization-signature': signatures.join(',') },
      idempotencyKey: headers['wallet-idempotency-key'],
    }
    return this.#read(operation, await this.#exchange.send(outgoing, signal))
  }

  async exportPrivateKey(
    { walletId }: { readonly walletId: string },
    options?: CallOptions,
  ): Promise<Hex> {
    const { publicKey, open } = await createRecipient()
    const input = { walletId, recipientPublicKey: publicKey }
    return open(await this.call('exportWallet', input, options))
  }

  async importPrivateKey(
    {
      privateKey,
      ...wallet
    }: NewWallet & { readonly privateKey: Hex | Uint8Array; readonly address: Hex },
    options?: CallOptions,
  ): Promise<Wallet> {
    const { encryptionPublicKey, importId } = await this.call('beginImport', {
      address: wallet.address,
    })
    const encrypted = await encryptPrivateKey(privateKey, encryptionPublicKey)
    return this.call('submitImport', { ...wallet, ...encrypted, importId }, options)
  }

  #callOf<Name extends OperationName>(name: Name, input: InputOf<Name>): ApiCall {
    const { call } = OPERATIONS[name] as { call(input: InputOf<Name>): ApiCall }
    return call(input)
  }

  #read<Name extends OperationName>(name: Name, answer: unknown): ResultOf<Name> {
    return OPERATIONS[name].read(answer) as ResultOf<Name>
  }

  #headers({ method }: ApiCall, { idempotencyKey }: CallOptions): Record<string, string> {
    const app = { 'wallet-app-id': this.#appId }
    if (method !== 'POST' && idempotencyKey === undefined) return app
    return { ...app, 'wallet-idempotency-key': idempotencyKey ?? crypto.randomUUID() }
  }

  #outgoing(call: ApiCall, options: CallOptions): Outgoing {
    const { method, path, body } = call
    const url = `${this.#exchange.base}${path}`
    if (method === 'GET') return { method, url, headers: { 'wallet-app-id': this.#appId } }
    const headers = this.#headers(call, options)
    return { method, url, body, headers, idempotencyKey: headers['wallet-idempotency-key'] }
  }

  #proposal<Name extends OperationName>(
    operation: Name,
    call: ApiCall,
    options: CallOptions,
    lifetime: number,
  ): Proposal<Name> {
    const expiry = options.expiresAt ?? Date.now() + lifetime
    return {
      operation,
      method: call.method as Proposal['method'],
      url: `${this.#exchange.base}${call.path}`,
      body: call.body ?? {},
      headers: { ...this.#headers(call, options), 'wallet-request-expiry': String(expiry) },
    }
  }
}

/** Connects to a wallet service as an app or as an agent. */
export function connectWallets(options: WalletClientOptions): WalletClient {
  const client = new ServiceClient(options)
  const names = Object.keys(OPERATIONS) as OperationName[]
  const operations = Object.fromEntries(
    names.map((name) => [
      name,
      (input: never, options?: CallOptions) => client.call(name, input, options),
    ]),
  ) as unknown as Operate
  return {
    ...operations,
    propose: (operation, input, options) => client.propose(operation, input, options),
    submit: (proposal, signatures, options) => client.submit(proposal, signatures, options),
    exportPrivateKey: (input, options) => client.exportPrivateKey(input, options),
    importPrivateKey: (input, options) => client.importPrivateKey(input, options),
  }
}
