import { type Hex, hashTypedData, zeroAddress } from 'viem'
import { TOKEN_TYPES, tokenDomain } from '../../../support/payments/token-abi.ts'

/** A signature with its digest, its signer, and the reason why it cannot be recovered. */
export interface Given {
  readonly digest: Hex
  readonly by: Hex
  /** Reason why the recovery refuses it, whatever the digest. */
  readonly flaw: string | undefined
}

export interface AuthorizedTransfer {
  readonly from: Hex
  readonly to: Hex
  readonly value: bigint
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly nonce: Hex
}

/** A call by `sender` of a function that changes the token. */
export type TokenCall = { readonly sender: Hex } & (
  | { readonly name: 'transfer'; readonly to: Hex; readonly value: bigint }
  | { readonly name: 'approve'; readonly spender: Hex; readonly value: bigint }
  | { readonly name: 'transferFrom'; readonly from: Hex; readonly to: Hex; readonly value: bigint }
  | {
      readonly name: 'permit'
      readonly owner: Hex
      readonly spender: Hex
      readonly value: bigint
      readonly deadline: bigint
      readonly signature: Given
    }
  | {
      readonly name: 'transferWithAuthorization' | 'receiveWithAuthorization'
      readonly message: AuthorizedTransfer
      readonly signature: Given
    }
  | {
      readonly name: 'cancelAuthorization'
      readonly authorizer: Hex
      readonly nonce: Hex
      readonly signature: Given
    }
)

export type TokenEvent = readonly [name: string, ...args: (Hex | bigint)[]]

/** The events of a call, or the reason of its revert. */
export type Effect = { readonly events: readonly TokenEvent[] } | { readonly reason: string }

class Refused extends Error {}

function need(holds: boolean, reason: string): void {
  if (!holds) throw new Refused(reason)
}

/**
 * Reference implementation of the payment token by the EIPs: maps of balances, allowances, nonces and used
 * authorizations.
 */
export class TokenModel {
  readonly #domain: ReturnType<typeof tokenDomain>
  /** Owners of contracts that sign by ERC-1271. */
  readonly #owners: ReadonlyMap<Hex, Hex>
  readonly balances: Map<Hex, bigint>
  readonly allowances: Map<string, bigint> = new Map()
  readonly nonces: Map<Hex, bigint> = new Map()
  readonly used: Set<string> = new Set()

  constructor(token: Hex, balances: ReadonlyMap<Hex, bigint>, owners: ReadonlyMap<Hex, Hex>) {
    this.#domain = tokenDomain(token)
    this.#owners = owners
    this.balances = new Map(balances)
  }

