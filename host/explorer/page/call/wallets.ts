import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { LockstepError } from '../../../base/error.ts'
import { formatQuantity, type Hex } from '../../../base/hex.ts'
import { type OutgoingTransaction, sendParams } from '../../browser/source/node-sender.ts'
import { middleCut } from '../decode/format/middle-cut.ts'
import { safeText } from '../decode/format/safe-text.ts'

/** What a wallet injects into a page (EIP-1193). */
interface WalletProvider {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>
}

/** A wallet of the browser. */
export interface Wallet {
  /** Safe to display. */
  readonly name: string
  readonly provider: WalletProvider
}

const LONGEST_NAME = 40
/** A page may announce any number. */
const MOST = 10

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function isProvider(value: unknown): value is WalletProvider {
  return isRecord(value) && typeof value.request === 'function'
}

/** Returns the wallets that announce themselves (EIP-6963), or else the one that a wallet injects (EIP-1193). */
export function useWallets(): readonly Wallet[] {
  const found = useSignal<readonly Wallet[]>([])
  useEffect(() => {
    const announced = (event: Event) => {
      const detail: unknown = (event as CustomEvent).detail
      if (!isRecord(detail) || !isProvider(detail.provider)) return
      const { info, provider } = detail
      const given = isRecord(info) && typeof info.name === 'string' ? info.name : 'unnamed wallet'
      const isKnown = found.value.some((wallet) => wallet.provider === provider)
      if (isKnown || found.value.length === MOST) return
      found.value = [...found.value, { name: middleCut(safeText(given), LONGEST_NAME), provider }]
    }
    window.addEventListener('eip6963:announceProvider', announced)
    window.dispatchEvent(new Event('eip6963:requestProvider'))
    return () => window.removeEventListener('eip6963:announceProvider', announced)
  }, [found])
  if (found.value.length > 0) return found.value
  const { ethereum } = window as { ethereum?: unknown }
  return isProvider(ethereum) ? [{ name: 'wallet of the browser', provider: ethereum }] : []
}

/**
 * Has a wallet sign and send a transaction by its first account. Returns the hash.
 * @throws INVALID_ARGUMENT if the wallet is on another chain, TRANSACTION_REJECTED if it refuses
 */
export async function sendByWallet(
  { name, provider }: Wallet,
  transaction: Omit<OutgoingTransaction, 'from'>,
  chainId: bigint,
): Promise<Hex> {
  const ask = async (method: string, params: readonly unknown[] = []) => {
    try {
      return await provider.request({ method, params })
    } catch (cause) {
      const said = isRecord(cause) && typeof cause.message === 'string' ? cause.message : ''
      throw refused(`${name} refused ${method}: ${middleCut(safeText(said), 200)}`, cause)
    }
  }
  const [from] = [await ask('eth_requestAccounts')].flat()
  if (typeof from !== 'string' || !/^0x[0-9a-f]{40}$/i.test(from)) {
    throw refused(`${name} gave no account`)
  }
  const own = await ask('eth_chainId')
  if (typeof own !== 'string' || own.toLowerCase() !== formatQuantity(chainId)) {
    throw new LockstepError(
      'INVALID_ARGUMENT',
      `${name} is on chain ${middleCut(safeText(String(own)), 40)}, and the node on ${formatQuantity(chainId)}`,
      { hint: 'switch the network in the wallet, or choose its node here' },
    )
  }
  const hash = await ask(
    'eth_sendTransaction',
    sendParams({ ...transaction, from: from.toLowerCase() as Hex }),
  )
  if (typeof hash === 'string' && /^0x[0-9a-f]{64}$/i.test(hash)) return hash.toLowerCase() as Hex
  throw refused(`${name} returned no hash of a transaction`)
}

function refused(message: string, cause?: unknown): LockstepError {
  return new LockstepError('TRANSACTION_REJECTED', message, {
    hint: 'look into the wallet, or choose another signer',
    cause,
  })
}
