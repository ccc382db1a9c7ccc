import { randomBytes } from 'node:crypto'
import {
  type Abi,
  createPublicClient,
  createWalletClient,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  http,
  type TransactionReceipt,
  type TypedDataDomain,
  toHex,
} from 'viem'
import type { Contract } from '../contracts/solidity.ts'
import { devAccount, signDynamicFee } from '../node/dev-wallet.ts'
import type { SignedAuthorization } from './hand-made-proof.ts'
import { TOKEN_ABI, TOKEN_TYPES } from './token-abi.ts'

const GAS = 300_000n
const MAX_FEE_PER_GAS = 10n ** 12n

/** The fields of an authorization that a test chooses. */
export interface AuthorizationChoice {
  readonly to: Hex
  readonly value: bigint
  readonly validAfter?: bigint
  readonly validBefore?: bigint
  readonly nonce?: Hex
}

/** A paying account of the dev chain, using only viem. */
export class Payer {
  readonly account
  readonly token: Hex
  readonly #public
  readonly #wallet
  #domain: Promise<TypedDataDomain> | undefined

  constructor(index: number, rpc: string, token: Hex) {
    this.account = devAccount(index)
    this.token = token
    const transport = http(rpc, { retryCount: 0 })
    this.#public = createPublicClient({ transport, pollingInterval: 20 })
    this.#wallet = createWalletClient({ account: this.account, transport })
  }

  get address(): Hex {
    return this.account.address.toLowerCase() as Hex
  }

  get nonce(): Promise<number> {
    const { address } = this.account
    return this.#public.getTransactionCount({ address, blockTag: 'pending' })
  }

  /** Sends a transaction to the pool. Returns its hash. */
  async submit(to: Hex | null, data: Hex, gas = GAS): Promise<Hex> {
    return await this.#wallet.sendTransaction({
      to,
      data,
      gas,
      maxFeePerGas: MAX_FEE_PER_GAS,
      maxPriorityFeePerGas: 1n,
      chain: null,
    })
  }

  receipt(hash: Hex): Promise<TransactionReceipt> {
    return this.#public.waitForTransactionReceipt({ hash })
  }

  /** Sends a transaction and waits for its block. Returns its hash. */
  async send(to: Hex | null, data: Hex, gas = GAS): Promise<Hex> {
    const hash = await this.submit(to, data, gas)
    await this.receipt(hash)
    return hash
  }

  transferData(to: Hex, value: bigint): Hex {
    return encodeFunctionData({ abi: TOKEN_ABI, functionName: 'transfer', args: [to, value] })
  }

  /** Makes a transfer and waits for its block. Returns its hash. `tail` holds bytes after the arguments. */
  pay(to: Hex, value: bigint, tail = ''): Promise<Hex> {
    return this.send(this.token, `${this.transferData(to, value)}${tail}`)
  }

  async deploy({ abi, bytecode }: Contract, args: readonly unknown[] = []): Promise<Hex> {
    const hash = await this.send(null, encodeDeployData({ abi, bytecode, args }), 5_000_000n)
    return (await this.receipt(hash)).contractAddress as Hex
  }

  call(to: Hex, abi: Abi, functionName: string, args: readonly unknown[]): Promise<Hex> {
    return this.send(to, encodeFunctionData({ abi, functionName, args }), 1_000_000n)
  }

  /** Signs a transaction without sending it. */
  async sign(nonce: number, to: Hex, data: Hex, chainId: number): Promise<Hex> {
    return await signDynamicFee(this.account, {
      chainId,
      nonce,
      to,
      data,
      gas: GAS,
      maxFeePerGas: MAX_FEE_PER_GAS,
      maxPriorityFeePerGas: 1n,
    })
  }

  balance(): Promise<bigint> {
    const args = [this.account.address] as const
    return this.#public.readContract({
      address: this.token,
      abi: TOKEN_ABI,
      functionName: 'balanceOf',
      args,
    })
  }

  /**
   * Signs an authorization. By default it is valid from ten minutes ago for an hour of the system clock, with a new
   * nonce.
   */
  async authorize(choice: AuthorizationChoice, domain: object = {}): Promise<SignedAuthorization> {
    const now = BigInt(Math.floor(Date.now() / 1000))
    const message = {
      from: this.account.address,
      validAfter: now - 600n,
      validBefore: now + 3600n,
      nonce: toHex(randomBytes(32)),
      ...choice,
    }
    this.#domain ??= this.#readDomain()
    const signature = await this.account.signTypedData({
      domain: { ...(await this.#domain), ...domain },
      types: TOKEN_TYPES,
      primaryType: 'TransferWithAuthorization',
      message,
    })
    return {
      signature,
      authorization: {
        from: message.from,
        to: message.to,
        value: String(message.value),
        validAfter: String(message.validAfter),
        validBefore: String(message.validBefore),
        nonce: message.nonce,
      },
    }
  }

  /** Reads the domain from the token and the chain. */
  async #readDomain(): Promise<TypedDataDomain> {
    const read = (functionName: 'name' | 'version') =>
      this.#public.readContract({ address: this.token, abi: TOKEN_ABI, functionName })
    const [name, version, chainId] = await Promise.all([
      read('name'),
      read('version'),
      this.#public.getChainId(),
    ])
    return { name, version, chainId, verifyingContract: this.token }
  }

  /** Settles an authorization, as any holder of it can. */
  carryOut({ signature, authorization }: SignedAuthorization): Promise<Hex> {
    const { from, to, value, validAfter, validBefore, nonce } = authorization
    const data = encodeFunctionData({
      abi: TOKEN_ABI,
      functionName: 'transferWithAuthorization',
      args: [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, signature],
    })
    return this.send(this.token, data)
  }
}