  /** Returns the effect of the call at a time in seconds, without changing anything. */
  preview(call: TokenCall, time: bigint): Effect {
    const copy = new TokenModel(this.#domain.verifyingContract, this.balances, this.#owners)
    for (const [key, value] of this.allowances) copy.allowances.set(key, value)
    for (const [key, value] of this.nonces) copy.nonces.set(key, value)
    for (const key of this.used) copy.used.add(key)
    return copy.#run(call, time)
  }

  apply(call: TokenCall, time: bigint): Effect {
    const effect = this.preview(call, time)
    return 'reason' in effect ? effect : this.#run(call, time)
  }

  permitDigest(owner: Hex, spender: Hex, value: bigint, deadline: bigint): Hex {
    const nonce = this.nonces.get(owner) ?? 0n
    const message = { owner, spender, value, nonce, deadline }
    return hashTypedData({
      domain: this.#domain,
      types: TOKEN_TYPES,
      primaryType: 'Permit',
      message,
    })
  }

  transferDigest(
    primaryType: 'TransferWithAuthorization' | 'ReceiveWithAuthorization',
    message: AuthorizedTransfer,
  ): Hex {
    return hashTypedData({ domain: this.#domain, types: TOKEN_TYPES, primaryType, message })
  }

  cancelDigest(authorizer: Hex, nonce: Hex): Hex {
    const message = { authorizer, nonce }
    return hashTypedData({
      domain: this.#domain,
      types: TOKEN_TYPES,
      primaryType: 'CancelAuthorization',
      message,
    })
  }

  #run(call: TokenCall, time: bigint): Effect {
    try {
      return { events: this.#eventsOf(call, time) }
    } catch (thrown) {
      if (thrown instanceof Refused) return { reason: thrown.message }
      throw thrown
    }
  }

  #eventsOf(call: TokenCall, time: bigint): readonly TokenEvent[] {
    switch (call.name) {
      case 'transfer':
        return [this.#move(call.sender, call.to, call.value)]
      case 'approve':
        return [this.#allow(call.sender, call.spender, call.value)]
      case 'transferFrom': {
        const allowed = this.allowances.get(`${call.from} ${call.sender}`) ?? 0n
        need(call.value <= allowed, 'ERC20: transfer amount exceeds allowance')
        this.allowances.set(`${call.from} ${call.sender}`, allowed - call.value)
        return [this.#move(call.from, call.to, call.value)]
      }
      case 'permit': {
        const { owner, spender, value, deadline, signature } = call
        need(time <= deadline, 'FiatTokenV2: permit is expired')
        const digest = this.permitDigest(owner, spender, value, deadline)
        this.#needSigned(owner, digest, signature, 'EIP2612: invalid signature')
        this.nonces.set(owner, (this.nonces.get(owner) ?? 0n) + 1n)
        return [this.#allow(owner, spender, value)]
      }
      case 'cancelAuthorization': {
        const { authorizer, nonce, signature } = call
        const digest = this.cancelDigest(authorizer, nonce)
        this.#needUnused(authorizer, nonce)
        this.#needSigned(authorizer, digest, signature, 'FiatTokenV2: invalid signature')
        this.used.add(`${authorizer} ${nonce}`)
        return [['AuthorizationCanceled', authorizer, nonce]]
      }
      default: {
        const { name, message, signature, sender } = call
        const { from, to, value, nonce } = message
        const receives = name === 'receiveWithAuthorization'
        if (receives) need(sender === to, 'FiatTokenV2: caller must be the payee')
        need(time > message.validAfter, 'FiatTokenV2: authorization is not yet valid')
        need(time < message.validBefore, 'FiatTokenV2: authorization is expired')
        this.#needUnused(from, nonce)
        const digest = this.transferDigest(
          receives ? 'ReceiveWithAuthorization' : 'TransferWithAuthorization',
          message,
        )
        this.#needSigned(from, digest, signature, 'FiatTokenV2: invalid signature')
        this.used.add(`${from} ${nonce}`)
        return [['AuthorizationUsed', from, nonce], this.#move(from, to, value)]
      }
    }
  }

  #move(from: Hex, to: Hex, value: bigint): TokenEvent {
    need(to !== zeroAddress, 'ERC20: transfer to the zero address')
    const balance = this.balances.get(from) ?? 0n
    need(value <= balance, 'ERC20: transfer amount exceeds balance')
    this.balances.set(from, balance - value)
    this.balances.set(to, (this.balances.get(to) ?? 0n) + value)
    return ['Transfer', from, to, value]
  }

  #allow(owner: Hex, spender: Hex, value: bigint): TokenEvent {
    need(spender !== zeroAddress, 'ERC20: approve to the zero address')
    this.allowances.set(`${owner} ${spender}`, value)
    return ['Approval', owner, spender, value]
  }

  #needUnused(authorizer: Hex, nonce: Hex): void {
    const isUsed = this.used.has(`${authorizer} ${nonce}`)
    need(!isUsed, 'FiatTokenV2: authorization is used or canceled')
  }

  #needSigned(account: Hex, digest: Hex, { flaw, by, ...given }: Given, reason: string): void {
    const owner = this.#owners.get(account)
    // For a contract the token calls ERC-1271, which returns no reason.
    if (owner === undefined && flaw !== undefined) throw new Refused(flaw)
    const isSigned = flaw === undefined && given.digest === digest && by === (owner ?? account)
    need(isSigned, reason)
  }
}
