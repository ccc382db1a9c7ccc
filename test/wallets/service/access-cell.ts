import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { encryptPrivateKey } from '../../../host/wallet/client/private-key-transfer.ts'
import { call } from '../../support/node/json-rpc.ts'
import type { WalletApp } from '../../support/wallet/wallet-node.ts'
import type { Answer, HandDrivenNode } from './hand-driven-node.ts'
import { HandKey } from './hand-made-request.ts'

/** Owner of the object that a cell of the table is about. */
export type Ownership = 'nobody' | 'a key' | 'a quorum of two'

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
type Body = Readonly<Record<string, unknown>>
type Rule = Readonly<Record<string, unknown>>

/** Keys of two owners, and a key without rights except as an additional signer of some wallets. */
export const [owner, second, signer] = [0, 1, 2].map(() => new HandKey()) as [
  HandKey,
  HandKey,
  HandKey,
]

const FRIEND = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const ETHER = '0xde0b6b3a7640000'
const ALLOW_ALL: Rule = { name: 'all', method: '*', action: 'ALLOW', conditions: [] }
const MESSAGE: Body = { method: 'personal_sign', params: { message: 'hello' } }

/** The objects of a test, created anew for each cell by a caller who may create them. */
export class AccessSite {
  readonly node: HandDrivenNode
  readonly app: WalletApp

  constructor(node: HandDrivenNode, app: WalletApp) {
    this.node = node
    this.app = app
  }

