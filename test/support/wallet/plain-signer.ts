import { keccak256 } from 'viem'
import { formatData, type Hex, parseData } from '../../../host/base/hex.ts'
import {
  checksumText,
  keyFromSecret,
  signWithKey,
} from '../../../host/evm/chain-types/account-key.ts'
import type { OpenPart } from '../../../host/wallet/policy/decision.ts'
import { WalletError } from '../../../host/wallet/protocol/wallet-error.ts'
import type {
  FilledTransaction,
  SignAnswer,
  SignerLink,
  SignerRequest,
} from '../../../host/wallet/signer/signer-link.ts'
import { PLAIN_FIELDS } from '../engine/unsigned-sender.ts'

export function walletKey(walletId: string) {
  return keyFromSecret(parseData(keccak256(`0x${Buffer.from(walletId).toString('hex')}`)))
}

export function walletAddress(walletId: string): Hex {
  return formatData(walletKey(walletId).address)
}

/** An in-process signer that signs every request, with a key derived from the wallet's name. */
export class PlainSigner implements SignerLink {
  readonly signed: { readonly walletId: string; readonly filled: FilledTransaction }[] = []
  readonly #sent = new Map<string, { readonly walletId: string; readonly body: string }>()
  /** If it throws, the error is the signer's response. */
  before: (walletId: string, asked: SignerRequest) => void | Promise<void> = () => {}

  async identify(): Promise<never> {
    throw new WalletError('unauthorized')
  }

  async ask({ request }: SignerRequest): Promise<unknown> {
    const id = request.path.split('?')[0]?.split('/').at(-1) ?? ''
    if (id.startsWith('missing')) throw new WalletError('not_found')
    return { id, address: checksumText(walletKey(id).address) }
  }

  async authorize(): Promise<void> {}

  async precheck(): Promise<readonly OpenPart[]> {
    return []
  }

  async sign(asked: SignerRequest, filled?: FilledTransaction): Promise<SignAnswer> {
    const [, , noun, id = ''] = asked.request.path.split('/')
    const sent = noun === 'transactions' ? this.#sent.get(id) : undefined
    const { walletId, body } = sent ?? { walletId: id, body: asked.request.body }
    await this.before(walletId, asked)
    if (filled === undefined) throw new Error('nothing was filled')
    this.signed.push({ walletId, filled })
    this.#sent.set(asked.requestId, { walletId, body })
    const { transaction } = JSON.parse(body).params
    const { gasPrice = 0n } = filled
    const raw = signWithKey(
      {
        ...PLAIN_FIELDS,
        type: filled.gasPrice === undefined ? 2 : 0,
        chainId: filled.chainId,
        nonce: filled.nonce,
        gas: filled.gas,
        maxFeePerGas: filled.maxFeePerGas ?? gasPrice,
        maxPriorityFeePerGas: filled.maxPriorityFeePerGas ?? gasPrice,
        to: parseData(transaction.to),
        value: BigInt(transaction.value ?? 0),
        data: parseData(transaction.data ?? '0x'),
      },
      walletKey(walletId),
    )
    const decision = { allowed: true, reason: '', rules: [], charges: [] }
    return { signed: { kind: 'transaction', raw: formatData(raw), hash: keccak256(raw) }, decision }
  }

  async close(): Promise<void> {}
}