  async wallet(owned: Ownership): Promise<string> {
    const policy = await this.policy('nobody')
    const who = await this.#owner(owned)
    const signerId = await this.quorum([signer], 1)
    const signers = owned === 'nobody' ? {} : { additional_signers: [{ signer_id: signerId }] }
    const body = { chain_type: 'ethereum', policy_ids: [policy], ...who, ...signers }
    return (await this.#make('/v1/wallets', body)).id
  }

  async policy(owned: Ownership): Promise<string> {
    const common = { version: '1.0', name: 'all', chain_type: 'ethereum', rules: [ALLOW_ALL] }
    return (await this.#make('/v1/policies', { ...common, ...(await this.#owner(owned)) })).id
  }

  async quorum(keys: readonly HandKey[], threshold: number): Promise<string> {
    const public_keys = keys.map((key) => key.public)
    const body = { public_keys, authorization_threshold: threshold }
    return (await this.#make('/v1/key_quorums', body)).id
  }

  /** Returns the id of a pending transaction, on a chain that makes no blocks. */
  async transaction(walletId: string, owned: Ownership): Promise<string> {
    const { body: wallet } = await this.node.ask(this.app, 'GET', `/v1/wallets/${walletId}`)
    const { rpc, chainId } = this.node.daemon.ready
    await call(rpc, 'anvil_setBalance', [wallet.address, ETHER])
    const transaction = { to: FRIEND, value: '0x1', gas_limit: '0x5208' }
    const body = {
      method: 'eth_sendTransaction',
      caip2: `eip155:${chainId}`,
      params: { transaction },
    }
    const signedBy = owned === 'nobody' ? [] : owned === 'a key' ? [owner] : [owner, second]
    const path = `/v1/wallets/${walletId}/rpc`
    return (await this.node.make(this.app, path, body, { signedBy })).data.transaction_id
  }

  /** Returns the path parameters and the body of a route. */
  async target(
    route: string,
    what: string,
    owned: Ownership,
    ownWallet: string | undefined,
  ): Promise<{ readonly method: Method; readonly path: string; readonly body: Body | undefined }> {
    const [method = '', path = ''] = route.split(' ')
    const wallet = await this.#walletFor(path, what, owned, ownWallet)
    const ids: Record<string, string> = { wallet_id: wallet ?? '' }
    if (path.includes('{policy_id}')) ids.policy_id = await this.policy(owned)
    if (path.includes('{rule_id}')) {
      const policy = await this.node.ask(this.app, 'GET', `/v1/policies/${ids.policy_id}`)
      ids.rule_id = policy.body.rules[0].id
    }
    if (path.includes('{key_quorum_id}')) {
      const isQuorum = owned === 'a quorum of two'
      ids.key_quorum_id = await this.quorum(isQuorum ? [owner, second] : [owner], isQuorum ? 2 : 1)
    }
    if (path.includes('{webhook_id}')) {
      ids.webhook_id = (await this.#make('/v1/webhooks', { url: 'http://127.0.0.1:9/' })).id
    }
    if (path.includes('{transaction_id}')) {
      ids.transaction_id = await this.transaction(wallet as string, owned)
    }
    const body = await this.#body(route, what)
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] as string)
    return { method: method as Method, path: filled, body }
  }

  async #walletFor(
    path: string,
    what: string,
    owned: Ownership,
    own: string | undefined,
  ): Promise<string | undefined> {
    if (!/\{(wallet|transaction)_id\}/.test(path)) return undefined
    return own === undefined || what === 'another wallet' ? this.wallet(owned) : own
  }

  async #body(route: string, what: string): Promise<Body | undefined> {
    const address = FRIEND
    const hpke = { chain_type: 'ethereum', entropy_type: 'private-key', encryption_type: 'HPKE' }
    const policy = { version: '1.0', name: 'made', chain_type: 'ethereum', rules: [] }
    const bodies: Readonly<Record<string, () => Body | Promise<Body>>> = {
      'POST /v1/wallets': () => ({ chain_type: 'ethereum' }),
      'POST /v1/wallets/address': async () => ({ address: await this.#address() }),
      'POST /v1/wallets/batch': () => ({ wallets: [{ chain_type: 'ethereum' }] }),
      'POST /v1/wallets/import/init': () => ({ address, ...hpke }),
      'POST /v1/wallets/import/submit': () => this.#imported(hpke),
      'PATCH /v1/wallets/{wallet_id}': () =>
        what === 'names' ? { display_name: 'renamed' } : { policy_ids: [] },
      'POST /v1/wallets/{wallet_id}/rpc': () => MESSAGE,
      'POST /v1/wallets/{wallet_id}/raw_sign': () => ({ params: { hash: `0x${'11'.repeat(32)}` } }),
      'POST /v1/wallets/{wallet_id}/export': () => ({
        encryption_type: 'HPKE',
        recipient_public_key: new HandKey().public,
      }),
      'POST /v1/transactions/{transaction_id}/replace': () => ({}),
      'POST /v1/policies': () => policy,
      'PATCH /v1/policies/{policy_id}': () => ({ rules: [] }),
      'POST /v1/policies/{policy_id}/rules': () => ({ ...ALLOW_ALL, name: 'another' }),
      'PATCH /v1/policies/{policy_id}/rules/{rule_id}': () => ({ ...ALLOW_ALL, action: 'DENY' }),
      'POST /v1/key_quorums': () => ({ public_keys: [new HandKey().public] }),
      'PATCH /v1/key_quorums/{key_quorum_id}': () => ({ display_name: 'renamed' }),
      'POST /v1/webhooks': () => ({ url: 'http://127.0.0.1:9/' }),
      'PATCH /v1/webhooks/{webhook_id}': () => ({ url: 'http://127.0.0.1:10/' }),
    }
    return Object.hasOwn(bodies, route) ? bodies[route]?.() : undefined
  }

  async #address(): Promise<string> {
    return (await this.#make('/v1/wallets', { chain_type: 'ethereum' })).address
  }

  async #imported(hpke: Body): Promise<Body> {
    const secret = generatePrivateKey()
    const { address } = privateKeyToAccount(secret)
    const init = await this.#make('/v1/wallets/import/init', { address, ...hpke })
    const encrypted = await encryptPrivateKey(secret, init.encryption_public_key)
    const { encapsulatedKey: encapsulated_key, ciphertext } = encrypted
    return { wallet: { address, ...hpke, encapsulated_key, ciphertext } }
  }

  async #owner(owned: Ownership): Promise<Body> {
    if (owned === 'nobody') return {}
    if (owned === 'a key') return { owner: { public_key: owner.public } }
    return { owner_id: await this.quorum([owner, second], 2) }
  }

  #make(path: string, body: Body) {
    return this.node.make(this.app, path, body)
  }
}

/** Returns the content of a table cell for a response. */
export function cellOf({ status }: Answer): string {
  return status === 200 ? 'yes' : `${status}`
}
